import { ManualClock, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BufferPool } from '../src/index.ts';

const WAITERS = 10_000;

function exhaustedPool() {
  const clock = new ManualClock();
  const pool = new BufferPool({ totalBytes: 1_000_000, poolableBytes: 100 }, { clock });
  const all = pool.tryAllocate(1_000_000);
  return { clock, pool, all };
}

test('10,000 waiters are served in the order of their arrival by one release', async () => {
  const { clock, pool, all } = exhaustedPool();
  const order: number[] = [];
  const waits = Array.from({ length: WAITERS }, (_, index) =>
    pool.allocate(100, { maxBlockMs: 1 + (index % 977) }).then(() => order.push(index)),
  );
  expect(clock.pendingTimers).toBe(1);
  pool.deallocate(all);
  await Promise.all(waits);
  expect(order).toEqual(Array.from({ length: WAITERS }, (_, index) => index));
  expect(clock.pendingTimers).toBe(0);
});

test('10,000 waiters time out in the order of their deadlines, and leave no waiter and no timer', async () => {
  const { clock, pool } = exhaustedPool();
  const random = seededRandom(1);
  const order: number[] = [];
  const waits = Array.from({ length: WAITERS }, () => {
    const maxBlockMs = 1 + randomBelow(random, 50_000);
    return pool.allocate(1, { maxBlockMs }).catch(() => order.push(maxBlockMs));
  });
  clock.advance(50_000);
  await Promise.all(waits);
  expect(order).toHaveLength(WAITERS);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(pool.stats()).toMatchObject({ waiters: 0, exhausted: WAITERS });
  expect(clock.pendingTimers).toBe(0);
});

test('10,000 waiters that abort in any order leave those who stay in theirs', async () => {
  const { clock, pool, all } = exhaustedPool();
  const random = seededRandom(2);
  const served: number[] = [];
  const aborts = Array.from({ length: WAITERS }, () => new AbortController());
  const waits = aborts.map((abort, index) =>
    pool.allocate(1, { signal: abort.signal, maxBlockMs: 1 + (index % 7919) }).then(
      () => served.push(index),
      () => undefined,
    ),
  );
  const staying = new Set(aborts.keys());
  while (staying.size > 100) {
    const index = randomBelow(random, WAITERS);
    aborts[index]?.abort();
    staying.delete(index);
  }
  expect(pool.stats().waiters).toBe(100);
  pool.deallocate(all);
  await Promise.all(waits);
  expect(served).toEqual([...staying]);
  expect(clock.pendingTimers).toBe(0);
});

test('100,000 timed allocations with random releases end with all memory available', async () => {
  const clock = new ManualClock();
  const pool = new BufferPool({ totalBytes: 5000, poolableBytes: 100 }, { clock });
  const random = seededRandom(3);
  const out: Buffer[] = [];
  let failed = 0;
  for (let i = 0; i < 100_000; i += 1) {
    const size = randomBelow(random, 400);
    pool.allocate(size, { maxBlockMs: randomBelow(random, 40) }).then(
      (buffer) => out.push(buffer),
      () => {
        failed += 1;
      },
    );
    clock.advance(randomBelow(random, 3));
    await Promise.resolve();
    if (out.length > 0 && randomBelow(random, 2) === 0) {
      pool.deallocate(out.splice(randomBelow(random, out.length), 1)[0]);
    }
  }
  clock.advance(100);
  await clock.advanceAsync(0);
  for (const buffer of out) pool.deallocate(buffer);
  expect(failed).toBeGreaterThan(1000);
  expect(pool.stats()).toMatchObject({ availableBytes: 5000, waiters: 0, grantedBytes: 0 });
  expect(clock.pendingTimers).toBe(0);
});

test('with room for 100 waiters, 10,000 allocations of which half abort leave 100, and refuse the rest', async () => {
  const clock = new ManualClock();
  const pool = new BufferPool({ totalBytes: 1000, poolableBytes: 100, maxWaiters: 100 }, { clock });
  const all = pool.tryAllocate(1000);
  const random = seededRandom(4);
  const counts = { refused: 0, aborted: 0, served: 0 };
  const waits = Array.from({ length: WAITERS }, async () => {
    const abort = new AbortController();
    const wait = pool.allocate(1, { signal: abort.signal }).then(
      () => {
        counts.served += 1;
      },
      (reason: unknown) => {
        counts[reason === 'gone' ? 'aborted' : 'refused'] += 1;
      },
    );
    if (randomBelow(random, 2) === 0) abort.abort('gone');
    await wait;
  });
  // Who aborts leaves at once, so the bound is reached by those who stay.
  expect(pool.stats()).toMatchObject({ waiters: 100, refusedWaiters: expect.any(Number) });
  pool.deallocate(all);
  await Promise.all(waits);
  expect(counts.served).toBe(100);
  expect(counts.refused).toBe(pool.stats().refusedWaiters);
  expect(counts.refused + counts.aborted).toBe(WAITERS - 100);
  expect(clock.pendingTimers).toBe(0);
});
