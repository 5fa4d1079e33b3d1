import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  VarintReader,
  varintBytes,
  varlongBytes,
  writeVarint,
  writeVarlong,
} from '../src/index.ts';
import { hex, reasonOf } from './fixtures.ts';

function readerOf(bytes: Uint8Array): VarintReader {
  const reader = new VarintReader();
  reader.reset(bytes, 0, bytes.length);
  return reader;
}

// Protocol buffers' encoding of sint32 and sint64.
const KNOWN: readonly [number, string][] = [
  [0, '00'],
  [-1, '01'],
  [1, '02'],
  [-2, '03'],
  [63, '7e'],
  [-64, '7f'],
  [64, '8001'],
  [-65, '8101'],
  [300, 'd804'],
  [2147483647, 'feffffff0f'],
  [-2147483648, 'ffffffff0f'],
];
const KNOWN_LONG: readonly [number, string][] = [
  [2147483648, '8080808010'],
  [-2147483649, '8180808010'],
  [1_700_000_000_000, '80a0abfef962'],
  [Number.MAX_SAFE_INTEGER, 'feffffffffffff1f'],
  [Number.MIN_SAFE_INTEGER, 'fdffffffffffff1f'],
];

test.each(KNOWN)('%i is %s as varint and as varlong', (value, encoded) => {
  const bytes = hex(encoded);
  expect(readerOf(bytes).varint()).toBe(value);
  expect(readerOf(bytes).varlong()).toBe(value);
  expect(varintBytes(value)).toBe(bytes.length);
  const target = Buffer.alloc(bytes.length);
  expect(writeVarint(target, 0, value)).toBe(bytes.length);
  expect(target).toEqual(bytes);
});

test.each(KNOWN_LONG)('%i is %s as varlong', (value, encoded) => {
  const bytes = hex(encoded);
  expect(readerOf(bytes).varlong()).toBe(value);
  expect(varlongBytes(value)).toBe(bytes.length);
  const target = Buffer.alloc(bytes.length);
  expect(writeVarlong(target, 0, value)).toBe(bytes.length);
  expect(target).toEqual(bytes);
});

/** The encoding by its definition, in arbitrary precision. */
function encodeExactly(value: number): Buffer {
  const n = BigInt(value);
  let rest = n >= 0n ? n * 2n : -n * 2n - 1n;
  const bytes: number[] = [];
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

test('any safe integer is written as its definition says, and read back', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const expected = encodeExactly(value);
      const bytes = Buffer.alloc(10);
      const end = writeVarlong(bytes, 0, value);
      expect(bytes.subarray(0, end)).toEqual(expected);
      expect(varlongBytes(value)).toBe(end);
      expect(readerOf(bytes).varlong()).toBe(value);
    }),
  );
});

test('any int32 is written as its definition says, and read back', () => {
  fc.assert(
    fc.property(fc.integer(), (value) => {
      const expected = encodeExactly(value);
      const bytes = Buffer.alloc(5);
      const end = writeVarint(bytes, 0, value);
      expect(bytes.subarray(0, end)).toEqual(expected);
      expect(varintBytes(value)).toBe(end);
      expect(readerOf(bytes).varint()).toBe(value);
    }),
  );
});

describe('hostile bytes', () => {
  test('a number that does not end within its range is refused', () => {
    const bytes = hex('8080808080808080808080');
    for (let end = 0; end < 10; end += 1) {
      const reader = new VarintReader();
      reader.reset(bytes, 0, end);
      expect(reasonOf(() => reader.varlong())).toBe('record');
      reader.reset(bytes, 0, Math.min(end, 4));
      expect(reasonOf(() => reader.varint())).toBe('record');
    }
  });

  test('more bits than the type has are refused', () => {
    for (const encoded of ['ffffffff1f', '808080808000', 'ffffffffff0f']) {
      expect(reasonOf(() => readerOf(hex(encoded)).varint())).toBe('record');
    }
    for (const encoded of ['ffffffffffffffffff02', '80808080808080808080 00']) {
      expect(reasonOf(() => readerOf(hex(encoded)).varlong())).toBe('record');
    }
  });

  test('an int64 beyond the safe integers is refused, not rounded', () => {
    for (const encoded of [
      'ffffffffffffffffff01',
      'feffffffffffffffff01',
      '8080808080808020',
      'ffffffffffffff1f',
    ]) {
      expect(reasonOf(() => readerOf(hex(encoded)).varlong())).toBe('number-range');
    }
  });

  test('a range outside of the bytes is refused', () => {
    const reader = new VarintReader();
    expect(() => reader.reset(Buffer.alloc(4), 0, 5)).toThrow(RangeError);
    expect(() => reader.reset(Buffer.alloc(4), 3, 2)).toThrow(RangeError);
    expect(() => reader.reset(Buffer.alloc(4), -1, 2)).toThrow(RangeError);
  });
});
