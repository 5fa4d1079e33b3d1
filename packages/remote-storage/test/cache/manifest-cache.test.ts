import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { ManifestCache } from '../../src/cache/manifest-cache.ts';
import { plainChunkIndex } from '../../src/layout/chunk-index.ts';
import type { SegmentManifest } from '../../src/layout/manifest.ts';

const PLACE = { position: 0, size: 0 };

function manifest(bytes: number): SegmentManifest {
  return {
    chunkIndex: plainChunkIndex(bytes, 100),
    segmentIndexes: {
      offset: PLACE,
      timestamp: PLACE,
      producerSnapshot: PLACE,
      leaderEpoch: PLACE,
      transaction: null,
    },
  };
}

function cacheOf(maxEntries: number): {
  cache: ManifestCache;
  clock: ManualClock;
  loads: string[];
} {
  const clock = new ManualClock();
  const loads: string[] = [];
  const load = async (key: string): Promise<SegmentManifest> => {
    loads.push(key);
    return manifest(loads.length);
  };
  return {
    clock,
    loads,
    cache: new ManifestCache({ clock, maxEntries, retentionMs: 1_000, load }),
  };
}

test('a manifest is loaded once until its time after the last use is over', async () => {
  const { cache, clock, loads } = cacheOf(10);
  await Promise.all([cache.get('a'), cache.get('a')]);
  clock.advance(999);
  await cache.get('a');
  clock.advance(999);
  await cache.get('a');
  expect(loads).toEqual(['a']);
  clock.advance(1_000);
  await cache.get('a');
  expect(loads).toEqual(['a', 'a']);
});

test('the longest unused goes when there is no room', async () => {
  const { cache, loads } = cacheOf(2);
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(key);
  expect(loads).toEqual(['a', 'b', 'c', 'b']);
  expect(cache.size).toBe(2);
});

test('without room nothing is kept, and all is answered', async () => {
  const { cache, loads } = cacheOf(0);
  await cache.get('a');
  await cache.get('a');
  expect(loads).toEqual(['a', 'a']);
  expect(cache.size).toBe(0);
});

test('a manifest that was forgotten while it was loaded is not kept', async () => {
  const clock = new ManualClock();
  const answers = [
    Promise.withResolvers<SegmentManifest>(),
    Promise.withResolvers<SegmentManifest>(),
  ];
  let loads = 0;
  const load = (): Promise<SegmentManifest> => {
    loads += 1;
    return answers[loads - 1]?.promise ?? Promise.reject(new Error('too many loads'));
  };
  const cache = new ManifestCache({ clock, maxEntries: 10, retentionMs: 1_000, load });
  const before = cache.get('a');
  cache.forget('a');
  const after = cache.get('a');
  expect(loads).toBe(2);
  answers[0]?.resolve(manifest(1));
  expect((await before).chunkIndex.originalFileSize).toBe(1);
  expect(cache.size).toBe(0);
  answers[1]?.resolve(manifest(2));
  expect((await after).chunkIndex.originalFileSize).toBe(2);
  expect((await cache.get('a')).chunkIndex.originalFileSize).toBe(2);
  expect(loads).toBe(2);
});

test('a failure is not kept', async () => {
  const clock = new ManualClock();
  let loads = 0;
  const load = async (): Promise<SegmentManifest> => {
    loads += 1;
    if (loads === 1) throw new Error('once');
    return manifest(7);
  };
  const cache = new ManifestCache({ clock, maxEntries: 10, retentionMs: 1_000, load });
  await expect(cache.get('a')).rejects.toThrow('once');
  expect((await cache.get('a')).chunkIndex.originalFileSize).toBe(7);
});
