import { UnencodableValueError } from './errors.ts';
import { UUID_TEXT_LENGTH } from './uuid.ts';

const TWO_32 = 0x1_0000_0000;
const MAX_UINT32 = 0xffff_ffff;
const SLAB_BYTES = 8 * 1024;
const SCATTER_FROM_BYTES = 1024;
/** Up to this length a loop over the characters is faster than two calls into native code. */
const SHORT_TEXT = 40;
const EMPTY = Buffer.alloc(0);

/** Record data to be written: one piece, or pieces that follow one another on the wire. */
export type RecordsPayload = Buffer | readonly Buffer[];

/** What a writer has made: pieces for one gathered write (`writev`), in order. */
export interface EncodedFrame {
  /** The pieces. Record data is among them as it was given, not copied. */
  readonly chunks: Buffer[];
  /** Sum of the lengths of all chunks, in bytes. */
  readonly bytes: number;
}

/**
 * A growing output with a method for every primitive type of the protocol. Large record data is not
 * copied: it becomes a chunk of its own, so it must stay unchanged until the frame has been sent.
 *
 * One writer makes frame after frame: {@link ByteWriter.finish} hands the chunks over to the caller
 * and goes on behind them in the same slab of memory. All numbers are checked against their type's
 * range ({@link UnencodableValueError}).
 *
 * Hot path: one `DataView` per slab, no allocation per number.
 */
export class ByteWriter {
  #slab: Buffer = EMPTY;
  #view: DataView = new DataView(EMPTY.buffer, 0, 0);
  #capacity = 0;
  #start = 0;
  #position = 0;
  #chunks: Buffer[] = [];
  #chunkBytes = 0;
  #sizedDepth = 0;

  /** How many bytes the current frame has so far. */
  get bytes(): number {
    return this.#chunkBytes + this.#position - this.#start;
  }

  /** Drops the current frame. */
  reset(): void {
    this.#position = this.#start;
    this.#chunks = [];
    this.#chunkBytes = 0;
    this.#sizedDepth = 0;
  }

  /** Ends the current frame, hands it over and begins the next. */
  finish(): EncodedFrame {
    this.#flush();
    const frame = { chunks: this.#chunks, bytes: this.#chunkBytes };
    this.#chunks = [];
    this.#chunkBytes = 0;
    // The memory of a large frame goes with it, so that small ones behind it do not hold it.
    if (this.#capacity > SLAB_BYTES) this.#use(EMPTY);
    return frame;
  }

  /**
   * Ends the current frame like {@link ByteWriter.finish} and puts its size, without these four bytes,
   * into its first four bytes, which must have been written as a placeholder.
   */
  finishSized(): EncodedFrame {
    const frame = this.finish();
    frame.chunks[0]?.writeInt32BE(frame.bytes - 4, 0);
    return frame;
  }

  /** One byte, 0 or 1. */
  writeBoolean(value: boolean): void {
    const at = this.#take(1);
    this.#view.setUint8(at, value ? 1 : 0);
  }

  /** A signed byte. */
  writeInt8(value: number): void {
    if ((value << 24) >> 24 !== value) throw outOfRange('int8', value);
    const at = this.#take(1);
    this.#view.setInt8(at, value);
  }

  /** A signed number of 2 bytes. */
  writeInt16(value: number): void {
    if ((value << 16) >> 16 !== value) throw outOfRange('int16', value);
    const at = this.#take(2);
    this.#view.setInt16(at, value);
  }

  /** An unsigned number of 2 bytes. */
  writeUint16(value: number): void {
    if ((value & 0xffff) !== value) throw outOfRange('uint16', value);
    const at = this.#take(2);
    this.#view.setUint16(at, value);
  }

  /** A signed number of 4 bytes. */
  writeInt32(value: number): void {
    if ((value | 0) !== value) throw outOfRange('int32', value);
    const at = this.#take(4);
    this.#view.setInt32(at, value);
  }

  /** An unsigned number of 4 bytes. */
  writeUint32(value: number): void {
    if (value >>> 0 !== value) throw outOfRange('uint32', value);
    const at = this.#take(4);
    this.#view.setUint32(at, value);
  }

  /**
   * A signed number of 8 bytes from a safe integer. `MAX_SAFE_INTEGER` is written as Java's
   * `Long.MAX_VALUE` and `MIN_SAFE_INTEGER` as `Long.MIN_VALUE`, since that is what they stand for
   * when read.
   */
  writeInt64(value: number): void {
    if (!Number.isSafeInteger(value)) throw outOfRange('int64', value);
    const at = this.#take(8);
    if (value === Number.MAX_SAFE_INTEGER) {
      this.#view.setInt32(at, 0x7fff_ffff);
      this.#view.setUint32(at + 4, MAX_UINT32);
    } else if (value === Number.MIN_SAFE_INTEGER) {
      this.#view.setUint32(at, 0x8000_0000);
      this.#view.setUint32(at + 4, 0);
    } else {
      const high = Math.floor(value / TWO_32);
      this.#view.setInt32(at, high);
      this.#view.setUint32(at + 4, value - high * TWO_32);
    }
  }

  /** An IEEE 754 double. */
  writeFloat64(value: number): void {
    if (typeof value !== 'number') throw outOfRange('float64', value);
    const at = this.#take(8);
    this.#view.setFloat64(at, value);
  }

  /** The 16 bytes of a uuid given as 22 characters of URL-safe base64. */
  writeUuid(value: string): void {
    const at = this.#take(16);
    if (value.length === UUID_TEXT_LENGTH && this.#slab.write(value, at, 16, 'base64url') === 16) {
      return;
    }
    throw new UnencodableValueError(
      `expected a uuid of ${UUID_TEXT_LENGTH} characters of URL-safe base64, got ${JSON.stringify(value)}`,
    );
  }

  /** An unsigned number of up to 32 bits in groups of 7, the lowest first. */
  writeUnsignedVarint(value: number): void {
    if (value >>> 0 !== value) throw outOfRange('unsigned varint', value);
    let at = this.#take(varintBytes(value));
    let rest = value;
    while (rest > 0x7f) {
      this.#view.setUint8(at++, (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.#view.setUint8(at, rest);
  }

  /** A classic string: 2 bytes of length, -1 for null, then UTF-8. At most 32,767 bytes. */
  writeNullableString(value: string | null): void {
    if (value === null) {
      this.writeInt16(-1);
      return;
    }
    const bytes = utf8Bytes(value);
    this.writeInt16(bytes);
    this.#text(value, bytes);
  }

  /** A compact string: length + 1 as unsigned varint, 0 for null, then UTF-8. */
  writeNullableCompactString(value: string | null): void {
    if (value === null) {
      this.writeUnsignedVarint(0);
      return;
    }
    const bytes = utf8Bytes(value);
    this.writeUnsignedVarint(bytes + 1);
    this.#text(value, bytes);
  }

  /** Classic bytes: 4 bytes of length, -1 for null, then a copy of `value`. */
  writeNullableBytes(value: Uint8Array | null): void {
    if (value === null) {
      this.writeInt32(-1);
      return;
    }
    this.writeInt32(value.byteLength);
    this.writeRaw(value);
  }

  /** Compact bytes: length + 1 as unsigned varint, 0 for null, then a copy of `value`. */
  writeNullableCompactBytes(value: Uint8Array | null): void {
    if (value === null) {
      this.writeUnsignedVarint(0);
      return;
    }
    this.writeUnsignedVarint(value.byteLength + 1);
    this.writeRaw(value);
  }

  /** Classic records: as classic bytes, but 1 KiB and more are referred to, not copied. */
  writeNullableRecords(value: RecordsPayload | null): void {
    if (value === null) {
      this.writeInt32(-1);
      return;
    }
    this.writeInt32(payloadBytes(value));
    this.#payload(value);
  }

  /** Compact records: as compact bytes, but 1 KiB and more are referred to, not copied. */
  writeNullableCompactRecords(value: RecordsPayload | null): void {
    if (value === null) {
      this.writeUnsignedVarint(0);
      return;
    }
    this.writeUnsignedVarint(payloadBytes(value) + 1);
    this.#payload(value);
  }

  /** The count of a classic array; -1 for null. */
  writeArrayCount(count: number): void {
    this.writeInt32(count);
  }

  /** The count of a compact array; -1 for null. */
  writeCompactArrayCount(count: number): void {
    this.writeUnsignedVarint(count + 1);
  }

  /** A copy of `value`, without any length. */
  writeRaw(value: Uint8Array): void {
    const at = this.#take(value.byteLength);
    this.#slab.set(value, at);
  }

  /**
   * Begins a piece whose size in bytes precedes it as an unsigned varint, and returns what
   * {@link ByteWriter.endSized} needs. Inside it nothing is referred to, everything is copied.
   */
  beginSized(): number {
    this.#sizedDepth++;
    this.#take(1);
    return this.#position - this.#start;
  }

  /** Ends what {@link ByteWriter.beginSized} began. */
  endSized(mark: number): void {
    this.#sizedDepth--;
    const size = this.#position - this.#start - mark;
    const extra = varintBytes(size) - 1;
    if (extra > 0) {
      this.#take(extra);
      const from = this.#start + mark;
      this.#slab.copyWithin(from + extra, from, from + size);
    }
    const end = this.#position;
    this.#position = this.#start + mark - 1;
    this.writeUnsignedVarint(size);
    this.#position = end;
  }

  #text(value: string, bytes: number): void {
    const at = this.#take(bytes);
    if (bytes !== value.length) {
      this.#slab.write(value, at, bytes, 'utf8');
    } else if (bytes > SHORT_TEXT) {
      this.#slab.write(value, at, bytes, 'latin1');
    } else {
      for (let index = 0; index < bytes; index++) {
        this.#view.setUint8(at + index, value.charCodeAt(index));
      }
    }
  }

  #payload(value: RecordsPayload): void {
    if (Buffer.isBuffer(value)) this.#piece(value);
    else for (const piece of value) this.#piece(piece);
  }

  #piece(piece: Buffer): void {
    if (piece.byteLength < SCATTER_FROM_BYTES || this.#sizedDepth > 0) {
      this.writeRaw(piece);
      return;
    }
    this.#flush();
    this.#chunks.push(piece);
    this.#chunkBytes += piece.byteLength;
  }

  #flush(): void {
    if (this.#position === this.#start) return;
    this.#chunks.push(this.#slab.subarray(this.#start, this.#position));
    this.#chunkBytes += this.#position - this.#start;
    this.#start = this.#position;
  }

  #take(count: number): number {
    if (count > this.#capacity - this.#position) this.#grow(count);
    const at = this.#position;
    this.#position = at + count;
    return at;
  }

  #use(slab: Buffer): void {
    this.#slab = slab;
    this.#capacity = slab.byteLength;
    this.#view = new DataView(slab.buffer, slab.byteOffset, slab.byteLength);
    this.#start = 0;
    this.#position = 0;
  }

  /** Moves the unfinished piece to a slab with room for `count` more bytes. */
  #grow(count: number): void {
    const pending = this.#position - this.#start;
    const slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, (pending + count) * 2));
    this.#slab.copy(slab, 0, this.#start, this.#position);
    this.#use(slab);
    this.#position = pending;
  }
}

function payloadBytes(value: RecordsPayload): number {
  if (Buffer.isBuffer(value)) return value.byteLength;
  let sum = 0;
  for (const piece of value) sum += piece.byteLength;
  return sum;
}

function utf8Bytes(value: string): number {
  if (value.length > SHORT_TEXT) return Buffer.byteLength(value, 'utf8');
  for (let index = 0; index < value.length; index++) {
    if (value.charCodeAt(index) > 0x7f) return Buffer.byteLength(value, 'utf8');
  }
  return value.length;
}

function varintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  return value < 0x1000_0000 ? 4 : 5;
}

function outOfRange(type: string, value: unknown): UnencodableValueError {
  return new UnencodableValueError(
    `expected a number in the range of ${type}, got ${String(value)}`,
  );
}
