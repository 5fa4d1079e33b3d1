import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BufferPool, type BufferPoolOptions, type UnreleasedReport } from '../src/index.ts';

function makePool(options: Partial<BufferPoolOptions> = {}) {
  const clock = new ManualClock();
  const reports: UnreleasedReport[] = [];
  const pool = new BufferPool(
    { totalBytes: 100, poolableBytes: 10, diagnostics: true, ...options },
    { clock, onUnreleased: (report) => reports.push(report) },
  );
  return { clock, pool, reports };
}

test('who holds what for how long is known, whoever has held for the longest time first', async () => {
  const { clock, pool } = makePool();
  await pool.allocate(10, { label: 'reader' });
  clock.advance(5);
  const second = pool.tryAllocate(25, { label: 'writer' });
  clock.advance(7);
  expect(pool.unreleased()).toMatchObject({
    heldBytes: 35,
    holders: [
      { label: 'reader', requestedBytes: 10, heldBytes: 10, heldMs: 12, collected: false },
      { label: 'writer', requestedBytes: 25, heldBytes: 25, heldMs: 7, collected: false },
    ],
  });
  pool.deallocate(second);
  expect(pool.unreleased().holders).toHaveLength(1);
});

function somebodyWhoForgets(pool: BufferPool) {
  return pool.tryAllocate(10);
}

test('the stack is that of the call, without the frames of the pool', () => {
  const { pool } = makePool();
  somebodyWhoForgets(pool);
  const [holder] = pool.unreleased().holders;
  expect(holder?.stack.split('\n')[0]).toContain('somebodyWhoForgets');
  expect(holder?.stack).not.toContain('tryAllocate');
});

test('a reused buffer belongs to its new holder, and a wait is not yet a holding', async () => {
  const { clock, pool } = makePool({ totalBytes: 10 });
  const buffer = await pool.allocate(10, { label: 'first' });
  const waiting = pool.allocate(10, { label: 'second' });
  expect(pool.unreleased().holders.map(({ label }) => label)).toEqual(['first']);
  clock.advance(3);
  pool.deallocate(buffer);
  // The account changes within the call that releases, before the promise continues.
  expect(pool.unreleased().holders).toMatchObject([{ label: 'second', heldMs: 0 }]);
  expect(await waiting).toBe(buffer);
  using lease = await pool.lease(0, { label: 'empty', maxBlockMs: 1 });
  expect(pool.unreleased().holders[1]).toMatchObject({ label: 'empty', heldBytes: 0 });
  lease.release();
  expect(pool.unreleased().holders).toHaveLength(1);
});

test('close reports what was never released, once; what comes back later is gone from the report on demand', async () => {
  const { pool, reports } = makePool();
  const buffer = await pool.allocate(40, { label: 'late' });
  await pool.close();
  await pool.close();
  expect(reports).toMatchObject([{ heldBytes: 40, holders: [{ label: 'late' }] }]);
  pool.deallocate(buffer);
  expect(pool.unreleased()).toEqual({ heldBytes: 0, holders: [] });
});

test('close reports nothing when all is back, or when the diagnostic mode is off', async () => {
  const tidy = makePool();
  tidy.pool.deallocate(await tidy.pool.allocate(1));
  await tidy.pool.close();
  const off = makePool({ diagnostics: false });
  await off.pool.allocate(1);
  await off.pool.close();
  expect([tidy.reports, off.reports]).toEqual([[], []]);
});

test('a listener that throws fails close, after every waiter was told', async () => {
  const pool = new BufferPool(
    { totalBytes: 10, poolableBytes: 10, diagnostics: true },
    {
      clock: new ManualClock(),
      onUnreleased: () => {
        throw new Error('listener');
      },
    },
  );
  await pool.allocate(10);
  const waiting = pool.allocate(1);
  await expect(pool.close()).rejects.toThrow('listener');
  await expect(waiting).rejects.toMatchObject({ kind: 'closed' });
});

test('without the diagnostic mode, asking for the holders is refused', () => {
  expect(() => makePool({ diagnostics: false }).pool.unreleased()).toThrow(
    expect.objectContaining({ code: 'LOGLOFT_POOL_DIAGNOSTICS_OFF' }),
  );
});

test('under kafka semantics, a foreign buffer that is returned changes no holder', () => {
  const { pool } = makePool({ semantics: 'kafka' });
  const buffer = pool.tryAllocate(10);
  pool.deallocate(Buffer.alloc(10), 0);
  expect(pool.unreleased().holders).toHaveLength(1);
  pool.deallocate(buffer, 4);
  expect(pool.unreleased().holders).toEqual([]);
});

test('a buffer that was dropped without a release is seen as collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('gc is not exposed');
  const { clock, pool } = makePool();
  somebodyWhoForgets(pool);
  const kept = pool.tryAllocate(10);
  // A weak reference is kept until the end of the turn that made it.
  await clock.advanceAsync(0);
  collect();
  expect(pool.unreleased().holders.map(({ collected }) => collected)).toEqual([true, false]);
  pool.deallocate(kept);
});
