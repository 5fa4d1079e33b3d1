import { StorageFullError } from '../errors.ts';
import type { LogFile } from './file-system.ts';

/** Bytes that the files of a memory store may take in all. */
export interface MemoryBudget {
  readonly limitBytes: number;
  usedBytes: number;
}

const BLOCK_BYTES = 64 * 1024;
const FIRST_BYTES = 256;

/**
 * The content of a file in memory: blocks of 64 KiB, of which the first one grows by doubling, so
 * that small files stay small. What the blocks take counts, not what is in them.
 */
export class MemoryFile {
  readonly #budget: MemoryBudget;
  readonly #blocks: Buffer[] = [];
  #size = 0;
  modifiedMs: number;

  constructor(budget: MemoryBudget, nowMs: number) {
    this.#budget = budget;
    this.modifiedMs = nowMs;
  }

  get size(): number {
    return this.#size;
  }

  /** @throws StorageFullError when the budget has no room; nothing is written then */
  write(bytes: Uint8Array, position: number): void {
    const end = position + bytes.length;
    this.#reserve(end);
    if (position > this.#size) this.#zero(this.#size, position);
    let from = 0;
    while (from < bytes.length) {
      const at = position + from;
      const block = this.#blocks[Math.floor(at / BLOCK_BYTES)] ?? Buffer.alloc(0);
      const offset = at % BLOCK_BYTES;
      const count = Math.min(block.length - offset, bytes.length - from);
      block.set(bytes.subarray(from, from + count), offset);
      from += count;
    }
    this.#size = Math.max(this.#size, end);
  }

  /** Copies bytes out; fewer than wanted at the end of the file. */
  read(target: Uint8Array, at: number, length: number, position: number): number {
    const wanted = Math.max(0, Math.min(length, this.#size - position));
    let done = 0;
    while (done < wanted) {
      const from = position + done;
      const block = this.#blocks[Math.floor(from / BLOCK_BYTES)] ?? Buffer.alloc(0);
      const offset = from % BLOCK_BYTES;
      const count = Math.min(block.length - offset, wanted - done);
      block.copy(target, at + done, offset, offset + count);
      done += count;
    }
    return wanted;
  }

  truncate(size: number): void {
    if (size > this.#size) this.#zero(this.#size, size);
    this.#size = size;
    const needed = Math.ceil(size / BLOCK_BYTES);
    while (this.#blocks.length > needed) {
      this.#budget.usedBytes -= this.#blocks.pop()?.length ?? 0;
    }
  }

  /** Gives the memory back. */
  free(): void {
    this.truncate(0);
  }

  #zero(from: number, to: number): void {
    this.#reserve(to);
    for (let at = from; at < to; ) {
      const block = this.#blocks[Math.floor(at / BLOCK_BYTES)] ?? Buffer.alloc(0);
      const offset = at % BLOCK_BYTES;
      const count = Math.min(block.length - offset, to - at);
      block.fill(0, offset, offset + count);
      at += count;
    }
  }

  /** Takes so many blocks as `bytes` need. */
  #reserve(bytes: number): void {
    const first = this.#blocks[0];
    if (this.#blocks.length <= 1 && bytes <= BLOCK_BYTES) {
      if (first === undefined || first.length < bytes) this.#growFirst(first, bytes);
      return;
    }
    if (first !== undefined && first.length < BLOCK_BYTES) this.#growFirst(first, BLOCK_BYTES);
    const missing = Math.ceil(bytes / BLOCK_BYTES) - this.#blocks.length;
    if (missing <= 0) return;
    this.#take(missing * BLOCK_BYTES);
    for (let i = 0; i < missing; i += 1) this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
  }

  #growFirst(first: Buffer | undefined, bytes: number): void {
    let capacity = Math.max(FIRST_BYTES, first?.length ?? 0);
    while (capacity < bytes) capacity *= 2;
    this.#take(capacity - (first?.length ?? 0));
    const grown = Buffer.allocUnsafeSlow(capacity);
    first?.copy(grown);
    this.#blocks[0] = grown;
  }

  #take(bytes: number): void {
    const budget = this.#budget;
    if (budget.usedBytes + bytes > budget.limitBytes) {
      throw new StorageFullError(
        `The memory store holds ${budget.usedBytes} of ${budget.limitBytes} bytes and needs ${bytes} more`,
      );
    }
    budget.usedBytes += bytes;
  }
}

/** A handle of a {@link MemoryFile}. */
export class MemoryLogFile implements LogFile {
  readonly path: string;
  readonly #file: MemoryFile;
  readonly #now: () => number;

  constructor(path: string, file: MemoryFile, now: () => number) {
    this.path = path;
    this.#file = file;
    this.#now = now;
  }

  size(): number {
    return this.#file.size;
  }

  writev(buffers: readonly Uint8Array[], position: number): number {
    let written = 0;
    for (const buffer of buffers) {
      this.#file.write(buffer, position + written);
      written += buffer.length;
    }
    this.#file.modifiedMs = this.#now();
    return written;
  }

  read(target: Uint8Array, at: number, length: number, position: number): number {
    return this.#file.read(target, at, length, position);
  }

  readAsync(target: Uint8Array, at: number, length: number, position: number): Promise<number> {
    return Promise.resolve(this.#file.read(target, at, length, position));
  }

  truncate(size: number): void {
    this.#file.truncate(size);
  }

  truncateAsync(size: number): Promise<void> {
    this.#file.truncate(size);
    return Promise.resolve();
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
