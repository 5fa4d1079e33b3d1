import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BufferExhaustedError, BufferPool, type BufferPoolOptions } from '../src/index.ts';

function makePool(options: Partial<BufferPoolOptions> = {}) {
  const clock = new ManualClock();
  const pool = new BufferPool({ totalBytes: 100, poolableBytes: 10, ...options }, { clock });
  return { clock, pool };
}

/** Where each promise stands, in the order in which they settled. */
function watch(promises: Readonly<Record<string, Promise<unknown>>>): string[] {
  const log: string[] = [];
  for (const [name, promise] of Object.entries(promises)) {
    promise.then(
      () => log.push(`${name} granted`),
      () => log.push(`${name} failed`),
    );
  }
  return log;
}

const FOR_EVER = { maxBlockMs: Number.POSITIVE_INFINITY };

test('a released buffer of the poolable size is used again, the one that rested longest first', async () => {
  const { pool } = makePool();
  const first = await pool.allocate(10);
  const second = await pool.allocate(10);
  pool.deallocate(first);
  pool.deallocate(second);
  expect(await pool.allocate(10)).toBe(first);
  expect(await pool.allocate(10)).toBe(second);
  expect(pool.stats()).toMatchObject({ createdBuffers: 2, reusedBuffers: 2, grantedBytes: 20 });
});

test('the buffer that is broken up to make room is the one released last', async () => {
  const { pool } = makePool({ totalBytes: 20 });
  const first = await pool.allocate(10);
  const second = await pool.allocate(10);
  pool.deallocate(first);
  pool.deallocate(second);
  await pool.allocate(5);
  expect(await pool.allocate(10)).toBe(first);
});

test('a newcomer queues behind those who wait, even when there is memory for it', async () => {
  const { pool } = makePool();
  const large = await pool.allocate(60);
  const log = watch({ big: pool.allocate(80, FOR_EVER), small: pool.allocate(1, FOR_EVER) });
  expect(pool.tryAllocate(1)).toBeUndefined();
  expect(pool.stats()).toMatchObject({ availableBytes: 40, waiters: 2 });
  pool.deallocate(large);
  await Promise.resolve();
  expect(log).toEqual(['big granted', 'small granted']);
});

test('under kafka semantics a newcomer for whom there is memory is served past the queue', async () => {
  const { pool } = makePool({ semantics: 'kafka' });
  await pool.allocate(60);
  const log = watch({ big: pool.allocate(80, FOR_EVER) });
  expect(pool.tryAllocate(30)).toHaveLength(30);
  await Promise.resolve();
  // What the newcomer left over is gathered by the head.
  expect(log).toEqual([]);
  expect(pool.stats()).toMatchObject({ availableBytes: 0, heldByWaitersBytes: 10 });
});

test('the head gathers parts, and gives them to the next when it runs out of time', async () => {
  const { clock, pool } = makePool();
  const parts = await Promise.all([pool.allocate(30), pool.allocate(70)]);
  const log = watch({
    big: pool.allocate(90, { maxBlockMs: 50 }),
    small: pool.allocate(20, FOR_EVER),
  });
  pool.deallocate(parts[0]);
  expect(pool.stats()).toMatchObject({ availableBytes: 0, heldByWaitersBytes: 30 });
  await clock.advanceAsync(49);
  expect(log).toEqual([]);
  await clock.advanceAsync(1);
  expect(log).toEqual(['big failed', 'small granted']);
  expect(pool.stats()).toMatchObject({ availableBytes: 10, waiters: 0, exhausted: 1 });
});

test('an allocation that runs out of time says what was asked and what was there', async () => {
  const { clock, pool } = makePool();
  await pool.allocate(95);
  const waiting = pool.allocate(10, { maxBlockMs: 5 });
  const failure = expect(waiting).rejects.toSatisfy((error: unknown) => {
    expect(error).toBeInstanceOf(BufferExhaustedError);
    expect(error).toMatchObject({
      code: 'LOGLOFT_POOL_EXHAUSTED',
      retryable: true,
      requestedBytes: 10,
      maxBlockMs: 5,
      totalBytes: 100,
      availableBytes: 5,
      poolableBytes: 10,
      waiters: 1,
    });
    return true;
  });
  await clock.advanceAsync(5);
  await failure;
});

test('one timer serves all who wait, and none is left once nobody waits with a deadline', async () => {
  const { clock, pool } = makePool();
  const all = await pool.allocate(100);
  expect(clock.pendingTimers).toBe(0);
  const log = watch({
    slow: pool.allocate(1, { maxBlockMs: 30 }),
    never: pool.allocate(1, FOR_EVER),
    kafkaNever: pool.allocate(1, { maxBlockMs: 2 ** 63 }),
    quick: pool.allocate(1, { maxBlockMs: 10 }),
  });
  expect(clock.pendingTimers).toBe(1);
  expect(clock.nextTimerInMs).toBe(10);
  await clock.advanceAsync(10);
  expect(log).toEqual(['quick failed']);
  expect(clock.nextTimerInMs).toBe(20);
  await clock.advanceAsync(20);
  expect(log).toEqual(['quick failed', 'slow failed']);
  expect(clock.pendingTimers).toBe(0);
  await clock.advanceAsync(10 ** 9);
  pool.deallocate(all);
  await Promise.resolve();
  expect(log.slice(2)).toEqual(['never granted', 'kafkaNever granted']);
});

test('a grant ends the timer, and a late timer does not touch who was served', async () => {
  const { clock, pool } = makePool();
  const all = await pool.allocate(100);
  const waiting = pool.allocate(100, { maxBlockMs: 10 });
  pool.deallocate(all);
  expect(clock.pendingTimers).toBe(0);
  await clock.advanceAsync(100);
  expect(await waiting).toHaveLength(100);
  expect(pool.stats()).toMatchObject({ grantedBytes: 100, exhausted: 0 });
});

test('a deadline beyond the longest timer is kept', async () => {
  const { clock, pool } = makePool();
  await pool.allocate(100);
  const log = watch({ patient: pool.allocate(1, { maxBlockMs: 5_000_000_000 }) });
  await clock.advanceAsync(4_999_999_999);
  expect(log).toEqual([]);
  await clock.advanceAsync(1);
  expect(log).toEqual(['patient failed']);
});

test('a deadline with a fraction is not missed, and not checked in a loop', async () => {
  const { clock, pool } = makePool();
  await pool.allocate(100);
  const log = watch({ waiting: pool.allocate(1, { maxBlockMs: 0.3 }) });
  await clock.advanceAsync(1);
  expect(log).toEqual(['waiting failed']);
});

test('a wait of no time fails at once, and lets the head take what lies there', async () => {
  const { pool } = makePool();
  await pool.allocate(60);
  const log = watch({ head: pool.allocate(80, FOR_EVER) });
  await expect(pool.allocate(1, { maxBlockMs: 0 })).rejects.toMatchObject({ kind: 'exhausted' });
  expect(log).toEqual([]);
  expect(pool.stats()).toMatchObject({ heldByWaitersBytes: 40, waiters: 1, exhausted: 1 });
});

test('no more than maxWaiters wait; one more is refused, and room comes back when one leaves', async () => {
  const { pool } = makePool({ maxWaiters: 2 });
  await pool.allocate(100);
  const abort = new AbortController();
  const log = watch({
    first: pool.allocate(1, { ...FOR_EVER, signal: abort.signal }),
    second: pool.allocate(1, FOR_EVER),
  });
  await expect(pool.allocate(1, FOR_EVER)).rejects.toMatchObject({
    code: 'LOGLOFT_POOL_TOO_MANY_WAITERS',
  });
  abort.abort();
  const third = pool.allocate(1, FOR_EVER);
  expect(pool.stats()).toMatchObject({ waiters: 2, refusedWaiters: 1 });
  await pool.close();
  await expect(third).rejects.toMatchObject({ kind: 'closed' });
  expect(log).toEqual(['first failed', 'second failed']);
});

test('close rejects who waits, in order, and who comes later; buffers may still come back', async () => {
  const { clock, pool } = makePool();
  const parts = await Promise.all([pool.allocate(40), pool.allocate(60)]);
  const log = watch({
    first: pool.allocate(90, { maxBlockMs: 5 }),
    second: pool.allocate(1, FOR_EVER),
  });
  pool.deallocate(parts[0]);
  await pool.close();
  await pool.close();
  expect(log).toEqual(['first failed', 'second failed']);
  expect(clock.pendingTimers).toBe(0);
  await expect(pool.allocate(1)).rejects.toMatchObject({ code: 'LOGLOFT_POOL_CLOSED' });
  expect(() => pool.tryAllocate(1)).toThrow(expect.objectContaining({ kind: 'closed' }));
  pool.deallocate(parts[1]);
  expect(pool.stats()).toMatchObject({ availableBytes: 100, closed: true, waiters: 0 });
});

test('await using closes the pool', async () => {
  const { pool } = makePool();
  {
    await using closing = pool;
    await closing.allocate(1);
  }
  expect(pool.stats().closed).toBe(true);
});

test('a request that can never be met is refused at once, before the pool is asked whether it is closed', async () => {
  const { pool } = makePool();
  await expect(pool.allocate(101)).rejects.toMatchObject({ code: 'LOGLOFT_POOL_TOO_LARGE' });
  await pool.close();
  await expect(pool.allocate(101)).rejects.toMatchObject({ code: 'LOGLOFT_POOL_TOO_LARGE' });
});

test.each([-1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY])(
  'a size of %s is refused',
  async (size) => {
    const { pool } = makePool();
    await expect(pool.allocate(size)).rejects.toMatchObject({ code: 'LOGLOFT_POOL_INVALID_SIZE' });
    expect(() => pool.tryAllocate(size)).toThrow(expect.objectContaining({ kind: 'invalid-size' }));
    expect(pool.stats().availableBytes).toBe(100);
  },
);

test('a wait of NaN ms is refused', async () => {
  const { pool } = makePool();
  await expect(pool.allocate(1, { maxBlockMs: Number.NaN })).rejects.toMatchObject({
    code: 'LOGLOFT_POOL_INVALID_OPTIONS',
  });
});
