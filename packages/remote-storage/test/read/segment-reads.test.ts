import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MetricsRegistry } from '@logloft/metrics';
import { expect, onTestFinished, test } from 'vitest';
import {
  collectBytes,
  INDEX_TYPES,
  type LayoutOptions,
  ObjectStoreRemoteStorage,
  RemoteStorageError,
} from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { DATA, LOG, MAIN_PATH, manualContext, SEGMENT } from '../segment-fixture.ts';

const LOG_KEY = `${MAIN_PATH}.log`;

/** A segment in a store across a network, and the requests that reading it costs. */
async function remote(options: LayoutOptions = {}, store?: MapObjectStore) {
  const given = store ?? new MapObjectStore({ readUnitBytes: 4_000 });
  const context = { ...manualContext(), metrics: undefined as MetricsRegistry | undefined };
  context.metrics = new MetricsRegistry({ clock: context.clock });
  const storage = new ObjectStoreRemoteStorage(given, { chunkBytes: 1_000, ...options }, context);
  if (store === undefined) await storage.copyLogSegmentData(SEGMENT, DATA);
  const gets = (): string[] => given.calls.filter((call) => call.startsWith('get '));
  const read = async (start: number, end: number): Promise<Uint8Array> =>
    await collectBytes(await storage.fetchLogSegment(SEGMENT, { start, end }), LOG.byteLength);
  given.calls.length = 0;
  return { store: given, storage, context, gets, read };
}

test('reading a segment forward in small ranges costs one request for the read unit, and one for the manifest', async () => {
  const { read, gets, storage } = await remote();
  for (let start = 0; start < LOG.byteLength; start += 250) {
    expect(await read(start, start + 249)).toEqual(LOG.slice(start, start + 250));
  }
  expect(gets().filter((call) => call === `get ${LOG_KEY}`).length).toBeLessThanOrEqual(4);
  expect(storage.cacheStats().reads.storeBytes).toBe(LOG.byteLength);
  await storage.close();
  expect(storage.cacheStats().chunkMemoryBytes).toBe(0);
});

test('small ranges of a plain segment in a near store are asked for as they are', async () => {
  const near = new MapObjectStore();
  const writer = await remote({}, near);
  await writer.storage.copyLogSegmentData(SEGMENT, DATA);
  near.calls.length = 0;
  const ranges: unknown[] = [];
  const original = near.get.bind(near);
  near.get = (key, range, options) => {
    ranges.push([key, range]);
    return original(key, range, options);
  };
  expect(await writer.read(10, 19)).toEqual(LOG.slice(10, 20));
  expect(ranges.at(-1)).toEqual([LOG_KEY, { start: 10, end: 19 }]);
  expect(writer.storage.cacheStats().reads.directRequests).toBe(0);
});

test('segments with chunks larger than the memory for reads are read all the same while they are plain', async () => {
  const store = new MapObjectStore({ readUnitBytes: 4_000 });
  const writer = await remote({ chunkBytes: 8_000 }, store);
  await writer.storage.copyLogSegmentData(SEGMENT, DATA);
  const cache = { readMemoryBytes: 4_000, chunkCacheBytes: 8_000 };
  const reader = await remote({ cache }, store);
  expect(await reader.read(100, 9_999)).toEqual(LOG.slice(100));
  const packer = await remote({ chunkBytes: 8_000, compressionEnabled: true }, store);
  await packer.storage.copyLogSegmentData(SEGMENT, DATA);
  const other = await remote({ cache }, store);
  await expect(other.read(0, 10)).rejects.toMatchObject({
    kind: 'invalid-configuration',
    message: expect.stringContaining('fetch.memory.size'),
  });
});

test('five index reads of a cold segment cost one request', async () => {
  const { storage, gets } = await remote();
  const all = await Promise.all(INDEX_TYPES.map((type) => storage.fetchIndex(SEGMENT, type)));
  expect(all.map((bytes) => bytes.byteLength)).toEqual([2, 3, 4, 1, 11]);
  expect(gets()).toHaveLength(2);
});

test('a segment that was deleted, or copied anew, leaves nothing in the caches', async () => {
  const { storage, read, store } = await remote();
  await read(0, 999);
  await storage.fetchIndex(SEGMENT, 'OFFSET');
  await storage.deleteLogSegmentData(SEGMENT);
  await expect(read(0, 999)).rejects.toMatchObject({ kind: 'not-found' });
  expect(storage.cacheStats()).toMatchObject({
    chunks: { entries: 0 },
    indexes: { entries: 0 },
    manifests: { entries: 0 },
  });
  await storage.copyLogSegmentData(SEGMENT, DATA);
  await read(0, 999);
  store.objects.set(
    LOG_KEY,
    LOG.map((byte) => byte ^ 1),
  );
  await storage.copyLogSegmentData(SEGMENT, DATA);
  expect(await read(0, 999)).toEqual(LOG.slice(0, 1_000));
});

test('an object that is gone is damage while its manifest is there, through the cache as well (S16)', async () => {
  const { read, store } = await remote();
  await read(0, 10);
  store.objects.delete(LOG_KEY);
  expect(await read(5, 15)).toEqual(LOG.slice(5, 16));
  await expect(read(9_000, 9_010)).rejects.toMatchObject({ kind: 'corrupt', key: LOG_KEY });
});

test('chunks on disk outlive the storage, and an altered one is read from the store again', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'logloft-reads-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const cache = { chunkCachePath: directory, chunkCacheBytes: 100_000 };
  const first = await remote({ cache });
  expect(await first.read(0, 9_999)).toEqual(LOG);
  await first.storage.close();
  expect(await readdir(directory)).toHaveLength(10);
  const second = await remote({ cache }, first.store);
  expect(await second.read(0, 9_999)).toEqual(LOG);
  expect(second.gets()).toHaveLength(1);
  expect(second.storage.cacheStats().chunks).toMatchObject({ hits: 10, misses: 0 });
  await second.storage.deleteLogSegmentData(SEGMENT);
  await second.storage.close();
  expect(await readdir(directory)).toHaveLength(0);
});

test('a manifest that does not come is a time-out after its own time, and is there for the next', async () => {
  const { storage, store, context, gets } = await remote({ cache: { manifestTimeoutMs: 300 } });
  store.intervene = () => new Promise<void>((resolve) => context.clock.setTimer(500, resolve));
  const first = storage.fetchIndex(SEGMENT, 'OFFSET');
  first.catch(() => undefined);
  await context.clock.advanceAsync(300);
  await expect(first).rejects.toMatchObject({ kind: 'timeout' });
  await context.clock.advanceAsync(200);
  store.intervene = () => undefined;
  await storage.fetchIndex(SEGMENT, 'OFFSET');
  expect(gets()).toHaveLength(2);
});

test('a failure that passes is repaired below, and the reader sees one clean stream', async () => {
  const { read, store, context } = await remote();
  let failures = 0;
  store.intervene = (operation, key) => {
    if (operation !== 'get' || key !== LOG_KEY || failures >= 2) return;
    failures += 1;
    throw new RemoteStorageError('throttled', 'slow down');
  };
  const reading = read(0, 9_999);
  await context.clock.advanceAsync(5_000);
  expect(await reading).toEqual(LOG);
});

test("metrics tell what reading cost under the names of Aiven's plugin, and go with the storage", async () => {
  const { read, storage, context } = await remote();
  await read(0, 99);
  await read(0, 99);
  await storage.fetchIndex(SEGMENT, 'OFFSET');
  const value = (group: string, name: string): unknown => {
    const { metrics } = context;
    return metrics?.metric(metrics.metricName({ group, name, description: '' }))?.value(0);
  };
  expect(value('chunk-cache-metrics', 'cache-hits-total')).toBe(1);
  expect(value('chunk-cache-metrics', 'cache-misses-total')).toBe(1);
  expect(value('chunk-cache-metrics', 'cache-size-total')).toBe(4);
  expect(value('segment-indexes-cache-metrics', 'cache-misses-total')).toBe(1);
  expect(value('segment-manifest-cache-metrics', 'cache-hits-total')).toBe(2);
  expect(value('segment-fetch-metrics', 'direct-requests-total')).toBe(1);
  expect(value('segment-fetch-metrics', 'delivered-bytes-total')).toBe(200);
  await storage.close();
  expect(value('chunk-cache-metrics', 'cache-hits-total')).toBeUndefined();
});
