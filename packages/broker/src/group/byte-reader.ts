/** Bytes that are not what they should be. */
export class MalformedBytesError extends Error {
  override readonly name = 'MalformedBytesError';
  readonly code = 'LOGLOFT_GROUP_MALFORMED_BYTES';
}

/** Reads Kafka's primitive types from bytes that nobody has checked, and never past their end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#take(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }

  /** @throws MalformedBytesError also when the number is not a safe integer */
  int64(): number {
    const at = this.#take(8);
    const value = this.#bytes.readInt32BE(at) * 2 ** 32 + this.#bytes.readUInt32BE(at + 4);
    if (!Number.isSafeInteger(value)) {
      throw new MalformedBytesError(
        `expected an integer of at most 53 bits at byte ${at}, found ${this.#bytes.readBigInt64BE(at)}`,
      );
    }
    return value;
  }

  string(): string {
    const value = this.nullableString();
    if (value === null) throw this.#notNull('string');
    return value;
  }

  nullableString(): string | null {
    return this.#text(this.int16());
  }

  /** A copy, so that it may be kept. */
  bytes(): Buffer {
    const length = this.int32();
    if (length < 0) throw this.#notNull('byte array');
    return this.#copy(length);
  }

  /**
   * The length of an array, checked against the bytes that are left before anybody relies on it.
   *
   * @param options `elementBytes`: the fewest bytes that an element takes
   */
  arrayLength(options: { readonly elementBytes: number }): number {
    return this.#checkedCount(this.int32(), options.elementBytes);
  }

  /** A string of a flexible version. */
  compactString(): string {
    const value = this.compactNullableString();
    if (value === null) throw this.#notNull('string');
    return value;
  }

  compactNullableString(): string | null {
    return this.#text(this.#unsignedVarint() - 1);
  }

  compactBytes(): Buffer {
    const length = this.#unsignedVarint() - 1;
    if (length < 0) throw this.#notNull('byte array');
    return this.#copy(length);
  }

  compactArrayLength(options: { readonly elementBytes: number }): number {
    return this.#checkedCount(this.#unsignedVarint() - 1, options.elementBytes);
  }

  /** Passes over the tagged fields of a flexible version. */
  skipTaggedFields(): void {
    const count = this.#unsignedVarint();
    for (let i = 0; i < count; i += 1) {
      this.#unsignedVarint();
      this.#take(this.#unsignedVarint());
    }
  }

  #unsignedVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.#take(1)] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if ((byte & 0x80) === 0) return value;
    }
    throw new MalformedBytesError(
      `expected a varint of at most 5 bytes before byte ${this.#at}, found a longer one`,
    );
  }

  #text(length: number): string | null {
    if (length < 0) return null;
    const at = this.#take(length);
    return this.#bytes.toString('utf8', at, at + length);
  }

  #copy(length: number): Buffer {
    const at = this.#take(length);
    const copy = Buffer.allocUnsafeSlow(length);
    this.#bytes.copy(copy, 0, at, at + length);
    return copy;
  }

  #checkedCount(count: number, elementBytes: number): number {
    const left = this.#bytes.length - this.#at;
    if (count < 0) throw this.#notNull('array');
    if (count * elementBytes > left) {
      throw new MalformedBytesError(
        `expected ${count} elements of at least ${elementBytes} bytes at byte ${this.#at}, found ${left} bytes`,
      );
    }
    return count;
  }

  #take(length: number): number {
    const at = this.#at;
    if (length > this.#bytes.length - at) {
      throw new MalformedBytesError(
        `expected ${length} bytes at byte ${at}, found ${this.#bytes.length - at}`,
      );
    }
    this.#at = at + length;
    return at;
  }

  #notNull(what: string): MalformedBytesError {
    return new MalformedBytesError(`expected a ${what} before byte ${this.#at}, found null`);
  }
}
