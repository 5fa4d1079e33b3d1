import { seededRandom } from '@logloft/clock';
import { seededBytes } from '@logloft/remote-storage-testkit';
import { expect, test } from 'vitest';
import { acceptedCrc32c, crc32c, crcToBase64 } from '../src/checksums/crc32c.ts';
import { crc32cByTables } from '../src/checksums/crc32c-tables.ts';

// RFC 3720, B.4, and the check value of the CRC catalogue.
const KNOWN: readonly (readonly [Uint8Array, number])[] = [
  [Buffer.from('123456789'), 0xe3069283],
  [Buffer.alloc(32), 0x8a9136aa],
  [Buffer.alloc(32, 0xff), 0x62a8ab43],
  [Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
  [Buffer.alloc(0), 0],
];

test.each([
  ['whichever is installed', crc32c],
  ['the tables', crc32cByTables],
])('the published values hold for %s', (_, sum) => {
  for (const [bytes, expected] of KNOWN) expect(sum(bytes)).toBe(expected);
});

test('a checksum goes on from where it was, however the bytes are cut', () => {
  const random = seededRandom(7);
  for (let round = 0; round < 50; round += 1) {
    const bytes = seededBytes(round, random.nextUint32() % 5_000);
    const at = bytes.byteLength === 0 ? 0 : random.nextUint32() % bytes.byteLength;
    const whole = crc32cByTables(bytes);
    expect(crc32cByTables(bytes.subarray(at), crc32cByTables(bytes.subarray(0, at)))).toBe(whole);
    expect(crc32c(bytes.subarray(at), crc32c(bytes.subarray(0, at)))).toBe(whole);
  }
});

test('an addon that computes something else is not used', () => {
  expect(acceptedCrc32c(undefined)).toBeUndefined();
  expect(acceptedCrc32c({ crc32c: () => 0 })).toBeUndefined();
  expect(acceptedCrc32c({ crc32c: 'no function' })).toBeUndefined();
  expect(acceptedCrc32c({ crc32c: crc32cByTables })).toBe(crc32cByTables);
});

test('the store writes a checksum as base64, the highest byte first', () => {
  expect(crcToBase64(0xe3069283)).toBe('4waSgw==');
});
