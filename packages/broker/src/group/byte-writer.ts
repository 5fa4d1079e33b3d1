const MAX_STRING_BYTES = 32_767;
const INITIAL_BYTES = 128;

/** Writes Kafka's primitive types into memory that grows with them. */
export class ByteWriter {
  #bytes: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #length = 0;

  int16(value: number): this {
    // The memory may be another one after it was reserved, here and below.
    const at = this.#reserve(2);
    this.#bytes.writeInt16BE(value, at);
    return this;
  }

  int32(value: number): this {
    const at = this.#reserve(4);
    this.#bytes.writeInt32BE(value, at);
    return this;
  }

  /** @param value a safe integer */
  int64(value: number): this {
    const high = Math.floor(value / 2 ** 32);
    const at = this.#reserve(8);
    this.#bytes.writeInt32BE(high, at);
    this.#bytes.writeUInt32BE(value - high * 2 ** 32, at + 4);
    return this;
  }

  /** @throws RangeError when the text takes more than 32,767 bytes, which its length cannot say */
  string(value: string): this {
    const length = Buffer.byteLength(value);
    if (length > MAX_STRING_BYTES) {
      throw new RangeError(`a string takes at most ${MAX_STRING_BYTES} bytes, got ${length}`);
    }
    this.int16(length);
    const at = this.#reserve(length);
    this.#bytes.write(value, at, length);
    return this;
  }

  nullableString(value: string | null): this {
    return value === null ? this.int16(-1) : this.string(value);
  }

  bytes(value: Uint8Array): this {
    this.int32(value.length);
    const at = this.#reserve(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  /** Everything written, in memory that is no larger than it. */
  finish(): Buffer {
    const exact = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(exact, 0, 0, this.#length);
    return exact;
  }

  #reserve(length: number): number {
    const at = this.#length;
    const needed = at + length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    this.#length = needed;
    return at;
  }
}
