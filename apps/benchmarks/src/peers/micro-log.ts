import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A file and the offsets of its batches: no segments, no index on disk, no recovery. */
export class MicroLog {
  readonly #file: number;
  /** Of each batch: its first offset, and where it begins. */
  readonly #offsets: number[] = [];
  readonly #positions: number[] = [];
  #nextOffset = 0;
  #size = 0;

  constructor(directory: string, name: string) {
    this.#file = openSync(join(directory, name), 'a+');
  }

  get nextOffset(): number {
    return this.#nextOffset;
  }

  /** Appends one batch of `records` records, which has its offset already. */
  append(bytes: Buffer, at: number, length: number, records: number): void {
    writeSync(this.#file, bytes, at, length);
    this.#offsets.push(this.#nextOffset);
    this.#positions.push(this.#size);
    this.#nextOffset += records;
    this.#size += length;
  }

  /** Reads whole batches from the one at `offset` on, at most `maxBytes` of them. */
  read(offset: number, maxBytes: number, target: Buffer, at: number): number {
    const first = this.#indexOf(offset);
    const start = this.#positions[first] ?? this.#size;
    if (start + maxBytes >= this.#size) {
      return readSync(this.#file, target, at, this.#size - start, start);
    }
    let last = first;
    while ((this.#positions[last + 1] ?? this.#size) - start <= maxBytes) last += 1;
    return readSync(this.#file, target, at, (this.#positions[last] ?? start) - start, start);
  }

  /** Forgets everything. */
  clear(): void {
    ftruncateSync(this.#file, 0);
    this.#offsets.length = 0;
    this.#positions.length = 0;
    this.#nextOffset = 0;
    this.#size = 0;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Index of the batch that holds `offset`. */
  #indexOf(offset: number): number {
    let low = 0;
    let high = this.#offsets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#offsets[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}
