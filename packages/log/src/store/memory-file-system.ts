import type { Clock } from '@logloft/clock';
import type { FileFacts, FileSystem, LogFile } from './file-system.ts';
import { type MemoryBudget, MemoryFile, MemoryLogFile } from './memory-file.ts';

/** Options of a {@link MemoryFileSystem}. */
export interface MemoryFileSystemOptions {
  /** Most bytes of all files; from 1 on. */
  readonly limitBytes: number;
  readonly clock: Clock;
}

/** Files that end with the process, within a budget of bytes. Nothing is written anywhere. */
export class MemoryFileSystem implements FileSystem {
  readonly persistent: boolean = false;
  readonly #budget: MemoryBudget;
  readonly #clock: Clock;
  readonly #files = new Map<string, MemoryFile>();
  readonly #directories = new Set<string>();

  /** @throws RangeError when the budget is no whole number of bytes from 1 on */
  constructor(options: MemoryFileSystemOptions) {
    const { limitBytes } = options;
    if (!(Number.isSafeInteger(limitBytes) && limitBytes >= 1)) {
      throw new RangeError(`The bytes of a memory store must be at least 1, got ${limitBytes}`);
    }
    this.#budget = { limitBytes, usedBytes: 0 };
    this.#clock = options.clock;
  }

  /** Bytes that the files take now. */
  get usedBytes(): number {
    return this.#budget.usedBytes;
  }

  openSync(path: string, mode: 'create' | 'existing'): LogFile {
    let file = this.#files.get(path);
    if (file === undefined) {
      if (mode === 'existing') throw missing('open', path);
      file = new MemoryFile(this.#budget, this.#clock.now());
      this.#files.set(path, file);
    }
    return new MemoryLogFile(path, file, () => this.#clock.now());
  }

  async open(path: string): Promise<LogFile> {
    return this.openSync(path, 'existing');
  }

  readFileSync(path: string): Buffer | undefined {
    const file = this.#files.get(path);
    if (file === undefined) return undefined;
    const bytes = Buffer.allocUnsafe(file.size);
    file.read(bytes, 0, bytes.length, 0);
    return bytes;
  }

  writeFileSync(path: string, bytes: Uint8Array): void {
    const file = this.#files.get(path) ?? new MemoryFile(this.#budget, this.#clock.now());
    file.truncate(0);
    file.write(bytes, 0);
    file.modifiedMs = this.#clock.now();
    this.#files.set(path, file);
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<void> {
    this.writeFileSync(path, bytes);
  }

  statSync(path: string): FileFacts | undefined {
    const file = this.#files.get(path);
    return file && { size: file.size, modifiedMs: file.modifiedMs };
  }

  listSync(directory: string): string[] {
    if (!this.#directories.has(directory)) throw missing('list', directory);
    const names = new Set<string>();
    const prefix = `${directory}/`;
    for (const path of [...this.#files.keys(), ...this.#directories]) {
      const rest = path.startsWith(prefix) ? path.slice(prefix.length) : '';
      if (rest !== '' && !rest.includes('/')) names.add(rest);
    }
    return [...names];
  }

  async list(directory: string): Promise<string[]> {
    return this.#directories.has(directory) ? this.listSync(directory) : [];
  }

  makeDirectorySync(directory: string): void {
    this.#directories.add(directory);
  }

  renameSync(from: string, to: string): void {
    const file = this.#files.get(from);
    if (file !== undefined) {
      this.#files.get(to)?.free();
      this.#files.delete(from);
      this.#files.set(to, file);
      return;
    }
    if (!this.#directories.delete(from)) throw missing('rename', from);
    this.#directories.add(to);
    for (const [path, content] of [...this.#files]) {
      if (!path.startsWith(`${from}/`)) continue;
      this.#files.delete(path);
      this.#files.set(`${to}${path.slice(from.length)}`, content);
    }
  }

  async rename(from: string, to: string): Promise<void> {
    this.renameSync(from, to);
  }

  async remove(path: string): Promise<void> {
    this.#files.get(path)?.free();
    this.#files.delete(path);
  }

  async removeDirectory(directory: string): Promise<void> {
    this.#directories.delete(directory);
  }

  async syncDirectory(): Promise<void> {
    // Memory outlives nothing.
  }
}

function missing(doing: string, path: string): Error {
  return Object.assign(new Error(`ENOENT: no such file or directory, ${doing} '${path}'`), {
    code: 'ENOENT',
  });
}
