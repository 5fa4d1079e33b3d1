// Hot path of the decoders of snappy and lz4: both formats are literals and copies of what was
// written before, and differ only in how they spell them.
import { CorruptBatchError } from '../errors.ts';

/** Below this many bytes a loop is quicker than a call of `copyWithin` or `set`. */
const SHORT_COPY_BYTES = 24;

/** Where a decoder writes: a buffer of fixed size that refuses to be overfilled. */
export class BlockOutput {
  readonly #bytes: Buffer;
  readonly #full: () => Error;
  /** Bytes written so far. */
  length = 0;

  /**
   * @param capacity bytes to take, once
   * @param full makes the error for data that needs more than that
   */
  constructor(capacity: number, full: () => Error) {
    this.#bytes = Buffer.allocUnsafe(capacity);
    this.#full = full;
  }

  /** Appends `source[from, to)`; the caller knows that the range is within `source`. */
  literal(source: Uint8Array, from: number, to: number): void {
    const bytes = this.#bytes;
    let at = this.length;
    const count = to - from;
    if (at + count > bytes.length) throw this.#full();
    this.length = at + count;
    if (count > SHORT_COPY_BYTES) {
      bytes.set(source.subarray(from, to), at);
      return;
    }
    for (let i = from; i < to; i += 1) {
      bytes[at] = source[i] as number;
      at += 1;
    }
  }

  /**
   * Appends `count` bytes from `distance` bytes back, which may overlap what is being written.
   *
   * @throws CorruptBatchError when that is before the byte at `floor`
   */
  copy(distance: number, count: number, floor: number): void {
    const bytes = this.#bytes;
    let at = this.length;
    if (distance < 1 || at - distance < floor) {
      throw new CorruptBatchError(
        'compressed-data',
        `A copy from ${distance} bytes back, after ${at - floor} bytes of output`,
      );
    }
    const end = at + count;
    if (end > bytes.length) throw this.#full();
    this.length = end;
    if (count > SHORT_COPY_BYTES && distance >= count) {
      bytes.copyWithin(at, at - distance, end - distance);
      return;
    }
    if (count > SHORT_COPY_BYTES && distance === 1) {
      bytes.fill(bytes[at - 1] as number, at, end);
      return;
    }
    for (let from = at - distance; at < end; from += 1) {
      bytes[at] = bytes[from] as number;
      at += 1;
    }
  }

  /** What was written. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}
