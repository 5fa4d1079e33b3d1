import { expect, test } from 'vitest';
import { FrontedChunkCache } from '../../src/cache/fronted-chunk-cache.ts';
import { MemoryChunkCache } from '../../src/cache/memory-chunk-cache.ts';
import { CHUNK, idOf } from './chunk-fixture.ts';
import { diskSetUp, FILE_BYTES } from './disk/disk-fixture.ts';

async function setUp(frontChunks = 2, pendingChunks = 100) {
  const { open, clock, ...rest } = await diskSetUp();
  const back = open({ maxPendingBytes: pendingChunks * FILE_BYTES });
  await back.get(idOf('none', 0));
  const front = new MemoryChunkCache({ clock, maxBytes: frontChunks * CHUNK, retentionMs: 1_000 });
  return { ...rest, clock, front, back, cache: new FrontedChunkCache(front, back) };
}

test('a chunk that is read in small ranges is read from the disk once', async () => {
  const { cache, back, front, put, isKept, memory } = await setUp();
  for (const index of [0, 1, 2, 3]) put(cache, idOf('a', index));
  // Until the files are there, chunks are held for them.
  while (memory.stats().grantedBytes > 0) await new Promise(setImmediate);
  const before = back.stats().hits;
  for (let range = 0; range < 5; range += 1) expect(await isKept(cache, idOf('a', 3))).toBe(true);
  expect(back.stats().hits - before).toBe(1);
  expect(cache.stats()).toMatchObject({ entries: 4, hits: before + 5 });
  expect(front.stats().bytes).toBeLessThanOrEqual(2 * CHUNK);
  await cache.close();
  expect(memory.stats().grantedBytes).toBe(0);
});

test('what comes faster than the disk takes it is in memory for a while', async () => {
  const { cache, put, isKept, memory } = await setUp(2, 2);
  for (const index of [0, 1, 2, 3]) put(cache, idOf('a', index));
  for (const index of [0, 1, 2, 3]) expect(await isKept(cache, idOf('a', index))).toBe(true);
  put(cache, idOf('a', 4));
  expect(await isKept(cache, idOf('a', 4))).toBe(true);
  await cache.close();
  expect(memory.stats().grantedBytes).toBe(0);
});

test('what is forgotten is forgotten in both, also what is being read from the disk', async () => {
  const { cache, clock, put, isKept, memory } = await setUp();
  put(cache, idOf('a', 0));
  await clock.advanceAsync(1_000);
  const reading = isKept(cache, idOf('a', 0));
  cache.forget('a');
  await reading;
  expect(cache.has(idOf('a', 0))).toBe(false);
  expect(await isKept(cache, idOf('a', 0))).toBe(false);
  await cache.close();
  expect(memory.stats().grantedBytes).toBe(0);
});
