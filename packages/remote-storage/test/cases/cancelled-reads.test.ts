import { getEventListeners } from 'node:events';
import { MetricsRegistry } from '@logloft/metrics';
import { expect, test } from 'vitest';
import { type LayoutOptions, ObjectStoreRemoteStorage } from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { DATA, LOG, manualContext, SEGMENT } from '../segment-fixture.ts';

/** A segment in a slow store across a network, and whatever is logged above debug. */
async function slowStorage(options: LayoutOptions = {}) {
  const store = new MapObjectStore({ readUnitBytes: 4_000 });
  const { clock, random } = manualContext();
  const said: string[] = [];
  const say = (message: string, fields: unknown): void => {
    said.push(`${message} ${JSON.stringify(fields)}`);
  };
  const logger = { debug: () => undefined, info: say, warn: say, error: say };
  const metrics = new MetricsRegistry({ clock });
  const context = { clock, random, logger, metrics };
  const storage = new ObjectStoreRemoteStorage(store, { chunkBytes: 1_000, ...options }, context);
  await storage.copyLogSegmentData(SEGMENT, DATA);
  store.intervene = (_operation, _key, signal) =>
    new Promise<void>((resolve, reject) => {
      const timer = clock.setTimer(50, resolve);
      signal?.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason);
      });
    });
  const metric = (name: string): unknown => {
    const group = 'segment-fetch-metrics';
    return metrics.metric(metrics.metricName({ group, name, description: '' }))?.value(0);
  };
  return { clock, said, storage, store, metric };
}

async function readAll(storage: ObjectStoreRemoteStorage, start: number, signal?: AbortSignal) {
  const pieces = await storage.fetchLogSegment(SEGMENT, { start, end: start + 699 }, { signal });
  let bytes = 0;
  for await (const piece of pieces) bytes += piece.byteLength;
  return bytes;
}

// S2: logs were full of stacks of interrupted threads although the data arrived.
test.each<[string, LayoutOptions]>([
  ['with a cache', {}],
  ['without one', { compressionEnabled: true, cache: { chunkCache: 'none' } }],
])(
  'a hundred fetches that are cancelled while they load are counted, and none is in the log, %s (S2)',
  async (_, options) => {
    const { clock, said, storage, metric } = await slowStorage(options);
    // The manifest is there already: it is the chunk that is being loaded.
    const first = readAll(storage, 0);
    await clock.advanceAsync(200);
    expect(await first).toBe(700);
    const reason = new Error('the consumer gave up');
    let cancelled = 0;
    for (let round = 0; round < 100; round += 1) {
      const controller = new AbortController();
      const reading = readAll(storage, 4_000 + ((round * 97) % 5_000), controller.signal);
      reading.catch(() => undefined);
      await clock.advanceAsync(round % 40);
      controller.abort(reason);
      const outcome = await reading.catch((error: unknown) => error);
      // Whoever found everything in the cache was through before he gave up.
      expect([700, reason]).toContain(outcome);
      if (outcome === reason) cancelled += 1;
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    }
    expect(cancelled).toBeGreaterThanOrEqual(5);
    expect(metric('cancelled-total')).toBe(cancelled);
    expect(metric('timeouts-total')).toBe(0);
    await clock.advanceAsync(1_000);
    await storage.close();
    await clock.advanceAsync(1_000);
    expect(said).toEqual([]);
    expect(storage.cacheStats().chunkMemoryBytes).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  },
);

test('whoever gives up on a manifest or an index is not in the log either (S2)', async () => {
  const { clock, said, storage } = await slowStorage();
  for (let round = 0; round < 20; round += 1) {
    const controller = new AbortController();
    const reading = storage.fetchIndex(SEGMENT, 'OFFSET', { signal: controller.signal });
    reading.catch(() => undefined);
    await clock.advanceAsync(round % 5);
    controller.abort(new Error('the consumer gave up'));
    await reading.catch(() => undefined);
  }
  await clock.advanceAsync(1_000);
  const last = storage.fetchIndex(SEGMENT, 'OFFSET');
  await clock.advanceAsync(1_000);
  expect((await last).byteLength).toBe(2);
  expect(said).toEqual([]);
});

// S18: a segment without transactions broke the index cache.
test('that a segment has no transaction index is known without asking the store again (S18)', async () => {
  const store = new MapObjectStore({ readUnitBytes: 4_000 });
  const storage = new ObjectStoreRemoteStorage(store, {}, manualContext());
  const { transactionIndex: _, ...data } = DATA;
  await storage.copyLogSegmentData({ ...SEGMENT, txnIdxEmpty: true }, data);
  await storage.fetchIndex(SEGMENT, 'OFFSET');
  store.calls.length = 0;
  for (let round = 0; round < 3; round += 1) {
    const missing = storage.fetchIndex(SEGMENT, 'TRANSACTION');
    await expect(missing).rejects.toMatchObject({ kind: 'not-found', retryable: false });
  }
  expect(store.calls).toEqual([]);
  expect(await storage.fetchIndex(SEGMENT, 'TIMESTAMP')).toEqual(Uint8Array.of(2, 2, 2));
});

// S12: a cache that cannot hold what it is to hold failed under load.
test.each(['memory', 'disk'] as const)(
  'a cache in %s that cannot hold a chunk is refused when it is set up, with both settings (S12)',
  (chunkCache) => {
    const cache = { chunkCache, chunkCacheBytes: LOG.byteLength - 1, chunkCachePath: 'unused' };
    const options = { chunkBytes: LOG.byteLength, cache };
    const store = new MapObjectStore({ readUnitBytes: 4_000 });
    expect(() => new ObjectStoreRemoteStorage(store, options, manualContext())).toThrow(
      expect.objectContaining({
        kind: 'invalid-configuration',
        message: expect.stringMatching(
          /fetch\.chunk\.cache\.size.*chunk\.size|chunk\.size.*fetch/s,
        ),
      }),
    );
  },
);
