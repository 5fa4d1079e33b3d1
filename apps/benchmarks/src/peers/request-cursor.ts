/** Walks over a request without checking anything: what a broker must never do, and a ceiling may. */
export class RequestCursor {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  isFlexible = false;

  int16(): number {
    this.at += 2;
    return this.bytes.readInt16BE(this.at - 2);
  }

  int32(): number {
    this.at += 4;
    return this.bytes.readInt32BE(this.at - 4);
  }

  int64(): number {
    return this.int32() * 2 ** 32 + (this.int32() >>> 0);
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  /** Length of bytes, or the count of an array. */
  count(): number {
    return this.isFlexible ? this.varint() - 1 : this.int32();
  }

  skipString(): void {
    const length = this.isFlexible ? this.varint() - 1 : this.int16();
    this.at += Math.max(0, length);
  }

  skipTags(): void {
    if (this.isFlexible) this.varint();
  }
}
