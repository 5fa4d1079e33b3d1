// Hot path: the numbers inside records. A varint is zig-zag encoded (0, -1, 1, -2, … become 0, 1, 2,
// 3, …) in groups of 7 bits, the lowest first, each byte but the last with its highest bit set.
import { viewOf } from './byte-view.ts';
import { CorruptBatchError } from './errors.ts';

const TWO_TO_27 = 2 ** 27;
const TWO_TO_55 = 2 ** 55;

/** Reads varints one after the other, and never past the end that it was given. */
export class VarintReader {
  #view: DataView = new DataView(new ArrayBuffer(0));
  #base = 0;
  /** Position of the next byte, in `bytes`. */
  at = 0;
  /** Position after the last byte that may be read. */
  end = 0;

  /** Goes to `bytes[at, end)`; the range must lie within `bytes`. */
  reset(bytes: Uint8Array, at: number, end: number): void {
    if (at < 0 || at > end || end > bytes.length) {
      throw new RangeError(`Expected a range within ${bytes.length} bytes, got ${at} to ${end}`);
    }
    this.#view = viewOf(bytes);
    this.#base = bytes.byteOffset;
    this.at = at;
    this.end = end;
  }

  /** One byte, signed. */
  int8(): number {
    return (this.#byte() << 24) >> 24;
  }

  /**
   * An int32.
   *
   * @throws CorruptBatchError with reason `record` when it is cut, or longer than an int32 can be
   */
  varint(): number {
    let byte = this.#byte();
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = this.#byte();
      // Of the fifth byte, four bits fit.
      if (shift === 28 && byte > 0x0f) throw tooLong('int32');
      value |= (byte & 0x7f) << shift;
    }
    return (value >>> 1) ^ -(value & 1);
  }

  /**
   * An int64 that is a safe integer.
   *
   * @throws CorruptBatchError with reason `record` when it is cut or longer than an int64 can be,
   *   and with `number-range` when it is no safe integer
   */
  varlong(): number {
    let byte = this.#byte();
    let low = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && shift < 28; shift += 7) {
      byte = this.#byte();
      low |= (byte & 0x7f) << shift;
    }
    const magnitude = (low >>> 1) + (byte >= 0x80 ? this.#varlongRest() : 0);
    const value = (low & 1) === 0 ? magnitude : -magnitude - 1;
    if (Number.isSafeInteger(value)) return value;
    throw new CorruptBatchError('number-range', 'A number in a record is beyond 2^53');
  }

  /** The bytes from the fifth on, as what they add once the lowest bit is shifted out. */
  #varlongRest(): number {
    let byte = 0x80;
    let middle = 0;
    for (let shift = 0; byte >= 0x80 && shift < 28; shift += 7) {
      byte = this.#byte();
      middle |= (byte & 0x7f) << shift;
    }
    let high = 0;
    if (byte >= 0x80) {
      byte = this.#byte();
      high = byte & 0x7f;
      if (byte >= 0x80) {
        // Of the tenth byte, one bit fits.
        byte = this.#byte();
        if (byte > 1) throw tooLong('int64');
        high |= byte << 7;
      }
    }
    return middle * TWO_TO_27 + high * TWO_TO_55;
  }

  #byte(): number {
    if (this.at >= this.end) {
      throw new CorruptBatchError('record', `A record ends within a number, at byte ${this.at}`);
    }
    const byte = this.#view.getUint8(this.#base + this.at);
    this.at += 1;
    return byte;
  }
}

function tooLong(type: string): CorruptBatchError {
  return new CorruptBatchError('record', `A number in a record is longer than an ${type} can be`);
}

/** Bytes that {@link writeVarint} takes for an int32. */
export function varintBytes(value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 7;
  let bytes = 1;
  for (; rest !== 0; rest >>>= 7) bytes += 1;
  return bytes;
}

/** Bytes that {@link writeVarlong} takes for a safe integer. */
export function varlongBytes(value: number): number {
  if ((value | 0) === value) return varintBytes(value);
  let rest = value < 0 ? -value - 1 : value;
  let bytes = 1;
  // The lowest bit is the sign, so the first byte holds six of the magnitude's.
  for (rest = Math.floor(rest / 64); rest > 0; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
}

/** Writes an int32 at `at`, where there must be room for it, and returns the position after it. */
export function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let rest = (value << 1) ^ (value >> 31);
  let to = at;
  for (; (rest & ~0x7f) !== 0; rest >>>= 7) {
    bytes[to] = (rest & 0x7f) | 0x80;
    to += 1;
  }
  bytes[to] = rest;
  return to + 1;
}

/** Writes a safe integer at `at`, where there must be room, and returns the position after it. */
export function writeVarlong(bytes: Uint8Array, at: number, value: number): number {
  if ((value | 0) === value) return writeVarint(bytes, at, value);
  const magnitude = value < 0 ? -value - 1 : value;
  let byte = ((magnitude % 64) << 1) | (value < 0 ? 1 : 0);
  let rest = Math.floor(magnitude / 64);
  let to = at;
  while (rest > 0) {
    bytes[to] = byte | 0x80;
    to += 1;
    byte = rest % 128;
    rest = Math.floor(rest / 128);
  }
  bytes[to] = byte;
  return to + 1;
}
