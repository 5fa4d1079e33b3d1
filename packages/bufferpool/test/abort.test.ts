import { getEventListeners } from 'node:events';
import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BufferPool } from '../src/index.ts';

function exhaustedPool() {
  const clock = new ManualClock();
  const pool = new BufferPool({ totalBytes: 100, poolableBytes: 10 }, { clock });
  const all = pool.tryAllocate(100);
  return { clock, pool, all };
}

test('an aborted wait rejects with the reason of its signal, and leaves nothing behind', async () => {
  const { clock, pool } = exhaustedPool();
  const abort = new AbortController();
  const waiting = pool.allocate(10, { maxBlockMs: 1000, signal: abort.signal });
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
  const reason = new Error('no longer wanted');
  abort.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  expect(clock.pendingTimers).toBe(0);
  expect(pool.stats()).toMatchObject({ waiters: 0, exhausted: 0 });
});

test('one signal ends the waits at several pools, and those after a listener of the caller', async () => {
  const abort = new AbortController();
  abort.signal.addEventListener('abort', () => undefined);
  const { signal } = abort;
  const pools = [exhaustedPool().pool, exhaustedPool().pool];
  const waits = pools.flatMap((pool) => [
    pool.allocate(10, { signal }),
    pool.allocate(20, { signal }),
  ]);
  abort.abort('no longer wanted');
  expect(pools.map(({ waiters }) => waiters)).toEqual([0, 0]);
  for (const wait of waits) await expect(wait).rejects.toBe('no longer wanted');
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});

test('a signal that aborted before the call wins over memory that is there', async () => {
  const pool = new BufferPool({ totalBytes: 10, poolableBytes: 10 }, { clock: new ManualClock() });
  const signal = AbortSignal.abort('too late');
  await expect(pool.allocate(10, { signal })).rejects.toBe('too late');
  expect(pool.stats().availableBytes).toBe(10);
});

test('what an aborted head had gathered goes to the next at once', async () => {
  const { clock } = exhaustedPool();
  const pool = new BufferPool({ totalBytes: 100, poolableBytes: 10 }, { clock });
  const part = await pool.allocate(40);
  await pool.allocate(60);
  const abort = new AbortController();
  const head = pool.allocate(90, { signal: abort.signal });
  const next = pool.allocate(40);
  pool.deallocate(part);
  expect(pool.stats().heldByWaitersBytes).toBe(40);
  abort.abort();
  await expect(head).rejects.toBe(abort.signal.reason);
  expect(await next).toHaveLength(40);
});

test('an abort after the grant does not touch the pool: the caller owns the buffer', async () => {
  const { pool, all } = exhaustedPool();
  const abort = new AbortController();
  const waiting = pool.allocate(100, { signal: abort.signal });
  pool.deallocate(all);
  abort.abort();
  expect(await waiting).toHaveLength(100);
  expect(pool.stats().grantedBytes).toBe(100);
});

test('no listener is left after a grant, a time-out or a close', async () => {
  const { clock, pool, all } = exhaustedPool();
  const signals = Array.from({ length: 3 }, () => new AbortController().signal);
  const [granted, timedOut, closed] = signals.map((signal, index) =>
    pool.allocate(100, { signal, maxBlockMs: index === 1 ? 10 : 1000 }),
  );
  const late = expect(timedOut).rejects.toMatchObject({ kind: 'exhausted' });
  await clock.advanceAsync(10);
  await late;
  pool.deallocate(all);
  await granted;
  await pool.close();
  await expect(closed).rejects.toMatchObject({ kind: 'closed' });
  for (const signal of signals) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a signal shared by many gets one listener, and its abort ends all of them in their order', async () => {
  const { pool } = exhaustedPool();
  const abort = new AbortController();
  const log: number[] = [];
  const waits = Array.from({ length: 100 }, (_, index) =>
    pool.allocate(1, { signal: abort.signal }).catch(() => log.push(index)),
  );
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
  abort.abort();
  await Promise.all(waits);
  expect(log).toEqual(Array.from({ length: 100 }, (_, index) => index));
  expect(pool.stats().waiters).toBe(0);
});
