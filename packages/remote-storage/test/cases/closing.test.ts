import { MetricsRegistry } from '@logloft/metrics';
import { expect, test } from 'vitest';
import { isRemoteStorageError, ObjectStoreRemoteStorage } from '../../src/index.ts';
import { forEver, MapObjectStore } from '../map-object-store.ts';
import { manualContext } from '../segment-fixture.ts';

// What hangs is the most frequent trouble of all; closing must not be a part of it.

const MINUTE_MS = 60_000;

function setUp(dispose: () => Promise<void>) {
  const store = Object.assign(new MapObjectStore({ readUnitBytes: 4_000 }), {
    [Symbol.asyncDispose]: dispose,
  });
  const context = manualContext();
  const metrics = new MetricsRegistry({ clock: context.clock });
  const storage = new ObjectStoreRemoteStorage(store, {}, { ...context, metrics });
  const hits = metrics.metricName({
    group: 'chunk-cache-metrics',
    name: 'cache-hits-total',
    description: '',
  });
  return { storage, clock: context.clock, hasMetrics: () => metrics.metric(hits) !== undefined };
}

test.each([
  ['never ends', (): Promise<void> => forEver(), 'timeout'],
  ['fails', (): Promise<void> => Promise.reject('rude'), 'unavailable'],
  [
    'fails at once',
    (): Promise<void> => {
      throw new TypeError('rude');
    },
    'unavailable',
  ],
])('a store whose disposal %s is told, and all else is closed', async (_, dispose, kind) => {
  const { storage, clock, hasMetrics } = setUp(dispose);
  expect(hasMetrics()).toBe(true);
  const outcomes: unknown[] = [];
  for (let round = 0; round < 2; round += 1) {
    storage.close().then(
      () => outcomes.push('closed'),
      (error: unknown) => outcomes.push(error),
    );
  }
  await clock.advanceAsync(MINUTE_MS);
  expect(outcomes).toHaveLength(2);
  for (const outcome of outcomes) {
    expect(isRemoteStorageError(outcome), String(outcome)).toBe(true);
    expect(outcome).toMatchObject({ kind });
  }
  expect(hasMetrics()).toBe(false);
  expect(clock.pendingTimers).toBe(0);
});
