import { expect, test } from 'vitest';
import { collectBytes, type RemoteStorageError } from '../../src/index.ts';
import type { LogRange } from '../../src/read/chunk-stream.ts';
import {
  bytesOf,
  CHUNK,
  cachedReader,
  plainLog,
  readerOf,
  seededBytes,
  storedLog,
} from './log-fixture.ts';

const LOG = seededBytes(1, 20 * CHUNK + 500);

function ofLog({ start, length }: LogRange, log: Uint8Array = LOG): Uint8Array {
  return log.slice(start, start + length);
}

test('a range inside a chunk, over chunks and to the end is what the log has there', async () => {
  for (const [name, layout] of [
    ['plain', plainLog(LOG)],
    ['transformed', storedLog(LOG, { padding: (index) => index % 3 })],
  ] as const) {
    const setUp = readerOf();
    const log = setUp.add(name, layout);
    for (const range of [
      { start: 0, length: 1 },
      { start: 999, length: 2 },
      { start: 1_234, length: 5_678 },
      { start: 20 * CHUNK, length: 500 },
      { start: 0, length: LOG.byteLength },
    ]) {
      expect(await bytesOf(setUp, log, range)).toEqual(ofLog(range));
    }
    expect(setUp.memory.stats().grantedBytes).toBe(0);
    expect(setUp.store.open).toBe(0);
    expect(setUp.clock.pendingTimers).toBe(0);
  }
});

test('neighbouring chunks come by one request, as long as it is not too long', async () => {
  const setUp = readerOf({ coalesceBytes: 4 * CHUNK });
  const log = setUp.add('a', plainLog(LOG));
  await bytesOf(setUp, log, { start: 2_500, length: 6_000 });
  expect(setUp.store.asked).toEqual([
    { key: 'a', start: 2_000, end: 5_999 },
    { key: 'a', start: 6_000, end: 8_999 },
  ]);
});

test('a chunk larger than a request should be is still one request', async () => {
  const setUp = readerOf({ coalesceBytes: 10 });
  const log = setUp.add('a', plainLog(LOG));
  expect(await bytesOf(setUp, log, { start: 10, length: 20 })).toEqual(LOG.slice(10, 30));
  expect(setUp.store.asked).toEqual([{ key: 'a', start: 0, end: 999 }]);
});

test('what is cached is not asked for again, and splits the request around it', async () => {
  const setUp = cachedReader();
  const log = setUp.add('a', storedLog(LOG));
  await bytesOf(setUp, log, { start: 3_100, length: 100 });
  await bytesOf(setUp, log, { start: 3_000, length: 1_000 });
  expect(setUp.store.asked).toHaveLength(1);
  expect(await bytesOf(setUp, log, { start: 1_500, length: 4_000 })).toEqual(
    LOG.slice(1_500, 5_500),
  );
  expect(setUp.store.asked.slice(1)).toEqual([
    { key: 'a', start: 1_001, end: 3_002 },
    { key: 'a', start: 4_004, end: 6_005 },
  ]);
});

test('reading forward in small ranges costs one request for the read unit of the store (136, S14)', async () => {
  const setUp = cachedReader({ readUnitBytes: 4 * CHUNK });
  const log = setUp.add('a', plainLog(LOG));
  for (let start = 0; start < LOG.byteLength; start += 100) {
    const range = { start, length: Math.min(100, LOG.byteLength - start) };
    expect(await bytesOf(setUp, log, range)).toEqual(ofLog(range));
  }
  expect(setUp.store.asked.length).toBe(6);
  const { storeBytes, deliveredBytes } = setUp.reader.counters;
  expect(deliveredBytes).toBe(LOG.byteLength);
  expect(storeBytes).toBe(LOG.byteLength);
});

test('twenty consumers of the same data cost the requests of one (136)', async () => {
  const setUp = cachedReader({ memoryBytes: 1_000 * CHUNK });
  setUp.store.trouble = () => ({ waitMs: 10 });
  const log = setUp.add('a', storedLog(LOG));
  const whole = { start: 0, length: LOG.byteLength };
  const reads = Array.from({ length: 20 }, () => bytesOf(setUp, log, whole));
  await setUp.clock.advanceAsync(1_000);
  for (const bytes of await Promise.all(reads)) expect(bytes).toEqual(LOG);
  expect(setUp.store.asked).toHaveLength(2);
});

test('overlapping ranges never load a chunk twice at a time', async () => {
  const setUp = readerOf();
  setUp.store.trouble = () => ({ waitMs: 10 });
  const log = setUp.add('a', plainLog(LOG));
  const ranges = [
    { start: 2_000, length: 3_000 },
    { start: 1_500, length: 2_000 },
    { start: 4_100, length: 3_000 },
  ];
  const reads = ranges.map((range) => bytesOf(setUp, log, range));
  await setUp.clock.advanceAsync(1_000);
  expect(await Promise.all(reads)).toEqual(ranges.map((range) => ofLog(range)));
  expect(setUp.store.asked).toEqual([
    { key: 'a', start: 2_000, end: 4_999 },
    { key: 'a', start: 1_000, end: 1_999 },
    { key: 'a', start: 5_000, end: 7_999 },
  ]);
});

test('ten readers interleaved over a cache of two chunks all advance, and the thrashing is counted (S10)', async () => {
  const setUp = cachedReader({
    cacheChunks: 2,
    memoryBytes: 20 * (CHUNK + 1),
    coalesceBytes: CHUNK,
  });
  const logs = Array.from({ length: 10 }, (_, index) => setUp.add(`log-${index}`, storedLog(LOG)));
  const positions = logs.map(() => 0);
  for (let round = 0; round < 60; round += 1) {
    const reads = logs.map(async (log, index) => {
      const range = { start: positions[index] ?? 0, length: 300 };
      expect(await bytesOf(setUp, log, range)).toEqual(ofLog(range));
      positions[index] = range.start + 300;
    });
    await Promise.all(reads);
  }
  expect(positions).toEqual(logs.map(() => 60 * 300));
  const { thrashed, entries } = setUp.cache.stats();
  expect(thrashed).toBeGreaterThan(20);
  expect(entries).toBeLessThanOrEqual(2);
  await setUp.cache.close();
  expect(setUp.memory.stats().grantedBytes).toBe(0);
});

test('a chunk that came damaged is loaded once more, and then it is corrupt', async () => {
  for (const lasting of [false, true]) {
    const setUp = cachedReader();
    setUp.store.trouble = () =>
      lasting || setUp.store.asked.length === 1 ? { kind: 'garble', afterBytes: 300 } : undefined;
    const log = setUp.add('a', storedLog(LOG));
    const reading = bytesOf(setUp, log, { start: 0, length: 100 });
    if (lasting) await expect(reading).rejects.toMatchObject({ kind: 'corrupt' });
    else expect(await reading).toEqual(LOG.slice(0, 100));
    expect(setUp.store.asked).toHaveLength(2);
    expect(setUp.cache.stats().entries).toBe(lasting ? 0 : 1);
  }
});

test('a damaged chunk fails those who want it, and not those who want its neighbours', async () => {
  const setUp = cachedReader();
  const layout = storedLog(LOG);
  const log = setUp.add('a', layout);
  layout.stored[1_500] = (layout.stored[1_500] ?? 0) ^ 1;
  const stream = await setUp.reader.read(log, { start: 0, length: 3_000 });
  const got: Uint8Array[] = [];
  const failure = await (async () => {
    for await (const piece of stream) got.push(Uint8Array.from(piece));
  })().catch((error: RemoteStorageError) => error.kind);
  expect(failure).toBe('corrupt');
  expect(Buffer.concat(got).equals(LOG.slice(0, 1_000))).toBe(true);
  expect(await bytesOf(setUp, log, { start: 2_000, length: 900 })).toEqual(LOG.slice(2_000, 2_900));
});

test('what is forgotten while it is loaded answers who waits, and is not kept', async () => {
  const setUp = cachedReader();
  setUp.store.trouble = () => ({ waitMs: 100 });
  const log = setUp.add('a', plainLog(LOG));
  const reading = bytesOf(setUp, log, { start: 0, length: 10 });
  await setUp.clock.advanceAsync(50);
  setUp.reader.forget('a');
  const other = seededBytes(2, LOG.byteLength);
  const anew = setUp.add('a', plainLog(other));
  const second = bytesOf(setUp, anew, { start: 0, length: 10 });
  await setUp.clock.advanceAsync(200);
  await reading;
  expect(await second).toEqual(other.slice(0, 10));
  expect(setUp.store.asked).toHaveLength(2);
  expect(await bytesOf(setUp, anew, { start: 5, length: 10 })).toEqual(other.slice(5, 15));
  setUp.reader.forget('a');
  expect(setUp.cache.stats().entries).toBe(0);
});

test('the pacer admits what is delivered, cached or not', async () => {
  const setUp = cachedReader();
  const log = setUp.add('a', plainLog(LOG));
  for (let round = 0; round < 2; round += 1) {
    let admitted = 0;
    let progress = 0;
    const options = {
      pacer: {
        take: async (bytes: number): Promise<void> => {
          admitted += bytes;
        },
      },
      onProgress: (bytes: number): void => {
        progress += bytes;
      },
    };
    const stream = await setUp.reader.read(log, { start: 50, length: 2_000 }, options);
    expect(await collectBytes(stream, 2_000)).toEqual(LOG.slice(50, 2_050));
    expect([admitted, progress]).toEqual([2_000, 2_000]);
  }
});
