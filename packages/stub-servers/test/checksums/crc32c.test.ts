import { seededRandom } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { crc32c, crcToBase64 } from '../../src/checksums/crc32c.ts';

/** A bit at a time, as the polynomial is defined. */
function bitByBit(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

describe('CRC-32C', () => {
  test.each([
    ['', 0],
    ['123456789', 0xe3069283],
    ['\0'.repeat(32), 0x8a9136aa],
    ['\xff'.repeat(32), 0x62a8ab43],
  ])('of %j is the published value', (text, expected) => {
    expect(crc32c(Buffer.from(text, 'latin1'))).toBe(expected);
  });

  test('is that of the definition for every length and alignment', () => {
    const bytes = seededRandom(7).fill(new Uint8Array(100));
    for (let from = 0; from < 9; from += 1) {
      for (let to = from; to <= bytes.length; to += 1) {
        expect(crc32c(bytes.subarray(from, to))).toBe(bitByBit(bytes.subarray(from, to)));
      }
    }
  });

  test('goes on from the bytes before', () => {
    const bytes = seededRandom(8).fill(new Uint8Array(300));
    for (const cut of [0, 1, 7, 8, 123, 300]) {
      expect(crc32c(bytes.subarray(cut), crc32c(bytes.subarray(0, cut)))).toBe(crc32c(bytes));
    }
  });

  test('is written as base64, the highest byte first', () => {
    expect(crcToBase64(0xe3069283)).toBe('4waSgw==');
    expect(crcToBase64(0)).toBe('AAAAAA==');
  });
});
