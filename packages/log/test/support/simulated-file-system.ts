import { dirname } from 'node:path';
import { type RandomSource, randomBelow } from '@logloft/clock';
import type { FileFacts, FileSystem, LogFile } from '../../src/store/file-system.ts';

interface Inode {
  content: Buffer;
  /** What a power cut leaves at least. */
  durable: Buffer;
}

/** What goes wrong on purpose. */
export interface Faults {
  /** Bytes that all `.log` files may have together; a write beyond is short, the next one fails. */
  logBytes: number;
  /** The most bytes that one write takes. */
  writeBytes: number;
  /** Calls fail for which it returns an error. */
  fail: (call: string, path: string) => Error | undefined;
}

/** A system error with its code, as `node:fs` throws it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/**
 * A disk with a page cache in front of it. It can fail on purpose, and after a crash it gives what
 * is left: of a killed process everything, of a power cut what was synced, and of the rest as much
 * as chance wants.
 */
export class SimulatedFileSystem implements FileSystem {
  readonly persistent: boolean = true;
  readonly faults: Faults = {
    logBytes: Number.POSITIVE_INFINITY,
    writeBytes: Number.POSITIVE_INFINITY,
    fail: () => undefined,
  };
  /** Calls so far, by name. */
  readonly calls = new Map<string, number>();
  #entries = new Map<string, Inode>();
  #durableEntries = new Map<string, Inode>();
  readonly #directories = new Set<string>();
  #isDead = false;

  /** What a new process finds. The old one can do nothing any more. */
  crash(kind: 'process' | 'power', random: RandomSource): SimulatedFileSystem {
    this.#isDead = true;
    const next = new SimulatedFileSystem();
    for (const directory of this.#directories) next.#directories.add(directory);
    const entries = kind === 'process' ? this.#entries : this.#durableEntries;
    for (const [path, inode] of entries) {
      const content = kind === 'process' ? inode.content : survivor(inode, random);
      const copy: Inode = { content: Buffer.from(content), durable: Buffer.from(content) };
      if (kind === 'process') copy.durable = inode.durable;
      next.#entries.set(path, copy);
      if (kind === 'power' || this.#durableEntries.has(path)) next.#durableEntries.set(path, copy);
    }
    return next;
  }

  /** The content of a file, to be changed by a test. */
  contentOf(path: string): Buffer {
    return this.#inode('content', path).content;
  }

  setContent(path: string, content: Buffer): void {
    const inode = this.#inode('content', path);
    inode.content = content;
    inode.durable = content;
  }

  get paths(): string[] {
    return [...this.#entries.keys()];
  }

  openSync(path: string, mode: 'create' | 'existing'): LogFile {
    this.#call('open', path);
    let inode = this.#entries.get(path);
    if (inode === undefined) {
      if (mode === 'existing') throw systemError('ENOENT');
      inode = { content: Buffer.alloc(0), durable: Buffer.alloc(0) };
      this.#entries.set(path, inode);
    }
    return this.#fileOf(path, inode);
  }

  async open(path: string): Promise<LogFile> {
    return this.openSync(path, 'existing');
  }

  readFileSync(path: string): Buffer | undefined {
    this.#call('readFile', path);
    const inode = this.#entries.get(path);
    return inode && Buffer.from(inode.content);
  }

  writeFileSync(path: string, bytes: Uint8Array): void {
    this.#call('writeFile', path);
    const inode = this.#entries.get(path) ?? {
      content: Buffer.alloc(0),
      durable: Buffer.alloc(0),
    };
    inode.content = Buffer.from(bytes);
    this.#entries.set(path, inode);
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<void> {
    const content = Buffer.from(bytes);
    await Promise.resolve();
    this.writeFileSync(path, content);
    const inode = this.#inode('sync', path);
    inode.durable = inode.content;
  }

  statSync(path: string): FileFacts | undefined {
    const inode = this.#entries.get(path);
    if (inode === undefined && !this.#directories.has(path)) return undefined;
    return { size: inode?.content.length ?? 0, modifiedMs: 0 };
  }

  listSync(directory: string): string[] {
    this.#call('list', directory);
    const names = [...this.#entries.keys(), ...this.#directories].filter(
      (path) => dirname(path) === directory,
    );
    return names.map((path) => path.slice(directory.length + 1));
  }

  async list(directory: string): Promise<string[]> {
    return this.listSync(directory);
  }

  makeDirectorySync(directory: string): void {
    this.#call('makeDirectory', directory);
    this.#directories.add(directory);
  }

  renameSync(from: string, to: string): void {
    this.#call('rename', from);
    if (this.#directories.delete(from)) {
      this.#directories.add(to);
      this.#entries = moved(this.#entries, from, to);
      this.#durableEntries = moved(this.#durableEntries, from, to);
      return;
    }
    const inode = this.#inode('rename', from);
    this.#entries.delete(from);
    this.#entries.set(to, inode);
  }

  async rename(from: string, to: string): Promise<void> {
    await Promise.resolve();
    this.renameSync(from, to);
  }

  async remove(path: string): Promise<void> {
    this.#call('remove', path);
    this.#entries.delete(path);
  }

  async removeDirectory(directory: string): Promise<void> {
    this.#directories.delete(directory);
  }

  async syncDirectory(directory: string): Promise<void> {
    this.#call('syncDirectory', directory);
    for (const path of this.#durableEntries.keys()) {
      if (dirname(path) === directory) this.#durableEntries.delete(path);
    }
    for (const [path, inode] of this.#entries) {
      if (dirname(path) === directory) this.#durableEntries.set(path, inode);
    }
  }

  #inode(call: string, path: string): Inode {
    const inode = this.#entries.get(path);
    if (inode === undefined) throw systemError('ENOENT');
    if (this.#isDead) throw new Error(`${call} after the crash`);
    return inode;
  }

  #call(call: string, path: string): void {
    if (this.#isDead) throw new Error(`${call} of ${path} after the crash`);
    this.calls.set(call, (this.calls.get(call) ?? 0) + 1);
    const error = this.faults.fail(call, path);
    if (error !== undefined) throw error;
  }

  /** Bytes that a `.log` may still take. */
  #room(): number {
    let bytes = 0;
    for (const [path, inode] of this.#entries) {
      if (path.endsWith('.log')) bytes += inode.content.length;
    }
    return this.faults.logBytes - bytes;
  }

  #fileOf(path: string, inode: Inode): LogFile {
    return {
      path,
      size: () => inode.content.length,
      writev: (buffers, position) => {
        this.#call('write', path);
        const bytes = Buffer.concat(buffers);
        const end = position + bytes.length;
        const over = end - inode.content.length - this.#room();
        const count = Math.min(this.faults.writeBytes, bytes.length - Math.max(0, over));
        if (count <= 0) throw systemError('ENOSPC');
        const before = inode.content.subarray(0, position);
        const after = inode.content.subarray(Math.min(inode.content.length, position + count));
        inode.content = Buffer.concat([before, bytes.subarray(0, count), after]);
        return count;
      },
      read: (target, at, length, position) => {
        this.#call('read', path);
        return inode.content.copy(target, at, position, position + length);
      },
      readAsync: async (target, at, length, position) => {
        await Promise.resolve();
        this.#call('readAsync', path);
        return inode.content.copy(target, at, position, position + length);
      },
      truncate: (size) => {
        this.#call('truncate', path);
        inode.content = Buffer.from(inode.content.subarray(0, size));
      },
      truncateAsync: async (size) => {
        await Promise.resolve();
        this.#call('truncateAsync', path);
        inode.content = Buffer.from(inode.content.subarray(0, size));
      },
      sync: async () => {
        const content = Buffer.from(inode.content);
        await Promise.resolve();
        this.#call('sync', path);
        inode.durable = content;
      },
      close: async () => undefined,
    };
  }
}

function moved(entries: Map<string, Inode>, from: string, to: string): Map<string, Inode> {
  const result = new Map<string, Inode>();
  for (const [path, inode] of entries) {
    result.set(path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path, inode);
  }
  return result;
}

/** What a power cut leaves of a file: what was synced, and of the rest as much as chance wants. */
function survivor(inode: Inode, random: RandomSource): Buffer {
  const { content, durable } = inode;
  let common = 0;
  while (common < content.length && content[common] === durable[common]) common += 1;
  if (randomBelow(random, 3) === 0) return durable;
  const kept = common + randomBelow(random, content.length - common + 1);
  // Of a file that was cut, or written over, either the old or the new tail is there.
  return common < durable.length && randomBelow(random, 2) === 0
    ? durable
    : content.subarray(0, kept);
}
