import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BufferPool } from '../src/index.ts';

function makePool() {
  return new BufferPool({ totalBytes: 100, poolableBytes: 10 }, { clock: new ManualClock() });
}

test('a lease gives its buffer back at the end of its block', async () => {
  const pool = makePool();
  {
    using lease = await pool.lease(10);
    expect(lease.buffer).toHaveLength(10);
    expect(pool.stats().grantedBytes).toBe(10);
  }
  expect(pool.stats()).toMatchObject({ grantedBytes: 0, freeBuffers: 1 });
});

test('a lease may be released more than once, and its buffer is not to be had afterwards', async () => {
  const pool = makePool();
  const lease = await pool.lease(10);
  lease.release();
  lease.release();
  lease[Symbol.dispose]();
  expect(pool.stats().freeBuffers).toBe(1);
  expect(() => lease.buffer).toThrow(
    expect.objectContaining({ code: 'LOGLOFT_POOL_LEASE_RELEASED' }),
  );
});

test('a lease waits, times out and aborts like an allocation', async () => {
  const pool = makePool();
  await pool.lease(100);
  await expect(pool.lease(1, { maxBlockMs: 0 })).rejects.toMatchObject({ kind: 'exhausted' });
  const abort = new AbortController();
  const waiting = pool.lease(1, { signal: abort.signal });
  abort.abort('enough');
  await expect(waiting).rejects.toBe('enough');
});
