import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { SharedBufferPool } from '../../src/shared/index.ts';
import { SharedLayout } from '../../src/shared/shared-layout.ts';
import { SharedLock } from '../../src/shared/shared-lock.ts';

/** A pool with a thread that has died inside its lock, while it held half of the memory. */
async function makeDeadlocked() {
  const clock = new ManualClock();
  const pool = SharedBufferPool.create({ totalBytes: 1000, poolableBytes: 100 }, { clock });
  const seat = pool.seat();
  const dead = SharedBufferPool.join(seat, { clock });
  const mine = await pool.allocate(300);
  await dead.allocate(500);
  const lock = new SharedLock(SharedLayout.open(seat.memory).words, seat.ownerId);
  expect(lock.tryEnter(0)).toBe(true);
  return { clock, pool, mine, deadId: seat.ownerId };
}

test('a thread that died inside the lock blocks nobody: the others go on by promise until it is reclaimed', async () => {
  const { pool, mine, deadId } = await makeDeadlocked();
  expect(pool.tryAllocate(100)).toBeUndefined();
  const waiting = pool.allocate(900);
  pool.deallocate(mine);
  expect(pool.stats()).toMatchObject({ availableBytes: 200, grantedBytes: 800 });
  expect(await pool.reclaim(deadId)).toBe(500);
  expect(await waiting).toHaveLength(900);
  expect(pool.stats()).toMatchObject({ availableBytes: 100, grantedBytes: 900, waiters: 0 });
});

test('deadlines and signals hold for those who cannot even get in', async () => {
  const { clock, pool, deadId } = await makeDeadlocked();
  const abort = new AbortController();
  const aborted = expect(pool.allocate(100, { signal: abort.signal })).rejects.toBe('gone');
  const late = expect(pool.allocate(100, { maxBlockMs: 10 })).rejects.toMatchObject({
    kind: 'exhausted',
  });
  abort.abort('gone');
  clock.advance(10);
  await Promise.all([aborted, late]);
  await pool.reclaim(deadId);
  expect(pool.stats().waiters).toBe(0);
});

test('a wait that ends while the lock is held is taken out of the queue as soon as it is free', async () => {
  const clock = new ManualClock();
  const pool = SharedBufferPool.create({ totalBytes: 100, poolableBytes: 100 }, { clock });
  const seat = pool.seat();
  await pool.allocate(100);
  const waiting = pool.allocate(1, { maxBlockMs: 10 });
  const lock = new SharedLock(SharedLayout.open(seat.memory).words, seat.ownerId);
  lock.tryEnter(0);
  clock.advance(10);
  expect(pool.waiters).toBe(1);
  lock.leave();
  await expect(waiting).rejects.toMatchObject({ kind: 'exhausted' });
  expect(pool.waiters).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

/** A clock that does something when it is asked for the time the next time but one. */
class HookedClock extends ManualClock {
  #hooks: (() => void)[] = [];

  onSecondLook(hook: () => void): void {
    this.#hooks = [() => undefined, hook];
  }

  override monotonic(): number {
    this.#hooks.shift()?.();
    return super.monotonic();
  }
}

test('who had to wait for the lock keeps its place among the waiters of its thread', async () => {
  const clock = new HookedClock();
  const pool = SharedBufferPool.create({ totalBytes: 100, poolableBytes: 100 }, { clock });
  const seat = pool.seat();
  const lock = new SharedLock(SharedLayout.open(seat.memory).words, seat.ownerId);
  const held = await pool.allocate(100);
  const served: number[] = [];
  const allocate = async (name: number): Promise<void> => {
    const buffer = await pool.allocate(100);
    served.push(name);
    pool.deallocate(buffer);
  };
  lock.tryEnter(0);
  // The lock is free again as soon as the first has seen that it must wait for it.
  clock.onSecondLook(() => lock.leave());
  const waits = [allocate(0)];
  // Others come in every step between its getting in and its taking note of it.
  for (let name = 1; name <= 20; name += 1) {
    await Promise.resolve();
    waits.push(allocate(name));
  }
  pool.deallocate(held);
  await Promise.all(waits);
  expect(served).toHaveLength(21);
  expect(pool.stats()).toMatchObject({ availableBytes: 100, waiters: 0 });
});

test('two threads that died are reclaimed in any order, also the one inside the lock last', async () => {
  const clock = new ManualClock();
  const pool = SharedBufferPool.create({ totalBytes: 1000, poolableBytes: 100 }, { clock });
  const [first, second] = [pool.seat(), pool.seat()];
  await SharedBufferPool.join(first, { clock }).allocate(200);
  await SharedBufferPool.join(second, { clock }).allocate(300);
  new SharedLock(SharedLayout.open(first.memory).words, second.ownerId).tryEnter(0);
  const reclaims = [pool.reclaim(first.ownerId), pool.reclaim(second.ownerId)];
  expect(await Promise.all(reclaims)).toEqual([200, 300]);
  expect(pool.stats()).toMatchObject({ availableBytes: 1000, holders: [] });
});

test('a lock that is not held by a thread cannot be seized from it', () => {
  const words = new Int32Array(new SharedArrayBuffer(64));
  const [first, second] = [new SharedLock(words, 1), new SharedLock(words, 2)];
  expect(first.tryEnter(0)).toBe(true);
  expect(second.tryEnter(1)).toBe(false);
  expect(second.seize(3)).toBe(false);
  expect(second.seize(1)).toBe(true);
  second.leave();
  expect(first.tryEnter(0)).toBe(true);
});
