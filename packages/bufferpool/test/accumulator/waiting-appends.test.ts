import { expect, test } from 'vitest';
import { BufferExhaustedError } from '../../src/index.ts';
import { makeAccumulator, namesOf, record } from './test-accumulator.ts';

const FOR_EVER = { maxBlockMs: Number.POSITIVE_INFINITY };

test('without memory an append waits, nothing lingers, and what is sent makes room for it', async () => {
  const { clock, accumulator } = makeAccumulator({}, 100);
  accumulator.tryAppend('p', record('a'));
  expect(accumulator.tryAppend('q', record('b'))).toBeUndefined();
  const waiting = accumulator.append('q', record('b'), FOR_EVER);
  expect(accumulator.ready().partitions).toEqual(['p']);
  const [batch] = accumulator.drain(1000);
  expect(accumulator.stats()).toMatchObject({ waitingAppends: 1, inFlightBatches: 1 });
  if (batch !== undefined) accumulator.complete(batch);
  expect((await waiting).partition).toBe('q');
  expect(accumulator.ready().partitions).toEqual([]);
  clock.advance(5);
  expect(namesOf(accumulator.drain(1000))).toEqual(['b']);
});

test('records that wait for memory join one batch, in their order, and none overtakes them', async () => {
  const { accumulator, clock, pool } = makeAccumulator({}, 100);
  accumulator.tryAppend('p', record('a', 100));
  const order: string[] = [];
  const appends = ['b', 'c', 'd'].map(async (name) => {
    await accumulator.append('p', record(name), FOR_EVER);
    order.push(name);
  });
  expect(accumulator.tryAppend('p', record('tiny', 1))).toBeUndefined();
  expect(pool.waiters).toBe(1);
  for (const expected of ['a', 'b+c']) {
    const taken = accumulator.drain(1000);
    expect(namesOf(taken)).toEqual([expected]);
    for (const batch of taken) accumulator.complete(batch);
    await clock.advanceAsync(0);
  }
  await Promise.all(appends);
  expect(order).toEqual(['b', 'c', 'd']);
  expect(pool.stats()).toMatchObject({ waiters: 0, availableBytes: 0 });
});

test('each waiting append has its own deadline and signal; the others stay in line', async () => {
  const { accumulator, clock, pool } = makeAccumulator({}, 200);
  const held = pool.tryAllocate(200);
  const abort = new AbortController();
  const settled: string[] = [];
  const note = (name: string, wait: Promise<unknown>) =>
    wait.then(
      () => settled.push(`${name} in`),
      (error: unknown) => settled.push(`${name} ${error instanceof Error ? error.name : error}`),
    );
  void note('large', accumulator.append('p', record('large', 200), { maxBlockMs: 50 }));
  void note('brief', accumulator.append('p', record('brief'), { maxBlockMs: 10 }));
  void note('gone', accumulator.append('p', record('gone'), { signal: abort.signal }));
  void note('last', accumulator.append('p', record('last'), FOR_EVER));
  await clock.advanceAsync(10);
  abort.abort('left');
  await clock.advanceAsync(39);
  expect(settled).toEqual(['brief BufferExhaustedError', 'gone left']);
  await clock.advanceAsync(1);
  expect(settled[2]).toBe('large BufferExhaustedError');
  expect([clock.pendingTimers, accumulator.stats().exhausted]).toEqual([0, 2]);
  pool.deallocate(held);
  await clock.advanceAsync(0);
  expect(settled[3]).toBe('last in');
  expect(pool.stats()).toMatchObject({ waiters: 0, grantedBytes: 100 });
});

test('when a larger record comes to wait first, memory is asked for it anew', async () => {
  const { accumulator, clock, pool } = makeAccumulator({}, 200);
  const held = pool.tryAllocate(150);
  const abort = new AbortController();
  const first = accumulator.append('p', record('small'), { signal: abort.signal });
  const second = accumulator.append('p', record('large', 180), FOR_EVER);
  abort.abort('left');
  await expect(first).rejects.toBe('left');
  pool.deallocate(held);
  expect(namesOf([await second])).toEqual(['large']);
  await clock.advanceAsync(0);
  expect(pool.stats()).toMatchObject({ waiters: 0, grantedBytes: 180 });
});

test('an append that may not wait fails with the state of the pool', async () => {
  const { accumulator, pool } = makeAccumulator({}, 100);
  accumulator.tryAppend('p', record('a', 100));
  const failure = accumulator.append('p', record('b'), { maxBlockMs: 0 });
  await expect(failure).rejects.toBeInstanceOf(BufferExhaustedError);
  await expect(failure).rejects.toMatchObject({ requestedBytes: 100, availableBytes: 0 });
  await expect(accumulator.append('p', record('c', 101))).rejects.toMatchObject({
    code: 'LOGLOFT_POOL_TOO_LARGE',
  });
  expect(pool.waiters).toBe(0);
});

test('no more than maxWaiters appends wait', async () => {
  const { accumulator } = makeAccumulator({ maxWaiters: 1 }, 100);
  accumulator.tryAppend('p', record('a', 100));
  const waiting = accumulator.append('p', record('b'), FOR_EVER);
  await expect(accumulator.append('q', record('c'))).rejects.toMatchObject({
    code: 'LOGLOFT_POOL_TOO_MANY_WAITERS',
  });
  accumulator.abort('end');
  await expect(waiting).rejects.toBe('end');
});

test('when the pool is closed, those who wait are told', async () => {
  const { accumulator, pool } = makeAccumulator({}, 100);
  accumulator.tryAppend('p', record('a', 100));
  const waits = [1, 2].map((at) => accumulator.append('p', record(`w${at}`), FOR_EVER));
  await pool.close();
  for (const wait of waits) await expect(wait).rejects.toMatchObject({ kind: 'closed' });
  expect(accumulator.stats()).toMatchObject({ waitingAppends: 0 });
});
