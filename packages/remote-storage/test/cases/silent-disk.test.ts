import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { expect, onTestFinished, test } from 'vitest';
import { ChunkBytes } from '../../src/cache/chunk-bytes.ts';
import type { ChunkCache } from '../../src/cache/chunk-cache.ts';
import { ObjectStoreRemoteStorage } from '../../src/index.ts';
import { diskSetUp } from '../cache/disk/disk-fixture.ts';
import { forEver, MapObjectStore } from '../map-object-store.ts';
import { bytesOf, CHUNK, plainLog, readerOf, seededBytes } from '../read/log-fixture.ts';
import { manualContext } from '../segment-fixture.ts';

const LOG = seededBytes(8, 10 * CHUNK);
const TIMEOUT_MS = 1_000;

/** Says that it has every chunk, and answers some of the questions for them, or none. */
function silentCache(answers: (index: number) => boolean): ChunkCache & { asked: number } {
  return {
    asked: 0,
    maxBytes: 100 * CHUNK,
    has: () => true,
    get({ index }): Promise<ChunkBytes | undefined> {
      this.asked += 1;
      if (!answers(index)) return new Promise(() => undefined);
      const bytes = Buffer.from(LOG.subarray(index * CHUNK, (index + 1) * CHUNK));
      return Promise.resolve(new ChunkBytes(bytes, bytes.byteLength, () => undefined));
    },
    put: () => undefined,
    forget: () => undefined,
    stats: () => {
      throw new Error('nobody asks');
    },
    close: async () => undefined,
  };
}

// S6 and S8: reads had no bound of their own, and a cache was in their way.
test('a disk that does not answer holds a reader up once, and then the store is read', async () => {
  const clock = new ManualClock();
  const cache = silentCache(() => false);
  const setUp = readerOf({ clock, cache, timeoutMs: TIMEOUT_MS, maxWindowBytes: 0 });
  const log = setUp.add('a', plainLog(LOG));
  const reading = bytesOf(setUp, log, { start: 0, length: LOG.byteLength });
  reading.catch(() => undefined);
  await clock.advanceAsync(TIMEOUT_MS + 1);
  expect(await Promise.race([reading, Promise.resolve('still waiting')])).toEqual(LOG);
  expect(cache.asked).toBe(1);
  expect(setUp.store.asked.length).toBeGreaterThan(0);
  expect(clock.pendingTimers).toBe(0);
});

test('one that falls silent in the middle of a read is done without from there on', async () => {
  const clock = new ManualClock();
  const cache = silentCache((index) => index < 4);
  const setUp = readerOf({ clock, cache, timeoutMs: TIMEOUT_MS, maxWindowBytes: 0 });
  const log = setUp.add('a', plainLog(LOG));
  const reading = bytesOf(setUp, log, { start: 10, length: LOG.byteLength - 10 });
  reading.catch(() => undefined);
  await clock.advanceAsync(TIMEOUT_MS + 1);
  expect(await Promise.race([reading, Promise.resolve('still waiting')])).toEqual(LOG.slice(10));
  expect(cache.asked).toBe(5);
  expect(setUp.store.asked[0]).toMatchObject({ start: 4 * CHUNK });
});

// S8: the path of the cache seemed to be ignored, since nothing was there before the first read.
test('a cache on disk has its directory and its size of 0 from the start', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'logloft-cases-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const directory = join(parent, 'not', 'there', 'yet');
  const context = manualContext();
  const metrics = new MetricsRegistry({ clock: context.clock });
  const cache = { chunkCachePath: directory, chunkCache: 'disk', chunkCacheBytes: 10_000 } as const;
  const options = { chunkBytes: CHUNK, cache };
  const store = new MapObjectStore({ readUnitBytes: 4_000 });
  const storage = new ObjectStoreRemoteStorage(store, options, { ...context, metrics });
  const named = { group: 'chunk-cache-metrics', name: 'cache-size-total', description: '' };
  expect(metrics.metric(metrics.metricName(named))?.value(0)).toBe(0);
  // Closing waits for what was begun at the start.
  await storage.close();
  expect((await stat(directory)).isDirectory()).toBe(true);
});

test('a cache on a disk that does not answer can be closed', async () => {
  const { open, clock } = await diskSetUp();
  const cache = open({
    files: {
      makeDirectory: () => forEver(),
      list: () => forEver(),
      open: () => forEver(),
      rename: () => forEver(),
      remove: () => forEver(),
    },
  });
  let isClosed = false;
  void cache.close().then(() => {
    isClosed = true;
  });
  await clock.advanceAsync(60_000);
  expect(isClosed).toBe(true);
  expect(clock.pendingTimers).toBe(0);
});
