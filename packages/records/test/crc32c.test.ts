import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptedCrc32c, crc32c, crc32cImplementation } from '../src/crc32c.ts';
import { crc32cFallback } from '../src/crc32c-fallback.ts';
import { loadOptionalPackage } from '../src/optional-package.ts';

const IMPLEMENTATIONS = [
  ['chosen', crc32c],
  ['fallback', crc32cFallback],
] as const;

// RFC 3720, B.4, and the check value of the CRC catalogue.
const KNOWN: readonly [string, Buffer, number][] = [
  ['no bytes', Buffer.alloc(0), 0],
  ['the digits 1 to 9', Buffer.from('123456789'), 0xe3069283],
  ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
  ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['32 ascending bytes', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
  ['32 descending bytes', Buffer.from(Array.from({ length: 32 }, (_, i) => 31 - i)), 0x113fdb5c],
];

test.each(IMPLEMENTATIONS)('the %s implementation gives the published answers', (_, crc) => {
  for (const [name, bytes, answer] of KNOWN) expect([name, crc(bytes)]).toEqual([name, answer]);
});

test('both implementations agree on any bytes, at any alignment, from any seed', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 400 }),
      fc.nat({ max: 7 }),
      fc.integer({ min: 0, max: 0xffffffff }),
      (content, shift, seed) => {
        const slab = Buffer.allocUnsafeSlow(content.length + shift);
        slab.set(content, shift);
        const bytes = slab.subarray(shift);
        expect(crc32cFallback(bytes, seed)).toBe(crc32c(bytes, seed));
      },
    ),
  );
});

test.each(IMPLEMENTATIONS)('the %s implementation goes on from the result so far', (_, crc) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 200 }), (bytes, cut) => {
      const at = Math.min(cut, bytes.length);
      expect(crc(bytes.subarray(at), crc(bytes.subarray(0, at)))).toBe(crc(bytes));
    }),
  );
});

test('the fallback reads an array that ends within a word of a longer buffer', () => {
  const slab = new Uint8Array(103).fill(7);
  for (let end = 40; end <= 103; end += 1) {
    const bytes = slab.subarray(1, end);
    expect(crc32cFallback(bytes)).toBe(crc32c(Buffer.from(bytes)));
  }
});

test('where the addon is installed, it is the one that computes', () => {
  expect(crc32cImplementation()).toBe(
    loadOptionalPackage('@node-rs/crc32') === undefined ? 'javascript' : 'native',
  );
});

test('an addon that is missing, broken, or of another polynomial is not accepted', () => {
  expect(loadOptionalPackage('@node-rs/no-such-package')).toBeUndefined();
  expect(acceptedCrc32c(undefined)).toBeUndefined();
  expect(acceptedCrc32c({})).toBeUndefined();
  expect(acceptedCrc32c({ crc32c: crc32 })).toBeUndefined();
  expect(acceptedCrc32c({ crc32c: 'not a function' })).toBeUndefined();
  // Right for a whole, and deaf to the seed.
  expect(acceptedCrc32c({ crc32c: (bytes: Uint8Array) => crc32cFallback(bytes) })).toBeUndefined();
  expect(acceptedCrc32c({ crc32c: crc32cFallback })).toBe(crc32cFallback);
});
