import { seededRandom, systemClock } from '@logloft/clock';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource, type SegmentSource } from '../../src/index.ts';
import type { ChunkPlaces } from '../../src/layout/chunk-places.ts';
import { storedLog } from '../../src/layout/stored-log.ts';
import { KeyRing } from '../../src/transform/key-ring.ts';
import { SegmentCipher } from '../../src/transform/segment-cipher.ts';
import { SegmentDecoder } from '../../src/transform/segment-decoder.ts';
import { SegmentEncryptor } from '../../src/transform/segment-encryptor.ts';
import { allOf, KEY_PAIRS } from '../layout/fixed-encryptor.ts';

const KEY_RING = new KeyRing({ keyPairs: KEY_PAIRS, activeKeyPairId: 'k1' });
const NO_LIMIT = 2_147_483_647;

interface Case {
  readonly seed: number;
  readonly logBytes: number;
  readonly chunkBytes: number;
  readonly pieceBytes: number;
  readonly isCompressed: boolean;
  readonly isEncrypted: boolean;
}

const cases = fc.record<Case>({
  seed: fc.nat(),
  logBytes: fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 1_500 })),
  chunkBytes: fc.oneof(fc.constantFrom(1, 100, 500), fc.integer({ min: 1, max: 2_000 })),
  pieceBytes: fc.integer({ min: 1, max: 500 }),
  isCompressed: fc.boolean(),
  isEncrypted: fc.boolean(),
});

function logOf({ seed, logBytes }: Case): Uint8Array {
  const random = seededRandom(seed);
  return Uint8Array.from({ length: logBytes }, () => random.nextUint32() % 5);
}

// In pieces whose memory is used over and over, as that of a file is.
function slicedSource(bytes: Uint8Array, pieceBytes: number): SegmentSource {
  return {
    size: bytes.byteLength,
    async *read({ start, end = bytes.byteLength - 1 }): AsyncGenerator<Uint8Array, void, void> {
      const buffer = new Uint8Array(pieceBytes);
      for (let at = start; at <= end; at += pieceBytes) {
        const piece = bytes.subarray(at, Math.min(at + pieceBytes, end + 1));
        buffer.set(piece);
        yield buffer.subarray(0, piece.byteLength);
        buffer.fill(0xee);
      }
    },
  };
}

function storedOf(
  what: Case,
  source: SegmentSource,
): ReturnType<typeof storedLog> & {
  readonly decoder: SegmentDecoder;
} {
  const { chunkBytes, isCompressed, isEncrypted, seed } = what;
  const encryptor = isEncrypted
    ? new SegmentEncryptor(KEY_RING, seededRandom(seed + 1))
    : undefined;
  const { dataKey, aad } = encryptor?.encryption ?? {};
  const cipher =
    dataKey === undefined || aad === undefined
      ? undefined
      : new SegmentCipher(KEY_RING.unwrap(dataKey, 'the manifest'), aad);
  const decoder = new SegmentDecoder({ clock: systemClock, isCompressed, cipher });
  return { ...storedLog(source, { chunkBytes, isCompressed, encryptor }, NO_LIMIT), decoder };
}

async function decoded(
  stored: Uint8Array,
  places: ChunkPlaces,
  decoder: SegmentDecoder,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let index = 0; index < places.count; index += 1) {
    const place = places.at(index);
    const bytes = stored.subarray(place.storedStart, place.storedStart + place.storedBytes);
    chunks.push(await decoder.chunk(bytes, { ...place, key: 'the log' }));
  }
  return Buffer.concat(chunks);
}

test('whatever is done to a log, its chunks are where the index says, and give it back', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (what) => {
      const log = logOf(what);
      const { source, chunkIndex, decoder } = storedOf(what, slicedSource(log, what.pieceBytes));
      const stored = await allOf(source);
      const places = chunkIndex();
      expect(places.storedBytes).toBe(stored.byteLength);
      expect(places.originalBytes).toBe(log.byteLength);
      if (source.sizeIsBound) expect(stored.byteLength).toBeLessThanOrEqual(source.size);
      else expect(stored.byteLength).toBe(source.size);
      expect(Buffer.compare(await decoded(stored, places, decoder), log)).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('read again, in whole or in part, a stored log has the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.nat(), fc.nat(), async (what, from, length) => {
      const { source } = storedOf(what, slicedSource(logOf(what), what.pieceBytes));
      const stored = await allOf(source);
      expect(Buffer.compare(await allOf(source), stored)).toBe(0);
      if (stored.byteLength === 0) return;
      const start = from % stored.byteLength;
      const end = start + (length % stored.byteLength);
      const part = await allOf(source, start, end);
      expect(Buffer.compare(part, stored.subarray(start, end + 1))).toBe(0);
    }),
    { numRuns: 40 },
  );
});

test('no piece is longer than 1 MiB, and none that is encrypted longer than 256 KiB', async () => {
  const log = seededRandom(1).fill(new Uint8Array(5_000_000));
  for (const isCompressed of [false, true]) {
    for (const isEncrypted of [false, true]) {
      const what = { seed: 1, logBytes: 0, chunkBytes: 4_000_000, pieceBytes: 1_000_000 };
      const { source } = storedOf({ ...what, isCompressed, isEncrypted }, memorySource(log));
      for await (const piece of source.read({ start: 0 })) {
        expect(piece.byteLength).toBeLessThanOrEqual((isEncrypted ? 256 : 1024) * 1024);
      }
    }
  }
});

const CASE: Case = {
  seed: 1,
  logBytes: 1_000,
  chunkBytes: 300,
  pieceBytes: 100,
  isCompressed: true,
  isEncrypted: true,
};

test.each([true, false])(
  'a log that gives more or fewer bytes than it promises is corrupt (compressed: %s)',
  async (isCompressed) => {
    const log = logOf(CASE);
    for (const size of [999, 1_001, 700, 1_300]) {
      const lying: SegmentSource = { ...slicedSource(log, 100), size };
      const deaf: SegmentSource = { ...lying, read: () => lying.read({ start: 0, end: 999 }) };
      const { source } = storedOf({ ...CASE, isCompressed }, deaf);
      await expect(allOf(source)).rejects.toMatchObject({ kind: 'corrupt' });
    }
  },
);

test('the chunks of a log that was not read to its end are not known', async () => {
  const { source, chunkIndex } = storedOf(CASE, slicedSource(logOf(CASE), 100));
  expect(chunkIndex).toThrow(expect.objectContaining({ kind: 'corrupt' }));
  for await (const piece of source.read({ start: 0 })) if (piece.byteLength > 0) break;
  expect(chunkIndex).toThrow(expect.objectContaining({ kind: 'corrupt' }));
  const stored = await allOf(source);
  expect(chunkIndex().storedBytes).toBe(stored.byteLength);
});

test('a compressed log that outgrows what an object can hold ends there', async () => {
  const log = seededRandom(1).fill(new Uint8Array(10_000));
  const how = { chunkBytes: 1_000, isCompressed: true };
  const { source } = storedLog(memorySource(log), how, 5_000);
  expect(source.size).toBe(5_000);
  await expect(allOf(source)).rejects.toMatchObject({
    kind: 'invalid-configuration',
    message: expect.stringContaining('lower segment.bytes'),
  });
});

test('at most two chunks are read ahead of what is taken', async () => {
  let given = 0;
  const log = seededRandom(1).fill(new Uint8Array(100_000));
  const counting: SegmentSource = {
    size: log.byteLength,
    async *read(): AsyncGenerator<Uint8Array, void, void> {
      for (let at = 0; at < log.byteLength; at += 500) {
        given = at + 500;
        yield log.subarray(at, at + 500);
      }
    },
  };
  const { source } = storedOf({ ...CASE, chunkBytes: 1_000 }, counting);
  let ivs = 0;
  for await (const piece of source.read({ start: 0 })) {
    if (piece.byteLength !== 12) continue;
    ivs += 1;
    expect(given).toBeLessThanOrEqual((ivs + 1) * 1_000);
  }
  expect(ivs).toBe(100);
});

test('a reading ends with its signal, and with the failure of its source', async () => {
  const controller = new AbortController();
  const reason = new Error('no longer the leader');
  const what = { ...CASE, chunkBytes: 200_000, logBytes: 0 };
  const log = seededRandom(1).fill(new Uint8Array(1_000_000));
  const { source } = storedOf(what, slicedSource(log, 50_000));
  const reading = (async () => {
    for await (const piece of source.read({ start: 0 }, { signal: controller.signal })) {
      if (piece.byteLength > 100) controller.abort(reason);
    }
  })();
  await expect(reading).rejects.toBe(reason);
  const failing: SegmentSource = {
    size: 1_000,
    // biome-ignore lint/correctness/useYield: it fails before its first piece, that is its point.
    async *read(): AsyncGenerator<Uint8Array, void, void> {
      throw Object.assign(new Error('gone'), { code: 'ENOENT' });
    },
  };
  for (const isCompressed of [true, false]) {
    const broken = storedOf({ ...CASE, isCompressed }, failing).source;
    await expect(allOf(broken)).rejects.toMatchObject({ kind: 'corrupt' });
  }
});

test('each copy has a key, an AAD and vectors of its own', () => {
  const random = seededRandom(1);
  const encryptors = Array.from({ length: 20 }, () => new SegmentEncryptor(KEY_RING, random));
  const seen = new Set<string>();
  for (const encryptor of encryptors) {
    const { dataKey, aad } = encryptor.encryption;
    const chunks = encryptor.chunks(50);
    seen.add(Buffer.from(KEY_RING.unwrap(dataKey, 'the manifest')).toString('hex'));
    seen.add(Buffer.from(aad).toString('hex'));
    for (let index = 0; index < 50; index += 1) {
      seen.add(Buffer.from(chunks.iv(index)).toString('hex'));
    }
  }
  expect(seen.size).toBe(20 * 52);
});

test('the memory of a piece is given back when the next is asked for, so that none piles up', async () => {
  const log = seededRandom(1).fill(new Uint8Array(2_000_000));
  for (const isCompressed of [false, true]) {
    const what = { ...CASE, chunkBytes: 700_000, isCompressed };
    const { source } = storedOf(what, memorySource(log));
    let last: Uint8Array | undefined;
    let large = 0;
    for await (const piece of source.read({ start: 0 })) {
      if (last !== undefined && last.byteLength > 0)
        expect(last.byteLength).toBeLessThan(128 * 1024);
      if (piece.byteLength >= 128 * 1024) large += 1;
      last = piece;
    }
    expect(large).toBeGreaterThanOrEqual(6);
  }
});
