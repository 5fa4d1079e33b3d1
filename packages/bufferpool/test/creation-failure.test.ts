import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BufferPool } from '../src/index.ts';

function makePool(createBuffer: (size: number) => Buffer) {
  return new BufferPool(
    { totalBytes: 100, poolableBytes: 10, createBuffer },
    { clock: new ManualClock() },
  );
}

test('a buffer that cannot be made fails its allocation with the cause, and its memory comes back', async () => {
  const cause = new RangeError('Array buffer allocation failed');
  const pool = makePool(() => {
    throw cause;
  });
  await expect(pool.allocate(50)).rejects.toMatchObject({
    code: 'LOGLOFT_POOL_CREATION_FAILED',
    retryable: true,
    cause,
  });
  expect(() => pool.tryAllocate(50)).toThrow(expect.objectContaining({ cause }));
  expect(pool.stats()).toMatchObject({ availableBytes: 100, createdBuffers: 0 });
});

test('a waiter whose buffer cannot be made lets the next one have the memory', async () => {
  let calls = 0;
  const pool = makePool((size) => {
    calls += 1;
    if (calls === 2) throw new Error('simulated');
    return Buffer.alloc(size);
  });
  const all = await pool.allocate(100);
  const first = pool.allocate(100);
  const second = pool.allocate(100);
  pool.deallocate(all);
  await expect(first).rejects.toMatchObject({ kind: 'creation-failed' });
  expect(await second).toHaveLength(100);
});

test.each([
  ['of another length', () => Buffer.alloc(3)],
  ['that is none', () => new Uint8Array(10) as Buffer],
])('a buffer %s is refused, and its memory comes back', async (_, createBuffer) => {
  const pool = makePool(createBuffer);
  await expect(pool.allocate(10)).rejects.toMatchObject({ kind: 'creation-failed' });
  expect(pool.stats().availableBytes).toBe(100);
});

test('one buffer cannot be handed out twice by a createBuffer that repeats itself', async () => {
  const same = Buffer.alloc(10);
  const pool = makePool(() => same);
  await pool.allocate(10);
  await expect(pool.allocate(10)).rejects.toMatchObject({ kind: 'creation-failed' });
  expect(pool.stats().grantedBytes).toBe(10);
});

test('a createBuffer that calls back into the pool finds it in order, and disturbs no order', async () => {
  const order: string[] = [];
  const spare: Buffer[] = [];
  const pool = makePool((size) => {
    const stats = pool.stats();
    const { availableBytes, heldByWaitersBytes, grantedBytes } = stats;
    expect(availableBytes + heldByWaitersBytes + grantedBytes).toBe(100);
    pool.deallocate(spare.pop());
    return Buffer.alloc(size);
  });
  const most = await pool.allocate(70);
  spare.push(await pool.allocate(30));
  const waits = [60, 30, 5].map((size) => pool.allocate(size).then(() => order.push(String(size))));
  // Making the buffer of 60 bytes releases the spare one in the middle of the wake-up.
  pool.deallocate(most);
  await Promise.all(waits);
  expect(order).toEqual(['60', '30', '5']);
  expect(pool.stats()).toMatchObject({ grantedBytes: 95, availableBytes: 5 });
});
