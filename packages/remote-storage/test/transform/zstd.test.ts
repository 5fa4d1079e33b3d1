import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { seededRandom } from '@logloft/clock';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRemoteStorageError } from '../../src/index.ts';
import { compressFrame, decompressFrame, maxFrameBytes } from '../../src/transform/zstd.ts';
import { readZstdFrame } from '../../src/transform/zstd-frame.ts';

const SIZES = [0, 1, 255, 256, 65_535, 65_536, 65_537, 65_791, 65_792, 1_000_003, 4_194_304];

const noise = (length: number): Uint8Array => seededRandom(length).fill(new Uint8Array(length));
const text = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * index) % 61);

test.each(SIZES)(
  'a frame of %i bytes tells its size, has no checksum, and is one frame',
  async (size) => {
    for (const plain of [text(size), noise(size)]) {
      const frame = await compressFrame(plain);
      expect(readZstdFrame(frame).contentBytes).toBe(size);
      expect((frame[4] ?? 0xff) & 0x07).toBe(0);
      expect(frame.byteLength).toBeLessThanOrEqual(maxFrameBytes(size));
      // What any other decoder makes of it.
      expect(Buffer.compare(zstdDecompressSync(frame), plain)).toBe(0);
      expect(Buffer.compare(await decompressFrame(frame, size), plain)).toBe(0);
    }
  },
);

test('a frame is that of the default level, and the same each time', async () => {
  const plain = text(300_000);
  const frame = await compressFrame(plain);
  expect(await compressFrame(plain)).toEqual(frame);
  const params = { [constants.ZSTD_c_compressionLevel]: 3 };
  expect(zstdCompressSync(plain, { params })).toEqual(frame);
});

const PLAIN = text(5_000);
const FRAME = zstdCompressSync(PLAIN);
const withChecksum = zstdCompressSync(PLAIN, {
  params: { [constants.ZSTD_c_checksumFlag]: 1 },
});
const withoutSize = zstdCompressSync(PLAIN, {
  params: { [constants.ZSTD_c_contentSizeFlag]: 0 },
});

test('frames of other writers are read: with a checksum, and without a size', async () => {
  expect(readZstdFrame(withoutSize).contentBytes).toBeUndefined();
  expect(Buffer.compare(await decompressFrame(withChecksum, 5_000), PLAIN)).toBe(0);
  expect(Buffer.compare(await decompressFrame(withoutSize, 5_000), PLAIN)).toBe(0);
});

const corrupt = { kind: 'corrupt' };

test.each([
  ['two frames', Buffer.concat([FRAME, FRAME])],
  ['a byte after the frame', Buffer.concat([FRAME, Buffer.of(0)])],
  ['a byte before the frame', Buffer.concat([Buffer.of(0), FRAME])],
  ['a skippable frame', Buffer.from('502a4d18' + '00000000', 'hex')],
  ['nothing', Buffer.alloc(0)],
  ['a cut checksum', withChecksum.subarray(0, -1)],
  ['a turned checksum', Buffer.concat([withChecksum.subarray(0, -1), Buffer.of(1)])],
  ['a frame that needs a dictionary', Buffer.from('28b52ffd2101000100000007', 'hex')],
  ['a reserved bit', Buffer.from('28b52ffd280109000007', 'hex')],
  ['a reserved block', Buffer.from('28b52ffd20010f000007', 'hex')],
])('%s is corrupt', async (_, bytes) => {
  await expect(decompressFrame(bytes, 5_000)).rejects.toMatchObject(corrupt);
});

test.each([4_999, 5_001, 0])(
  'a frame of 5000 bytes where %i are promised is corrupt',
  async (promised) => {
    await expect(decompressFrame(FRAME, promised)).rejects.toMatchObject(corrupt);
    await expect(decompressFrame(withoutSize, promised)).rejects.toMatchObject(corrupt);
  },
);

test('a frame cut at any byte is corrupt', async () => {
  for (let length = 0; length < FRAME.byteLength; length += 1) {
    await expect(decompressFrame(FRAME.subarray(0, length), 5_000)).rejects.toMatchObject(corrupt);
  }
});

test('a frame that claims a window of gigabytes is refused', async () => {
  const claims = Uint8Array.from(withoutSize);
  claims[5] = 0xf8;
  expect(readZstdFrame(claims).windowBytes).toBe(2 ** 41);
  await expect(decompressFrame(claims, 5_000)).rejects.toMatchObject(corrupt);
});

test('any damage gives as many bytes as promised, or is corrupt', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(FRAME.byteLength - 1),
      fc.integer({ min: 1, max: 255 }),
      async (at, flip) => {
        const damaged = Uint8Array.from(FRAME);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        const outcome = await decompressFrame(damaged, 5_000).catch((error: unknown) => error);
        if (outcome instanceof Uint8Array) expect(outcome).toHaveLength(5_000);
        else expect(isRemoteStorageError(outcome) && outcome.kind).toBe('corrupt');
      },
    ),
    { numRuns: 300 },
  );
});

test('chunks that do not compress leave no memory to pile up', async () => {
  const plain = seededRandom(5).fill(new Uint8Array(1024 * 1024));
  const frames: ArrayBufferLike[] = [];
  for (let count = 0; count < 8; count += 1) {
    const frame = await compressFrame(plain);
    // It lies where zlib put it, in memory of its own: a copy would leave that to the collector.
    expect(frame.buffer.byteLength).toBeGreaterThan(frame.byteLength);
    expect(frame.buffer.byteLength).toBeLessThan(maxFrameBytes(plain.byteLength) + 1_000);
    expect(frame.byteLength).toBeGreaterThan(plain.byteLength);
    frames.push(frame.buffer);
    expect(Buffer.compare(await decompressFrame(frame, plain.byteLength), plain)).toBe(0);
  }
  expect(new Set(frames).size).toBe(8);
});
