import type { ByteSink } from './read-into.ts';
import type { SlabPool } from './slab-pool.ts';

const SCRATCH_BYTES = 64 * 1024;
const DIRECT_READ_BYTES = 16 * 1024;
const LENGTH_BYTES = 4;

const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/** What a {@link MicroFrames} delivers to. */
export interface FrameSink {
  /** Takes a frame of `length` bytes in `slab`, and the slab with it. */
  onFrame(slab: Buffer, length: number): void;
  /** All frames of one read were delivered. */
  onReadEnd(): void;
}

/** The least that cuts a stream into frames: no limits, no waiting, no checks. */
export class MicroFrames implements ByteSink {
  readonly #pool: SlabPool;
  readonly #sink: FrameSink;
  readonly #length = Buffer.alloc(LENGTH_BYTES);
  #lengthFilled = 0;
  #slab: Buffer | undefined;
  #size = 0;
  #filled = 0;

  constructor(pool: SlabPool, sink: FrameSink) {
    this.#pool = pool;
    this.#sink = sink;
  }

  nextBuffer(): Buffer {
    const slab = this.#slab;
    if (slab === undefined || this.#size - this.#filled < DIRECT_READ_BYTES) return scratch;
    return slab.subarray(this.#filled, this.#size);
  }

  onBytes(length: number, buffer: Buffer): void {
    if (this.#slab !== undefined && buffer.buffer === this.#slab.buffer) {
      this.#filled += length;
      if (this.#filled === this.#size) this.#deliver(this.#slab);
    } else {
      this.#consume(buffer, length);
    }
    this.#sink.onReadEnd();
  }

  #consume(input: Buffer, length: number): void {
    let at = 0;
    while (at < length) {
      if (this.#slab === undefined) {
        at = this.#consumeLength(input, at, length);
        continue;
      }
      const end = Math.min(length, at + this.#size - this.#filled);
      input.copy(this.#slab, this.#filled, at, end);
      this.#filled += end - at;
      at = end;
      if (this.#filled === this.#size) this.#deliver(this.#slab);
    }
  }

  #consumeLength(input: Buffer, at: number, length: number): number {
    const end = Math.min(length, at + LENGTH_BYTES - this.#lengthFilled);
    input.copy(this.#length, this.#lengthFilled, at, end);
    this.#lengthFilled += end - at;
    if (this.#lengthFilled === LENGTH_BYTES) {
      this.#lengthFilled = 0;
      this.#filled = 0;
      this.#size = this.#length.readInt32BE(0);
      this.#slab = this.#pool.take(this.#size);
    }
    return end;
  }

  #deliver(slab: Buffer): void {
    this.#slab = undefined;
    this.#sink.onFrame(slab, this.#size);
  }
}
