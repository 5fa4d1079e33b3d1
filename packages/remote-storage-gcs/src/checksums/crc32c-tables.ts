// Hot path: every byte that is stored may go through it. Slicing by 8; no object is made per call.

/** Castagnoli's polynomial, bits reversed. */
const POLYNOMIAL = 0x82f63b78;
const SLICES = 8;

const TABLES = makeTables();

/**
 * CRC-32C of `bytes` without native code.
 *
 * @param seed the result for the bytes before these
 */
export function crc32cByTables(bytes: Uint8Array, seed = 0): number {
  const t = TABLES;
  let crc = ~seed;
  let at = 0;
  // Every index is below a length: whole steps of 8 bytes, and each table has 256 entries.
  for (const end = bytes.length - (bytes.length % SLICES); at < end; at += SLICES) {
    const low =
      crc ^
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24));
    crc =
      (t[0x700 + (low & 0xff)] as number) ^
      (t[0x600 + ((low >>> 8) & 0xff)] as number) ^
      (t[0x500 + ((low >>> 16) & 0xff)] as number) ^
      (t[0x400 + (low >>> 24)] as number) ^
      (t[0x300 + (bytes[at + 4] as number)] as number) ^
      (t[0x200 + (bytes[at + 5] as number)] as number) ^
      (t[0x100 + (bytes[at + 6] as number)] as number) ^
      (t[bytes[at + 7] as number] as number);
  }
  for (; at < bytes.length; at += 1) {
    crc = (crc >>> 8) ^ (t[(crc ^ (bytes[at] as number)) & 0xff] as number);
  }
  return ~crc >>> 0;
}

/** Table k (at 256 k) advances the CRC of a byte by k further bytes. */
function makeTables(): Int32Array {
  const tables = new Int32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    tables[byte] = crc;
  }
  for (let at = 256; at < tables.length; at += 1) {
    const before = tables[at - 256] as number;
    tables[at] = (before >>> 8) ^ (tables[before & 0xff] as number);
  }
  return tables;
}
