import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BufferPool } from '../src/index.ts';

const KIB = 1024;

function makePool(totalBytes = 64 * KIB) {
  return new BufferPool(
    { totalBytes, poolableBytes: 4 * KIB, sizeClasses: [16 * KIB, 32 * KIB] },
    { clock: new ManualClock() },
  );
}

test('a request is served from the smallest class that holds it, and the whole buffer counts', () => {
  const pool = makePool();
  expect(pool.tryAllocate(0)).toHaveLength(4 * KIB);
  expect(pool.tryAllocate(4 * KIB)).toHaveLength(4 * KIB);
  expect(pool.tryAllocate(4 * KIB + 1)).toHaveLength(16 * KIB);
  expect(pool.tryAllocate(17 * KIB)).toHaveLength(32 * KIB);
  expect(pool.stats()).toMatchObject({ grantedBytes: 56 * KIB, availableBytes: 8 * KIB });
});

test('a request beyond the largest class gets exactly its size, and the buffer is not kept', () => {
  const pool = makePool();
  const buffer = pool.tryAllocate(40 * KIB);
  expect(buffer).toHaveLength(40 * KIB);
  pool.deallocate(buffer);
  expect(pool.stats()).toMatchObject({ freeBuffers: 0, availableBytes: 64 * KIB });
});

test('each class reuses its own buffers', () => {
  const pool = makePool();
  const small = pool.tryAllocate(1);
  const middle = pool.tryAllocate(10 * KIB);
  pool.deallocate(small);
  pool.deallocate(middle);
  expect(pool.stats()).toMatchObject({ freeBuffers: 2, unallocatedBytes: 44 * KIB });
  expect(pool.tryAllocate(9 * KIB)).toBe(middle);
  expect(pool.tryAllocate(2)).toBe(small);
});

test('free buffers of other classes are broken up for a request that needs their bytes, with the least waste', () => {
  const pool = makePool();
  const buffers = [1, 1, 10 * KIB, 30 * KIB].map((size) => pool.tryAllocate(size));
  for (const buffer of buffers) pool.deallocate(buffer);
  expect(pool.stats()).toMatchObject({ freeBuffers: 4, unallocatedBytes: 8 * KIB });
  // 8 KiB are missing for the 16 KiB class, whose only buffer is taken first.
  expect(pool.tryAllocate(10 * KIB)).toBe(buffers[2]);
  expect(pool.tryAllocate(10 * KIB)).toHaveLength(16 * KIB);
  // The 32 KiB buffer had to go: the 4 KiB ones together would have done, but one at a time not.
  expect(pool.stats()).toMatchObject({ freeBuffers: 2, unallocatedBytes: 24 * KIB });
});

test('the head of the queue gathers bytes of all classes', async () => {
  const pool = makePool();
  const buffers = [1, 1, 10 * KIB, 30 * KIB, 1, 1].map((size) => pool.tryAllocate(size));
  const waiting = pool.allocate(20 * KIB);
  for (const at of [0, 1, 2, 4]) pool.deallocate(buffers[at]);
  expect(pool.stats()).toMatchObject({ heldByWaitersBytes: 28 * KIB, availableBytes: 0 });
  pool.deallocate(buffers[5]);
  expect(await waiting).toHaveLength(32 * KIB);
});

test('classes are in ascending order whatever order they are given in, and may repeat', () => {
  const pool = new BufferPool(
    { totalBytes: 100, poolableBytes: 20, sizeClasses: [40, 10, 20] },
    { clock: new ManualClock() },
  );
  expect(pool.tryAllocate(5)).toHaveLength(10);
  expect(pool.tryAllocate(11)).toHaveLength(20);
  expect(pool.tryAllocate(21)).toHaveLength(40);
});
