/** Longest record written; the largest real one has a few hundred epochs. */
const INITIAL_BYTES = 256;

/** Writes Kafka's flexible encoding into a buffer that grows. */
export class RecordWriter {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  int8(value: number): void {
    this.#view.setInt8(this.#take(1), value);
  }

  int32(value: number): void {
    this.#view.setInt32(this.#take(4), value);
  }

  /** A safe integer as 8 bytes. */
  int64(value: number): void {
    const at = this.#take(8);
    this.#view.setInt32(at, Math.floor(value / 2 ** 32));
    this.#view.setUint32(at + 4, value >>> 0);
  }

  unsignedVarint(value: number): void {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.int8Unsigned((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.int8Unsigned(rest);
  }

  int8Unsigned(value: number): void {
    this.#view.setUint8(this.#take(1), value);
  }

  /** UTF-8 with its length + 1 in front. */
  compactString(value: string): void {
    this.compactBytes(Buffer.from(value, 'utf8'));
  }

  /** Bytes with their length + 1 in front; nothing is written as 0. */
  compactBytes(value: Uint8Array | undefined): void {
    if (value === undefined) {
      this.unsignedVarint(0);
      return;
    }
    this.unsignedVarint(value.length + 1);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.#bytes.set(value, this.#take(value.length));
  }

  /** What was written, as a view that is valid until the next write. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  /** Makes room and moves on. @returns where the room begins */
  #take(size: number): number {
    const at = this.#at;
    if (at + size > this.#bytes.length) this.#grow(at + size);
    this.#at = at + size;
    return at;
  }

  #grow(least: number): void {
    const grown = new Uint8Array(Math.max(least, this.#bytes.length * 2));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
