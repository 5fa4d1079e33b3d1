import assert from 'node:assert/strict';

/**
 * The bytes of one chunk, in memory that goes back to its pool when the last of those who hold it has
 * let go. Whoever makes one holds it first.
 */
export class ChunkBytes {
  readonly byteLength: number;
  /** Bytes of memory that it takes. */
  readonly heldBytes: number;
  readonly #giveBack: (buffer: Buffer) => void;
  #buffer: Buffer | undefined;
  #holders = 1;

  /**
   * @param buffer begins with the bytes of the chunk
   * @param giveBack called once, with `buffer`
   */
  constructor(buffer: Buffer, byteLength: number, giveBack: (buffer: Buffer) => void) {
    assert(byteLength <= buffer.byteLength);
    this.byteLength = byteLength;
    this.heldBytes = buffer.byteLength;
    this.#buffer = buffer;
    this.#giveBack = giveBack;
  }

  /** The bytes, for as long as the caller holds them. */
  get bytes(): Uint8Array {
    assert(this.#buffer !== undefined, 'a chunk is not read after its release');
    return this.#buffer.subarray(0, this.byteLength);
  }

  /** Whether anybody but one holds it. */
  get isShared(): boolean {
    return this.#holders > 1;
  }

  /** Holds it once more. */
  retain(): this {
    assert(this.#buffer !== undefined, 'a chunk is not held after its release');
    this.#holders += 1;
    return this;
  }

  /** Lets go of it; as often as it was held, and no more. */
  release(): void {
    assert(this.#buffer !== undefined, 'a chunk is not released twice');
    this.#holders -= 1;
    if (this.#holders > 0) return;
    const buffer = this.#buffer;
    this.#buffer = undefined;
    this.#giveBack(buffer);
  }
}
