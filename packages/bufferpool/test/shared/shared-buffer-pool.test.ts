import { ManualClock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { expect, test } from 'vitest';
import {
  BufferExhaustedError,
  SharedBufferPool,
  type SharedBufferPoolOptions,
} from '../../src/shared/index.ts';

const FOR_EVER = { maxBlockMs: Number.POSITIVE_INFINITY };

/** A pool of ten pages of 100 bytes, and others at the same memory, as threads would have them. */
function makePools(options: Partial<SharedBufferPoolOptions> = {}) {
  const clock = new ManualClock();
  const pool = SharedBufferPool.create(
    { totalBytes: 1000, poolableBytes: 100, ...options },
    { clock },
  );
  const join = () => SharedBufferPool.join(pool.seat(), { clock });
  return { clock, pool, join };
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

/** Lets the notifications of other threads arrive: they come as tasks of the event loop. */
async function untilSettled(log: readonly string[], count: number): Promise<void> {
  while (log.length < count) await new Promise((resolve) => setImmediate(resolve));
}

test('a buffer has the size asked for and takes whole pages', async () => {
  const { pool } = makePools();
  const buffer = await pool.allocate(250);
  expect(buffer).toHaveLength(250);
  expect(buffer.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(pool.tryAllocate(0)).toHaveLength(0);
  expect(pool.stats()).toEqual({
    totalBytes: 1000,
    poolableBytes: 100,
    availableBytes: 600,
    grantedBytes: 400,
    largestFreeBytes: 600,
    waiters: 0,
    closed: false,
    holders: [{ ownerId: pool.ownerId, heldBytes: 400 }],
  });
});

test('what one writes another reads when it is given the same pages, and no two share any', () => {
  const { pool, join } = makePools();
  const other = join();
  const mine = pool.tryAllocate(1000);
  mine?.fill(7);
  pool.deallocate(mine);
  const theirs = other.tryAllocate(500);
  const next = pool.tryAllocate(500);
  expect(theirs?.every((byte) => byte === 7)).toBe(true);
  theirs?.fill(1);
  next?.fill(2);
  expect(theirs?.every((byte) => byte === 1)).toBe(true);
});

test('the buffer of a whole page is the same object when the page comes back to the same thread', () => {
  const { pool } = makePools();
  const buffer = pool.tryAllocate(100);
  pool.deallocate(buffer);
  expect(pool.tryAllocate(100)).toBe(buffer);
});

test('waiters are served in the order of arrival over all who take part, large and small', async () => {
  const { pool, join } = makePools();
  const [second, third] = [join(), join()];
  const parts = await Promise.all([pool.allocate(500), pool.allocate(500)]);
  const log = watch({
    a: second.allocate(600, FOR_EVER),
    b: third.allocate(100, FOR_EVER),
    c: pool.allocate(300, FOR_EVER),
  });
  expect(pool.waiters).toBe(3);
  pool.deallocate(parts[0]);
  // There is room for b and c, but a was first; and a newcomer waits as well.
  expect(third.tryAllocate(100)).toBeUndefined();
  expect(pool.stats()).toMatchObject({ availableBytes: 500, waiters: 3 });
  pool.deallocate(parts[1]);
  expect(pool.stats()).toMatchObject({ availableBytes: 0, waiters: 0, grantedBytes: 1000 });
  await untilSettled(log, 3);
  expect([...log].sort()).toEqual(['a granted', 'b granted', 'c granted']);
});

test('a request waits for pages in a row, and is served when they are returned', async () => {
  const { pool } = makePools();
  const singles = Array.from({ length: 10 }, () => pool.tryAllocate(100));
  for (let at = 0; at < 10; at += 2) pool.deallocate(singles[at]);
  expect(pool.stats()).toMatchObject({ availableBytes: 500, largestFreeBytes: 100 });
  const log = watch({ row: pool.allocate(300, FOR_EVER) });
  pool.deallocate(singles[1]);
  await untilSettled(log, 1);
  expect(pool.stats()).toMatchObject({ availableBytes: 300, grantedBytes: 700 });
});

test('single pages come from the start and rows from the end, so that they stay apart', () => {
  const { pool } = makePools();
  const row = pool.tryAllocate(300);
  const single = pool.tryAllocate(100);
  expect((row?.byteOffset ?? 0) - (single?.byteOffset ?? 0)).toBe(700);
});

test('who runs out of time leaves the queue, and the next is served', async () => {
  const { clock, pool, join } = makePools();
  const other = join();
  await pool.allocate(500);
  const failing = other.allocate(600, { maxBlockMs: 50 });
  const log = watch({ failing, next: pool.allocate(100, FOR_EVER) });
  clock.advance(49);
  expect(pool.waiters).toBe(2);
  clock.advance(1);
  await expect(failing).rejects.toBeInstanceOf(BufferExhaustedError);
  await expect(failing).rejects.toMatchObject({ requestedBytes: 600, availableBytes: 400 });
  await untilSettled(log, 2);
  expect(pool.stats()).toMatchObject({ waiters: 0, availableBytes: 400 });
  expect(clock.pendingTimers).toBe(0);
});

test('an abort ends a wait with its reason, and a wait of no time fails at once', async () => {
  const { clock, pool } = makePools();
  await pool.allocate(1000);
  const abort = new AbortController();
  const waiting = pool.allocate(1, { signal: abort.signal });
  expect(clock.pendingTimers).toBe(1);
  abort.abort('gone');
  await expect(waiting).rejects.toBe('gone');
  await expect(pool.allocate(1, { signal: abort.signal })).rejects.toBe('gone');
  await expect(pool.allocate(1, { maxBlockMs: 0 })).rejects.toMatchObject({ kind: 'exhausted' });
  expect(pool.waiters).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

test('when a grant and an abort meet, the grant counts', async () => {
  const { pool, join } = makePools();
  const other = join();
  const all = await pool.allocate(1000);
  const abort = new AbortController();
  const waiting = other.allocate(1000, { signal: abort.signal });
  pool.deallocate(all);
  abort.abort('too late');
  expect(await waiting).toHaveLength(1000);
});

test('no more than maxWaiters wait over all threads', async () => {
  const { pool, join } = makePools({ maxWaiters: 2 });
  const other = join();
  await pool.allocate(1000);
  const waits = [pool.allocate(1, FOR_EVER), other.allocate(1, FOR_EVER)];
  await expect(other.allocate(1)).rejects.toMatchObject({
    code: 'LOGLOFT_POOL_TOO_MANY_WAITERS',
  });
  await pool.close();
  for (const wait of waits) await expect(wait).rejects.toMatchObject({ kind: 'closed' });
});

test('the close of the maker rejects who waits anywhere; buffers may still come back', async () => {
  const { clock, pool, join } = makePools();
  const other = join();
  const all = await pool.allocate(1000);
  const log = watch({ theirs: other.allocate(1), mine: pool.allocate(1) });
  await pool.close();
  await pool.close();
  await untilSettled(log, 2);
  expect([...log].sort()).toEqual(['mine failed', 'theirs failed']);
  await expect(other.allocate(1)).rejects.toMatchObject({ code: 'LOGLOFT_POOL_CLOSED' });
  expect(() => other.tryAllocate(1)).toThrow(expect.objectContaining({ kind: 'closed' }));
  pool.deallocate(all);
  expect(other.stats()).toMatchObject({ closed: true, availableBytes: 1000, waiters: 0 });
  expect(clock.pendingTimers).toBe(0);
});

test('another one leaves alone, and its seat is free for others once all it held is back', async () => {
  const { pool, join } = makePools({ maxThreads: 2 });
  const other = join();
  const theirs = await other.allocate(600);
  const waiting = other.allocate(500, FOR_EVER);
  const refusal = expect.objectContaining({ code: 'LOGLOFT_POOL_NO_SEAT', retryable: true });
  expect(() => pool.seat()).toThrow(refusal);
  await other.close();
  await expect(waiting).rejects.toMatchObject({ kind: 'closed' });
  await expect(other.allocate(1)).rejects.toMatchObject({ kind: 'closed' });
  expect(await pool.allocate(400)).toHaveLength(400);
  expect(() => pool.seat()).toThrow(refusal);
  other.deallocate(theirs);
  expect(join().ownerId).not.toBe(other.ownerId);
});

test('what a dead thread held and waited for is reclaimed by its id, and others are served', async () => {
  const { pool, join } = makePools();
  const dead = join();
  await dead.allocate(700);
  const lost = dead.allocate(500, FOR_EVER);
  const log = watch({ lost, alive: pool.allocate(800, FOR_EVER) });
  expect(await pool.reclaim(dead.ownerId)).toBe(700);
  await untilSettled(log, 1);
  expect(log).toEqual(['alive granted']);
  expect(pool.stats()).toMatchObject({ waiters: 0, availableBytes: 200 });
  expect(await pool.reclaim(dead.ownerId)).toBe(0);
  await expect(pool.reclaim(pool.ownerId)).rejects.toMatchObject({
    code: 'LOGLOFT_POOL_INVALID_OPTIONS',
  });
});

test('a thread that was reclaimed too early does not give away what others have by then', async () => {
  const { pool, join } = makePools();
  const early = join();
  const buffer = await early.allocate(1000);
  await pool.reclaim(early.ownerId);
  await pool.allocate(600);
  early.deallocate(buffer);
  expect(pool.stats()).toMatchObject({ availableBytes: 400, grantedBytes: 600 });
});

test('releasing twice, a foreign buffer or a part is refused, and changes nothing', () => {
  const { pool, join } = makePools();
  const other = join();
  const buffer = pool.tryAllocate(100);
  const kind = (name: string) => expect.objectContaining({ kind: name });
  expect(() => other.deallocate(buffer)).toThrow(kind('foreign-buffer'));
  expect(() => pool.deallocate(buffer?.subarray(0, 100))).toThrow(kind('foreign-buffer'));
  expect(() => pool.deallocate(buffer, 50)).toThrow(kind('size-mismatch'));
  pool.deallocate(buffer);
  expect(() => pool.deallocate(buffer)).toThrow(kind('double-release'));
  pool.deallocate(null);
  pool.deallocate(undefined);
  expect(pool.stats().availableBytes).toBe(1000);
});

test('a lease goes back at the end of its block', async () => {
  const { pool } = makePools();
  {
    using lease = await pool.lease(100);
    expect(lease.buffer).toHaveLength(100);
  }
  expect(pool.stats().availableBytes).toBe(1000);
});

test('await using leaves the pool', async () => {
  const { pool } = makePools();
  {
    await using closing = pool;
    await closing.allocate(1);
  }
  expect(pool.stats().closed).toBe(true);
});

test.each([-1, 1.5, Number.NaN])('a size of %s is refused', async (size) => {
  const { pool } = makePools();
  await expect(pool.allocate(size)).rejects.toMatchObject({ kind: 'invalid-size' });
  await expect(pool.allocate(1001)).rejects.toMatchObject({ kind: 'too-large' });
});

test('the main thread is not put to sleep', () => {
  // Vitest runs tests in processes of their own, whose main thread this is.
  expect(() => makePools().pool.allocateSync(1)).toThrow(
    expect.objectContaining({ code: 'LOGLOFT_POOL_WOULD_BLOCK' }),
  );
});

test.each([
  ['totalBytes', { totalBytes: 0 }],
  ['totalBytes', { totalBytes: 1050 }],
  ['poolableBytes', { poolableBytes: 0 }],
  ['maxWaiters', { maxWaiters: 0 }],
  ['maxThreads', { maxThreads: 1.5 }],
])('%s is checked, and named when it is wrong', (name, options) => {
  expect(() => makePools(options)).toThrow(
    expect.objectContaining({
      code: 'LOGLOFT_POOL_INVALID_OPTIONS',
      message: expect.stringContaining(name),
    }),
  );
});

test('a seat that is no seat, or not a seat any more, is refused', async () => {
  const { clock, pool } = makePools();
  const seat = pool.seat();
  const wrong = [
    { ...seat, memory: new SharedArrayBuffer(8) },
    { ...seat, memory: new SharedArrayBuffer(seat.memory.byteLength) },
    { ...seat, memory: new ArrayBuffer(1000) as never },
    { ...seat, ownerId: 12345 },
  ];
  await pool.reclaim(seat.ownerId);
  for (const each of [...wrong, seat]) {
    expect(() => SharedBufferPool.join(each, { clock })).toThrow(
      expect.objectContaining({ code: 'LOGLOFT_POOL_INVALID_OPTIONS' }),
    );
  }
});

test('waits and the memory of all are measured like those of a pool of one thread', async () => {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry({ clock });
  const pool = SharedBufferPool.create(
    { totalBytes: 1000, poolableBytes: 100 },
    { clock, metrics, metricsGroup: 'shared' },
  );
  const read = (name: string) =>
    metrics.metric(metrics.metricName({ name, group: 'shared' }))?.value();
  const all = await pool.allocate(1000);
  const failing = pool.allocate(1, { maxBlockMs: 20 });
  expect(read('waiting-threads')).toBe(1);
  clock.advance(20);
  await expect(failing).rejects.toMatchObject({ kind: 'exhausted' });
  expect(read('bufferpool-wait-time-ns-total')).toBe(20_000_000);
  expect(read('buffer-exhausted-total')).toBe(1);
  pool.deallocate(all);
  expect([read('buffer-available-bytes'), read('buffer-total-bytes')]).toEqual([1000, 1000]);
});
