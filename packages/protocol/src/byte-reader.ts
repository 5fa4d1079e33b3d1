import { MalformedMessageError } from './errors.ts';
import { StringCache } from './string-cache.ts';

const TWO_32 = 0x1_0000_0000;
const DEFAULT_MAX_ELEMENTS = 1_048_576;
const strings = new StringCache();

/** Settings of a {@link ByteReader}. */
export interface ByteReaderOptions {
  /**
   * How many array elements that become objects or strings one message may have, default 1,048,576.
   * A two-byte element on the wire can take fifty times as much memory when decoded; this bounds it.
   */
  readonly maxElements?: number | undefined;
}

/**
 * A position over the bytes of one frame, with a method for every primitive type of the protocol.
 * Every read is checked against the end of the frame, and every length against what is left, before
 * anything is taken; what does not fit is a {@link MalformedMessageError}.
 *
 * Bytes are handed out as views of the frame, never copied: they live as long as the frame's memory.
 * One reader can serve frame after frame through {@link ByteReader.reset}.
 *
 * Hot path: one `DataView` per slab of memory, no allocation per number.
 */
export class ByteReader {
  readonly #maxElements: number;
  #buffer: Buffer;
  /** Over the whole slab, so that the next frame in it needs no new view. */
  #view: DataView;
  /** Where the frame begins in the view. */
  #base = 0;
  #position = 0;
  #end = 0;
  #elementsLeft = 0;

  constructor(buffer: Buffer, options: ByteReaderOptions = {}) {
    this.#maxElements = options.maxElements ?? DEFAULT_MAX_ELEMENTS;
    this.#buffer = buffer;
    this.#view = new DataView(buffer.buffer);
    this.reset(buffer);
  }

  /** Starts over at `offset` of `buffer`. Frames that are views of one slab are cheapest. */
  reset(buffer: Buffer, offset = 0): void {
    if (buffer.buffer !== this.#view.buffer) this.#view = new DataView(buffer.buffer);
    this.#buffer = buffer;
    this.#base = buffer.byteOffset;
    this.#position = Math.min(offset, buffer.byteLength);
    this.#end = buffer.byteLength;
    this.#elementsLeft = this.#maxElements;
  }

  /** Offset of the next byte, counted from the start of the frame. */
  get position(): number {
    return this.#position;
  }

  /** How many bytes are left before the end of the frame, or of the tagged field being read. */
  get remaining(): number {
    return this.#end - this.#position;
  }

  /** One byte; every value but 0 is true. */
  readBoolean(): boolean {
    return this.#view.getUint8(this.#base + this.#take(1)) !== 0;
  }

  /** A signed byte. */
  readInt8(): number {
    return this.#view.getInt8(this.#base + this.#take(1));
  }

  /** A signed number of 2 bytes. */
  readInt16(): number {
    return this.#view.getInt16(this.#base + this.#take(2));
  }

  /** An unsigned number of 2 bytes. */
  readUint16(): number {
    return this.#view.getUint16(this.#base + this.#take(2));
  }

  /** A signed number of 4 bytes. */
  readInt32(): number {
    return this.#view.getInt32(this.#base + this.#take(4));
  }

  /** An unsigned number of 4 bytes. */
  readUint32(): number {
    return this.#view.getUint32(this.#base + this.#take(4));
  }

  /**
   * A signed number of 8 bytes as a safe integer. What lies outside saturates: `MAX_SAFE_INTEGER`
   * stands for that value or more, so Java's `Long.MAX_VALUE` decodes to it, and `MIN_SAFE_INTEGER`
   * for that or less. {@link ByteWriter.writeInt64} does the reverse.
   */
  readInt64(): number {
    const at = this.#base + this.#take(8);
    const value = this.#view.getInt32(at) * TWO_32 + this.#view.getUint32(at + 4);
    if (value > Number.MAX_SAFE_INTEGER) return Number.MAX_SAFE_INTEGER;
    if (value < Number.MIN_SAFE_INTEGER) return Number.MIN_SAFE_INTEGER;
    return value;
  }

  /** An IEEE 754 double. */
  readFloat64(): number {
    return this.#view.getFloat64(this.#base + this.#take(8));
  }

  /** 16 bytes as 22 characters of URL-safe base64 without padding. */
  readUuid(): string {
    const at = this.#take(16);
    return this.#buffer.toString('base64url', at, at + 16);
  }

  /** An unsigned number of up to 32 bits in groups of 7, the lowest first; at most 5 bytes. */
  readUnsignedVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#view.getUint8(this.#base + this.#take(1));
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    const last = this.#view.getUint8(this.#base + this.#take(1));
    if (last > 0x0f) throw this.malformed('a variable-length number does not fit 32 bits');
    return (value | (last << 28)) >>> 0;
  }

  /** A classic string: 2 bytes of length, -1 for null, then UTF-8. */
  readNullableString(): string | null {
    const length = this.readInt16();
    if (length < 0) return this.#nullLength(length);
    return this.#text(length);
  }

  /** A compact string: length + 1 as unsigned varint, 0 for null, then UTF-8. */
  readNullableCompactString(): string | null {
    const length = this.readUnsignedVarint() - 1;
    return length < 0 ? null : this.#text(length);
  }

  /** Classic bytes: 4 bytes of length, -1 for null. The result is a view of the frame. */
  readNullableBytes(): Buffer | null {
    const length = this.readInt32();
    if (length < 0) return this.#nullLength(length);
    return this.#bytes(length);
  }

  /** Compact bytes: length + 1 as unsigned varint, 0 for null. The result is a view of the frame. */
  readNullableCompactBytes(): Buffer | null {
    const length = this.readUnsignedVarint() - 1;
    return length < 0 ? null : this.#bytes(length);
  }

  /**
   * The count of a classic array, -1 for null, checked against what is left of the frame.
   *
   * @param minElementBytes the least number of bytes that one element takes, at least 1
   */
  readArrayCount(minElementBytes: number): number {
    const count = this.readInt32();
    if (count < 0) return this.#nullLength(count) ?? -1;
    return this.#checkedCount(count, minElementBytes);
  }

  /** The count of a compact array, -1 for null; see {@link ByteReader.readArrayCount}. */
  readCompactArrayCount(minElementBytes: number): number {
    const count = this.readUnsignedVarint() - 1;
    return count < 0 ? -1 : this.#checkedCount(count, minElementBytes);
  }

  /** Counts `count` elements against the budget of the message, before they are made. */
  takeElements(count: number): void {
    this.#elementsLeft -= count;
    if (this.#elementsLeft < 0) {
      throw this.malformed(`a message may have at most ${this.#maxElements} array elements`);
    }
  }

  /** Passes over `count` bytes. */
  skip(count: number): void {
    this.#take(count);
  }

  /**
   * Narrows the frame to the next `count` bytes, for a tagged field, and returns what
   * {@link ByteReader.leave} needs to widen it again.
   */
  enter(count: number): number {
    if (count > this.remaining) throw this.#truncated(count);
    const outer = this.#end;
    this.#end = this.#position + count;
    return outer;
  }

  /** Ends what {@link ByteReader.enter} began; all of the bytes must have been read. */
  leave(outer: number): void {
    if (this.#position !== this.#end) {
      throw this.malformed(`${this.remaining} bytes are left over inside a tagged field`);
    }
    this.#end = outer;
  }

  /** An error that names the position at which `reason` was found. */
  malformed(reason: string): MalformedMessageError {
    return new MalformedMessageError(`${reason} (before byte ${this.#position} of the frame)`);
  }

  #take(count: number): number {
    const at = this.#position;
    if (count > this.#end - at) throw this.#truncated(count);
    this.#position = at + count;
    return at;
  }

  #text(length: number): string {
    return strings.decode(this.#buffer, this.#take(length), length);
  }

  #bytes(length: number): Buffer {
    const at = this.#take(length);
    return this.#buffer.subarray(at, at + length);
  }

  #nullLength(length: number): null {
    if (length === -1) return null;
    throw this.malformed(`a length of ${length} is neither a length nor null (-1)`);
  }

  #checkedCount(count: number, minElementBytes: number): number {
    if (count * minElementBytes <= this.remaining) return count;
    throw this.malformed(
      `an array of ${count} elements of at least ${minElementBytes} bytes was announced, ${this.remaining} bytes are left`,
    );
  }

  #truncated(count: number): MalformedMessageError {
    return this.malformed(`${count} bytes were expected, ${this.remaining} are left`);
  }
}
