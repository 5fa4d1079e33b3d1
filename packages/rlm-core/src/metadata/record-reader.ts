import { RemoteLogError } from '../errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads Kafka's flexible encoding from bytes that nobody vouches for: no read goes past the end, no
 * memory is taken for a length that the bytes cannot hold, and every failure is a
 * {@link RemoteLogError} `LOGLOFT_RLM_MALFORMED_METADATA`.
 */
export class RecordReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes not read yet. */
  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  int8(): number {
    return this.#view.getInt8(this.#take(1, 'an int8'));
  }

  int32(): number {
    return this.#view.getInt32(this.#take(4, 'an int32'));
  }

  /** An int64 that has to be a safe integer. */
  int64(): number {
    const at = this.#take(8, 'an int64');
    const value = this.#view.getInt32(at) * 2 ** 32 + this.#view.getUint32(at + 4);
    if (!Number.isSafeInteger(value)) this.fail(`an int64 of ${value} is beyond 2^53`);
    return value;
  }

  boolean(): boolean {
    return this.int8() !== 0;
  }

  unsignedVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#view.getUint8(this.#take(1, 'a varint'));
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value > 0xffff_ffff) break;
        return value;
      }
    }
    return this.fail('a varint is longer than 32 bits');
  }

  compactString(): string {
    const bytes = this.compactBytes();
    if (bytes === undefined) return this.fail('a string that must be there is null');
    try {
      return utf8.decode(bytes);
    } catch {
      return this.fail('a string is not UTF-8');
    }
  }

  /** A copy of the bytes, or `undefined` for null. */
  compactBytes(): Uint8Array | undefined {
    const length = this.unsignedVarint() - 1;
    return length < 0 ? undefined : this.raw(length);
  }

  /** The number of elements of an array, which must fit into what is left. */
  compactArrayLength(minElementBytes: number): number {
    const length = this.unsignedVarint() - 1;
    if (length < 0) return this.fail('an array that must be there is null');
    if (length * minElementBytes > this.remaining) {
      return this.fail(`an array of ${length} does not fit into ${this.remaining} bytes`);
    }
    return length;
  }

  /** A copy of the next bytes. */
  raw(length: number): Uint8Array {
    const at = this.#take(length, `${length} bytes`);
    return this.#bytes.slice(at, at + length);
  }

  /** Reads the tagged fields of a structure; those that `known` does not take are skipped. */
  taggedFields(known?: (tag: number, field: RecordReader) => void): void {
    const count = this.unsignedVarint();
    for (let i = 0; i < count; i += 1) {
      const tag = this.unsignedVarint();
      const size = this.unsignedVarint();
      const at = this.#take(size, `a tagged field of ${size} bytes`);
      known?.(tag, new RecordReader(this.#bytes.subarray(at, at + size)));
    }
  }

  fail(what: string): never {
    throw new RemoteLogError(
      'LOGLOFT_RLM_MALFORMED_METADATA',
      `A record of the remote log metadata cannot be decoded at byte ${this.#at}: ${what}`,
    );
  }

  #take(size: number, what: string): number {
    const at = this.#at;
    if (size > this.#bytes.length - at) this.fail(`${what} expected, ${this.remaining} bytes left`);
    this.#at = at + size;
    return at;
  }
}
