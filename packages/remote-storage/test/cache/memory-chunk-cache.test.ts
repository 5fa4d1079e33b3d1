import { type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import type { ChunkBytes } from '../../src/cache/chunk-bytes.ts';
import { MemoryChunkCache } from '../../src/cache/memory-chunk-cache.ts';
import { CHUNK, chunkSetUp, idOf } from './chunk-fixture.ts';

function setUp(chunks: number, retentionMs = 10_000) {
  const { clock, ...rest } = chunkSetUp();
  const cache = new MemoryChunkCache({ clock, maxBytes: chunks * CHUNK, retentionMs });
  return { clock, cache, ...rest };
}

test('the longest unused chunk goes when there is no room, and its memory with it', async () => {
  const { cache, put, isKept, memory } = setUp(2);
  put(cache, idOf('a', 0));
  put(cache, idOf('a', 1));
  expect(await isKept(cache, idOf('a', 0))).toBe(true);
  put(cache, idOf('a', 2));
  expect(await isKept(cache, idOf('a', 1))).toBe(false);
  expect(await isKept(cache, idOf('a', 0))).toBe(true);
  expect(await isKept(cache, idOf('a', 2))).toBe(true);
  expect(memory.stats().grantedBytes).toBe(2 * CHUNK);
  expect(cache.stats()).toMatchObject({
    entries: 2,
    bytes: 2 * CHUNK,
    hits: 3,
    misses: 1,
    evictions: 1,
    evictedBytes: CHUNK,
    thrashed: 1,
  });
  await cache.close();
  expect(memory.stats().grantedBytes).toBe(0);
});

test('a chunk that is being read stays, and when all are, a new one is not taken in', async () => {
  const { cache, put, isKept, make } = setUp(2);
  const held: ChunkBytes[] = [];
  for (const index of [0, 1]) {
    const chunk = make(idOf('a', index));
    cache.put(idOf('a', index), chunk);
    held.push(chunk);
  }
  put(cache, idOf('a', 2));
  expect(await isKept(cache, idOf('a', 2))).toBe(false);
  expect(cache.stats()).toMatchObject({ bypassed: 1, evictions: 0 });
  held[0]?.release();
  put(cache, idOf('a', 3));
  expect(await isKept(cache, idOf('a', 0))).toBe(false);
  expect(await isKept(cache, idOf('a', 1))).toBe(true);
  held[1]?.release();
});

test('a chunk that nobody used for so long goes by itself, and no timer is left', async () => {
  const { cache, put, isKept, clock, memory } = setUp(5, 1_000);
  put(cache, idOf('a', 0));
  await clock.advanceAsync(600);
  put(cache, idOf('a', 1));
  await clock.advanceAsync(300);
  expect(await isKept(cache, idOf('a', 0))).toBe(true);
  await clock.advanceAsync(800);
  expect(await isKept(cache, idOf('a', 1))).toBe(false);
  expect(await isKept(cache, idOf('a', 0))).toBe(true);
  await clock.advanceAsync(5_000);
  expect(cache.stats().entries).toBe(0);
  expect(memory.stats().grantedBytes).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

test('a log object that was forgotten, or cut anew, gives nothing of what it was', async () => {
  const { cache, put, isKept } = setUp(5);
  put(cache, idOf('a', 0));
  put(cache, idOf('b', 0));
  const place = { ...idOf('a', 0).place, storedBytes: CHUNK + 28 };
  expect(cache.has({ ...idOf('a', 0), place })).toBe(false);
  expect(await cache.get({ ...idOf('a', 0), place })).toBeUndefined();
  cache.forget('a');
  expect(await isKept(cache, idOf('a', 0))).toBe(false);
  expect(await isKept(cache, idOf('b', 0))).toBe(true);
});

test('names like __proto__ are ordinary', async () => {
  const { cache, put, isKept } = setUp(5);
  for (const name of ['__proto__', 'constructor', '']) {
    expect(await isKept(cache, idOf(name, 0))).toBe(false);
    put(cache, idOf(name, 0));
    expect(await isKept(cache, idOf(name, 0))).toBe(true);
  }
});

/** One thing at random that is done with a cache. */
function step(
  random: RandomSource,
  { cache, put, clock }: ReturnType<typeof setUp>,
  held: ChunkBytes[],
): void {
  const id = idOf(`log-${randomBelow(random, 3)}`, randomBelow(random, 5));
  switch (randomBelow(random, 6)) {
    case 0:
    case 1:
      put(cache, id);
      break;
    case 2:
      held.push(...[cache.get(id)].filter((chunk) => chunk !== undefined));
      break;
    case 3:
      held.pop()?.release();
      break;
    case 4:
      if (randomBelow(random, 10) === 0) cache.forget(id.object);
      break;
    default:
      clock.advance(randomBelow(random, 200));
  }
}

test('it never holds more than its bound, nor loses memory, whatever is done with it (100 seeds)', async () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const random = seededRandom(seed);
    const all = setUp(1 + randomBelow(random, 6), 500);
    const held: ChunkBytes[] = [];
    for (let count = 0; count < 100; count += 1) {
      step(random, all, held);
      expect(all.cache.stats().bytes).toBeLessThanOrEqual(all.cache.maxBytes);
    }
    await all.cache.close();
    for (const chunk of held) chunk.release();
    expect(all.memory.stats().grantedBytes, `seed ${seed}`).toBe(0);
    expect(all.clock.pendingTimers).toBe(0);
  }
});
