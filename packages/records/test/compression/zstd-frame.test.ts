import { constants, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measureZstdFrame } from '../../src/compression/zstd-frame.ts';
import { hex, reasonOf } from '../fixtures.ts';

test('a frame is measured to the byte, whatever follows it, and knows its content', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 400 }),
      fc.integer({ min: 1, max: 2000 }),
      fc.boolean(),
      fc.uint8Array({ maxLength: 20 }),
      (piece, times, hasChecksum, rest) => {
        const content = Buffer.concat(Array.from({ length: times }, () => piece));
        const frame = zstdCompressSync(content, {
          params: { [constants.ZSTD_c_checksumFlag]: hasChecksum ? 1 : 0 },
        });
        const measured = measureZstdFrame(Buffer.concat([Buffer.alloc(5), frame, rest]), 5);
        expect(measured.end).toBe(5 + frame.length);
        expect(measured.possibleBytes).toBeGreaterThanOrEqual(content.length);
        expect(measured.declaredBytes ?? content.length).toBe(content.length);
      },
    ),
    { numRuns: 50 },
  );
});

test('content sizes of one, two, four and eight bytes are read', () => {
  const emptyLastBlock = '010000';
  const declared = (text: string) =>
    measureZstdFrame(hex(`28b52ffd ${text} ${emptyLastBlock}`), 0).declaredBytes;
  expect(declared('20 07')).toBe(7);
  expect(declared('60 0100')).toBe(257);
  expect(declared('a0 00000100')).toBe(65_536);
  expect(declared('e0 0000000001000000')).toBe(2 ** 32);
  // With a window, and a dictionary id of four bytes.
  expect(declared('03 58 01020304')).toBeUndefined();
});

test('runs count with their length, and take one byte', () => {
  // A last block of type run: 65,536 times "a".
  expect(measureZstdFrame(hex('28b52ffd 00 58 030008 61'), 0)).toEqual({
    end: 10,
    isSkippable: false,
    declaredBytes: undefined,
    possibleBytes: 65_536,
  });
});

test.each([
  ['another magic', '27b52ffd 20 00 010000'],
  ['a block of the reserved type', '28b52ffd 20 00 070000'],
  ['a block past the end', '28b52ffd 20 00 410000 61'],
  ['no last block', '28b52ffd 20 00 000000'],
  ['a checksum past the end', '28b52ffd 24 00 010000 ffffff'],
  ['a skippable frame past the end', '502a4d18 05000000 00000000'],
])('%s is corrupt', (_, encoded) => {
  expect(reasonOf(() => measureZstdFrame(hex(encoded), 0))).toBe('compressed-data');
});
