// Hot path where the addon is missing: slicing by 16, four aligned words of input a step.
import { endianness } from 'node:os';

/** Castagnoli's polynomial, bits reversed. */
const POLYNOMIAL = 0x82f63b78;
const SLICES = 16;
const WORDS_PER_STEP = SLICES / 4;

const TABLES = makeTables();
const wordsOf = new WeakMap<ArrayBufferLike, Int32Array>();
// Int32Array reads in the machine's order; the tables are laid out for little-endian words.
const readsWords = endianness() === 'LE';

/**
 * CRC-32C by this package's own code: what `crc32c` is where the addon is missing. For comparison.
 *
 * @param seed the result for the bytes before these, to go on from. Default: 0, the start
 */
export function crc32cFallback(bytes: Uint8Array, seed = 0): number {
  let crc = ~seed;
  let at = 0;
  if (readsWords && bytes.length >= 2 * SLICES) {
    // The head up to the next aligned word, then whole steps, then the tail byte by byte.
    at = (4 - (bytes.byteOffset & 3)) & 3;
    crc = byteByByte(bytes, 0, at, crc);
    const steps = Math.floor((bytes.length - at) / SLICES);
    const firstWord = (bytes.byteOffset + at) / 4;
    crc = stepByStep(words(bytes.buffer), firstWord, firstWord + steps * WORDS_PER_STEP, crc);
    at += steps * SLICES;
  }
  return ~byteByByte(bytes, at, bytes.length, crc) >>> 0;
}

function byteByByte(bytes: Uint8Array, from: number, to: number, start: number): number {
  const t = TABLES;
  let crc = start;
  for (let at = from; at < to; at += 1) {
    crc = (crc >>> 8) ^ (t[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  }
  return crc;
}

// Every index is below a length: the caller counts whole steps, and each table has 256 entries.
function stepByStep(input: Int32Array, from: number, to: number, start: number): number {
  const t = TABLES;
  let crc = start;
  for (let at = from; at < to; at += WORDS_PER_STEP) {
    const a = (input[at] as number) ^ crc;
    const b = input[at + 1] as number;
    const c = input[at + 2] as number;
    const d = input[at + 3] as number;
    crc =
      (t[0xf00 + (a & 0xff)] as number) ^
      (t[0xe00 + ((a >>> 8) & 0xff)] as number) ^
      (t[0xd00 + ((a >>> 16) & 0xff)] as number) ^
      (t[0xc00 + (a >>> 24)] as number) ^
      (t[0xb00 + (b & 0xff)] as number) ^
      (t[0xa00 + ((b >>> 8) & 0xff)] as number) ^
      (t[0x900 + ((b >>> 16) & 0xff)] as number) ^
      (t[0x800 + (b >>> 24)] as number) ^
      (t[0x700 + (c & 0xff)] as number) ^
      (t[0x600 + ((c >>> 8) & 0xff)] as number) ^
      (t[0x500 + ((c >>> 16) & 0xff)] as number) ^
      (t[0x400 + (c >>> 24)] as number) ^
      (t[0x300 + (d & 0xff)] as number) ^
      (t[0x200 + ((d >>> 8) & 0xff)] as number) ^
      (t[0x100 + ((d >>> 16) & 0xff)] as number) ^
      (t[d >>> 24] as number);
  }
  return crc;
}

/** One array for each ArrayBuffer, as making one costs as much as the CRC of 100 bytes. */
function words(buffer: ArrayBufferLike): Int32Array {
  let array = wordsOf.get(buffer);
  if (array === undefined) {
    array = new Int32Array(buffer, 0, Math.floor(buffer.byteLength / 4));
    wordsOf.set(buffer, array);
  }
  return array;
}

function makeTables(): Int32Array {
  const tables = new Int32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    tables[byte] = crc;
  }
  for (let at = 256; at < tables.length; at += 1) {
    const previous = tables[at - 256] ?? 0;
    tables[at] = (previous >>> 8) ^ (tables[previous & 0xff] ?? 0);
  }
  return tables;
}
