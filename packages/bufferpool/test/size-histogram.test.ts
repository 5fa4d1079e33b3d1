import { ManualClock, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BufferPool } from '../src/index.ts';
import { SizeHistogram, sizeHoldingShare } from '../src/size-histogram.ts';

test('sizes up to 32 and powers of two have ranges that end exactly there', () => {
  const histogram = new SizeHistogram();
  const sizes = [0, 1, 2, 31, 32, 64, 1024, 2 ** 14, 2 ** 31, 2 ** 32, 2 ** 40];
  for (const size of sizes) histogram.record(size);
  expect(histogram.buckets().map(({ upToBytes }) => upToBytes)).toEqual(sizes);
});

test('every size falls into one range that holds it, at most 6.25 % wide, up to the largest safe integer', () => {
  const random = seededRandom(11);
  for (let i = 0; i < 20_000; i += 1) {
    const size = Math.floor(2 ** (randomBelow(random, 53_000) / 1000)) + randomBelow(random, 3);
    const histogram = new SizeHistogram();
    histogram.record(size);
    // A larger size is recorded as well, so that the range is not cut off at the largest.
    histogram.record(Number.MAX_SAFE_INTEGER);
    const [bucket] = histogram.buckets();
    if (bucket === undefined || bucket.count === 2) continue;
    const { fromBytes, upToBytes } = bucket;
    if (fromBytes > size || upToBytes < size || upToBytes > fromBytes * 1.0625) {
      expect.fail(`seed 11: ${size} fell into [${fromBytes}, ${upToBytes}]`);
    }
  }
});

test('ranges neither overlap nor leave gaps', () => {
  const histogram = new SizeHistogram();
  for (let size = 0; size <= 5000; size += 1) histogram.record(size);
  let next = 0;
  for (const { fromBytes, upToBytes, count } of histogram.buckets()) {
    expect(fromBytes).toBe(next);
    expect(count).toBe(upToBytes - fromBytes + 1);
    next = upToBytes + 1;
  }
  expect(next).toBe(5001);
});

test('the suggested size holds the share asked for, and the next smaller range does not', () => {
  const random = seededRandom(12);
  const histogram = new SizeHistogram();
  const sizes = Array.from({ length: 5000 }, () => 1 + randomBelow(random, 200_000));
  for (const size of sizes) histogram.record(size);
  const buckets = histogram.buckets();
  for (const share of [0.01, 0.5, 0.8, 0.99, 1]) {
    const suggested = sizeHoldingShare(buckets, share) ?? 0;
    const held = (limit: number) => sizes.filter((size) => size <= limit).length / sizes.length;
    expect(held(suggested), `seed 12, share ${share}`).toBeGreaterThanOrEqual(share);
    expect(held(Math.floor(suggested / 1.0626)), `seed 12, share ${share}`).toBeLessThan(share);
  }
});

function makePool(totalBytes = 1000) {
  return new BufferPool({ totalBytes, poolableBytes: 100 }, { clock: new ManualClock() });
}

test('a pool suggests the size that 80 % of its requests do not exceed, or another share', () => {
  const pool = makePool();
  expect(pool.stats()).toMatchObject({
    reusedShare: 0,
    requestedSizes: [],
    suggestedPoolableBytes: undefined,
  });
  for (const size of [16, 16, 16, 16, 20, 20, 20, 20, 32, 900]) {
    pool.deallocate(pool.tryAllocate(size));
  }
  expect(pool.stats()).toMatchObject({
    suggestedPoolableBytes: 20,
    requestedSizes: [
      { fromBytes: 16, upToBytes: 16, count: 4 },
      { fromBytes: 20, upToBytes: 20, count: 4 },
      { fromBytes: 32, upToBytes: 32, count: 1 },
      { fromBytes: 897, upToBytes: 900, count: 1 },
    ],
  });
  expect(pool.stats({ servedShare: 0.4 }).suggestedPoolableBytes).toBe(16);
  expect(pool.stats({ servedShare: 1 }).suggestedPoolableBytes).toBe(900);
});

test('a pool tells the share that it served from the free list', () => {
  const pool = makePool();
  for (let i = 0; i < 4; i += 1) pool.deallocate(pool.tryAllocate(100));
  expect(pool.stats()).toMatchObject({ createdBuffers: 1, reusedBuffers: 3, reusedShare: 0.75 });
});

test('every request counts once: served, waiting or out of time, but none that tryAllocate refuses', async () => {
  const pool = makePool();
  const counted = () => pool.stats().requestedSizes.map(({ upToBytes }) => upToBytes);
  const all = await pool.allocate(1000);
  expect(pool.tryAllocate(5)).toBeUndefined();
  await pool.allocate(6, { maxBlockMs: 0 }).catch(() => undefined);
  const waiting = pool.allocate(7);
  await pool.allocate(2000).catch(() => undefined);
  pool.deallocate(all);
  await waiting;
  expect(counted()).toEqual([6, 7, 1000]);
});

test.each([0, -1, 1.1, Number.NaN])('a share of %s is refused', (servedShare) => {
  expect(() => makePool().stats({ servedShare })).toThrow(
    expect.objectContaining({ code: 'LOGLOFT_POOL_INVALID_OPTIONS' }),
  );
});
