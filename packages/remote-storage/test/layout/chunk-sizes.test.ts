import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRemoteStorageError } from '../../src/index.ts';
import {
  chunkSizesText,
  decodeChunkSizes,
  encodeChunkSizes,
  MAX_CHUNK_SIZES_BYTES,
  MAX_LISTED_CHUNKS,
  parseChunkSizesText,
} from '../../src/layout/chunk-sizes.ts';

const MAX_INT32 = 2_147_483_647;
const corrupt = expect.objectContaining({ kind: 'corrupt' });
const size = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 0, max: 70_000 }),
  fc.integer({ min: 0, max: MAX_INT32 }),
);

test('any list of sizes is read back', () => {
  fc.assert(
    fc.property(fc.array(size, { maxLength: 50 }), (sizes) => {
      expect([...decodeChunkSizes(encodeChunkSizes(sizes))]).toEqual(sizes);
      expect([...parseChunkSizesText(chunkSizesText(sizes))]).toEqual(sizes);
    }),
  );
});

test.each([
  [0xff, 1],
  [0x1_00, 2],
  [0xff_ff, 2],
  [0x1_00_00, 3],
  [0xff_ff_ff, 3],
  [0x1_00_00_00, 4],
  [MAX_INT32 - 7, 4],
])('a range of %i takes %i bytes a size', (range, width) => {
  const bytes = encodeChunkSizes([7, 7 + range, 1]);
  expect(bytes).toHaveLength(4 + 4 + 1 + 2 * width + 4);
  expect(bytes[8]).toBe(width);
  expect([...decodeChunkSizes(bytes)]).toEqual([7, 7 + range, 1]);
});

test('bytes that are no list are corrupt, whatever they are', () => {
  const mangled = fc
    .tuple(fc.array(size, { maxLength: 8 }), fc.uint8Array({ maxLength: 12 }), fc.nat())
    .map(([sizes, noise, at]) => {
      const bytes = Buffer.from(encodeChunkSizes(sizes));
      const cut = at % (bytes.byteLength + 1);
      return Buffer.concat([bytes.subarray(0, cut), noise, bytes.subarray(cut + noise.byteLength)]);
    });
  fc.assert(
    fc.property(mangled, (bytes) => {
      let sizes: readonly number[];
      try {
        sizes = [...decodeChunkSizes(bytes)];
      } catch (error) {
        expect(isRemoteStorageError(error) && error.kind === 'corrupt').toBe(true);
        return;
      }
      expect(sizes.every((found) => found >= 0 && found <= MAX_INT32)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['no bytes', ''],
  ['three bytes', '000000'],
  ['a count that is negative', 'ffffffff'],
  ['a count of 2^31 - 1 and no sizes', '7fffffff0000000001'],
  ['a byte after an empty list', '0000000000'],
  ['a byte after one size', '00000001000000d500'],
  ['a width of 0', '0000000200000000000000000a'],
  ['a width of 5', '00000002000000000500000000000000000a'],
  ['a base that is negative', '00000002ffffffff01000000000a'],
  ['a last size that is negative', '00000001ffffffff'],
  ['a size beyond 2^31 - 1', '000000027fffffff0101' + '0000000a'],
])('%s is corrupt', (_, text) => {
  expect(() => decodeChunkSizes(Buffer.from(text, 'hex'))).toThrow(corrupt);
});

test.each([-1, 0.5, MAX_INT32 + 1, Number.NaN])('a size of %s is never written', (wrong) => {
  expect(() => encodeChunkSizes([wrong, 1])).toThrow(corrupt);
  expect(() => encodeChunkSizes([1, wrong])).toThrow(corrupt);
});

test('a list that would take more than 10 MiB is refused before the memory is taken', () => {
  const bomb = zstdCompressSync(Buffer.alloc(MAX_CHUNK_SIZES_BYTES + 1));
  expect(bomb.byteLength).toBeLessThan(2_000);
  expect(() => parseChunkSizesText(bomb.toString('base64'))).toThrow(/at most 10485760/);
  const huge = Buffer.from('28b52ffde0ffffffffffff0000010000', 'hex');
  expect(() => parseChunkSizesText(huge.toString('base64'))).toThrow(corrupt);
});

test('as many chunks as are ever written fit, whatever their sizes', () => {
  const widest = 4 + 4 + 1 + (MAX_LISTED_CHUNKS - 1) * 4 + 4;
  expect(widest).toBeLessThanOrEqual(MAX_CHUNK_SIZES_BYTES);
});

test("a frame that does not tell its size is refused, as by Aiven's plugin", () => {
  const list = encodeChunkSizes([10, 20, 30]);
  const raw = Buffer.concat([
    Buffer.from('28b52ffd0058', 'hex'),
    Buffer.of((list.byteLength << 3) | 1, 0, 0),
    list,
  ]);
  expect(() => parseChunkSizesText(raw.toString('base64'))).toThrow(/does not tell its size/);
});
