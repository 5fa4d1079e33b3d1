import { expect, test } from 'vitest';
import { makeAccumulator, namesOf, record } from './test-accumulator.ts';

const FOR_EVER = { maxBlockMs: Number.POSITIVE_INFINITY };

test('records of a partition share a batch of the poolable size until it is full, or has lingered', () => {
  const { clock, pool, accumulator } = makeAccumulator();
  const first = accumulator.tryAppend('p', record('a'));
  expect(accumulator.tryAppend('p', record('b'))).toBe(first);
  expect(accumulator.ready()).toEqual({ partitions: [], nextCheckMs: 5 });
  expect(accumulator.drain(1000)).toEqual([]);
  // The third does not fit any more, so the first batch is closed, and ready at once.
  expect(accumulator.tryAppend('p', record('c'))).not.toBe(first);
  expect(accumulator.ready().partitions).toEqual(['p']);
  expect(pool.stats().grantedBytes).toBe(200);
  expect(namesOf(accumulator.drain(1000))).toEqual(['a+b']);
  if (first !== undefined) accumulator.complete(first);
  clock.advance(5);
  expect(namesOf(accumulator.drain(1000))).toEqual(['c']);
});

test('a batch that is exactly full is ready without another record', () => {
  const { accumulator } = makeAccumulator();
  accumulator.tryAppend('p', record('a', 100));
  expect(accumulator.ready().partitions).toEqual(['p']);
});

test('a record larger than a batch gets a buffer of its own size, and is sent alone', () => {
  const { pool, accumulator } = makeAccumulator();
  accumulator.tryAppend('p', record('small'));
  accumulator.tryAppend('p', record('large', 170));
  expect(pool.stats().grantedBytes).toBe(270);
  const taken = accumulator.drain(1000);
  expect(namesOf(taken)).toEqual(['small']);
  for (const batch of taken) accumulator.complete(batch);
  expect(namesOf(accumulator.drain(1000))).toEqual(['large']);
  expect(pool.stats()).toMatchObject({ grantedBytes: 170, freeBuffers: 1 });
});

test('drain takes turns among partitions, one batch each, up to maxBytes but at least one', () => {
  const { accumulator } = makeAccumulator({ maxInFlightPerPartition: 2 }, 1000);
  for (const partition of ['p', 'q', 'r']) {
    accumulator.tryAppend(partition, record(`${partition}1`, 100));
    accumulator.tryAppend(partition, record(`${partition}2`, 100));
  }
  expect(namesOf(accumulator.drain(200))).toEqual(['p1', 'q1']);
  expect(accumulator.ready().partitions).toEqual(['r', 'p', 'q']);
  expect(namesOf(accumulator.drain(1))).toEqual(['r1']);
  expect(namesOf(accumulator.drain(1000))).toEqual(['p2', 'q2', 'r2']);
  expect(accumulator.drain(1000)).toEqual([]);
});

test('a retry comes back to its place after a backoff that doubles, and later batches wait for it', () => {
  const { accumulator, clock } = makeAccumulator({}, 1000);
  for (const name of ['a', 'b']) accumulator.tryAppend('p', record(name, 100));
  for (const backoff of [100, 200, 400, 800, 1000, 1000]) {
    const [batch] = accumulator.drain(1000);
    expect(batch?.records[0]?.name).toBe('a');
    if (batch !== undefined) accumulator.retry(batch, new Error('later'));
    expect(accumulator.ready()).toEqual({ partitions: [], nextCheckMs: backoff });
    clock.advance(backoff - 1);
    expect(accumulator.drain(1000)).toEqual([]);
    clock.advance(1);
  }
  const [first] = accumulator.drain(1000);
  expect(first?.attempts).toBe(7);
  if (first !== undefined) accumulator.complete(first);
  expect(namesOf(accumulator.drain(1000))).toEqual(['b']);
});

test('several batches in flight that fail in any order come back in theirs', () => {
  const { accumulator, clock } = makeAccumulator({ maxInFlightPerPartition: 3 }, 1000);
  for (const name of ['a', 'b', 'c', 'd']) accumulator.tryAppend('p', record(name, 100));
  const taken = [0, 1, 2].flatMap(() => accumulator.drain(1000));
  expect(namesOf(taken)).toEqual(['a', 'b', 'c']);
  for (const at of [1, 2, 0]) {
    const batch = taken[at];
    if (batch !== undefined) accumulator.retry(batch);
  }
  clock.advance(100);
  expect(namesOf([0, 1, 2].flatMap(() => accumulator.drain(1000)))).toEqual(['a', 'b', 'c']);
});

test('a batch that is too old is given up while it waits, and its memory goes back', async () => {
  const { accumulator, clock, pool } = makeAccumulator({ deliveryTimeoutMs: 1000 });
  const batch = await accumulator.append('p', record('a'));
  const settled = expect(batch.settled()).rejects.toMatchObject({
    code: 'LOGLOFT_ACCUMULATOR_DELIVERY_TIMEOUT',
    retryable: true,
  });
  clock.advance(1000);
  expect(accumulator.drain(1000)).toEqual([]);
  await settled;
  expect(pool.stats().availableBytes).toBe(300);
  expect(accumulator.stats()).toMatchObject({ partitions: 0, queuedBatches: 0 });
});

test('a batch that got too old in flight is given up instead of retried, with the cause', async () => {
  const { accumulator, clock } = makeAccumulator({ deliveryTimeoutMs: 1000 });
  await accumulator.append('p', record('a', 100));
  const [batch] = accumulator.drain(1000);
  clock.advance(1000);
  const cause = new Error('network');
  if (batch !== undefined) accumulator.retry(batch, cause);
  await expect(batch?.settled()).rejects.toMatchObject({ kind: 'delivery-timeout', cause });
});

test('flush hurries what is there, and resolves when it has ended, whichever way', async () => {
  const { accumulator, clock } = makeAccumulator({ lingerMs: 1000 });
  await accumulator.append('p', record('a'));
  await accumulator.append('q', record('b'));
  let flushed = false;
  const flush = accumulator.flush().then(() => {
    flushed = true;
  });
  const [first, second] = accumulator.drain(1000);
  if (first === undefined || second === undefined) throw new Error('two batches are ready');
  accumulator.complete(first);
  await clock.advanceAsync(0);
  expect(flushed).toBe(false);
  accumulator.fail(second, new Error('refused'));
  await flush;
  await accumulator.append('p', record('c'));
  expect(accumulator.ready().partitions).toEqual([]);
});

test('a flush that is aborted ends its hurry, and leaves no listener', async () => {
  const { accumulator } = makeAccumulator();
  await accumulator.append('p', record('a'));
  const abort = new AbortController();
  const flush = accumulator.flush({ signal: abort.signal });
  abort.abort('enough');
  await expect(flush).rejects.toBe('enough');
  expect(accumulator.ready().partitions).toEqual([]);
});

test('close refuses new records, rejects those that wait, and delivers those in batches', async () => {
  const { accumulator, clock, pool } = makeAccumulator({ lingerMs: 1000 }, 100);
  const batch = await accumulator.append('p', record('a'));
  const waiting = accumulator.append('q', record('b'), FOR_EVER);
  const closing = accumulator.close();
  await expect(waiting).rejects.toMatchObject({ code: 'LOGLOFT_ACCUMULATOR_CLOSED' });
  await expect(accumulator.append('p', record('c'))).rejects.toMatchObject({ kind: 'closed' });
  expect(() => accumulator.tryAppend('p', record('c'))).toThrow(/closed/);
  expect(await accumulator.whenReady()).toBe(true);
  for (const taken of accumulator.drain(1000)) accumulator.complete(taken);
  await closing;
  await accumulator.close();
  await batch.settled();
  expect(await accumulator.whenReady()).toBe(false);
  expect(clock.pendingTimers).toBe(0);
  expect(pool.stats()).toMatchObject({ availableBytes: 100, waiters: 0 });
});

test('abort fails everything, but the memory of a batch in flight goes back only when its sender ends it', async () => {
  const { accumulator, clock, pool } = makeAccumulator({ lingerMs: 1000 }, 200);
  const flying = await accumulator.append('p', record('flying', 100));
  accumulator.drain(1000);
  const queued = await accumulator.append('p', record('queued', 100));
  const waiting = accumulator.append('p', record('waiting'), FOR_EVER);
  accumulator.abort();
  for (const promise of [flying.settled(), queued.settled(), waiting]) {
    await expect(promise).rejects.toMatchObject({ code: 'LOGLOFT_ACCUMULATOR_ABORTED' });
  }
  await clock.advanceAsync(0);
  expect(pool.stats()).toMatchObject({ grantedBytes: 100, waiters: 0 });
  // The sender learns nothing, and may end it in any way.
  accumulator.retry(flying);
  expect(pool.stats().grantedBytes).toBe(0);
  expect(accumulator.stats()).toMatchObject({ partitions: 0, inFlightBatches: 0 });
});

test('await using aborts what was not delivered', async () => {
  const { accumulator, pool } = makeAccumulator();
  let settled: Promise<void> | undefined;
  {
    await using closing = accumulator;
    settled = (await closing.append('p', record('a'))).settled();
  }
  await expect(settled).rejects.toMatchObject({ kind: 'aborted' });
  expect(pool.stats().availableBytes).toBe(300);
});

test('a batch that is not in flight cannot be ended, and no batch twice', async () => {
  const { accumulator, pool } = makeAccumulator();
  const batch = await accumulator.append('p', record('a', 100));
  const refusal = expect.objectContaining({ code: 'LOGLOFT_ACCUMULATOR_NOT_IN_FLIGHT' });
  expect(() => accumulator.complete(batch)).toThrow(refusal);
  accumulator.drain(1000);
  accumulator.complete(batch);
  for (const end of [
    () => accumulator.complete(batch),
    () => accumulator.retry(batch),
    () => accumulator.fail(batch, new Error('x')),
  ]) {
    expect(end).toThrow(refusal);
  }
  const other = makeAccumulator();
  const foreign = await other.accumulator.append('p', record('f', 100));
  other.accumulator.drain(1000);
  expect(() => accumulator.complete(foreign)).toThrow(refusal);
  expect(pool.stats().availableBytes).toBe(300);
});

test('one timer serves whenReady, and there is none while nobody waits or nothing is there', async () => {
  const { accumulator, clock } = makeAccumulator();
  let wakes = 0;
  const count = () => {
    wakes += 1;
  };
  void accumulator.whenReady().then(count);
  expect(clock.pendingTimers).toBe(0);
  await accumulator.append('p', record('a'));
  await accumulator.append('q', record('b'));
  expect(clock.pendingTimers).toBe(1);
  void accumulator.whenReady().then(count);
  expect([clock.pendingTimers, clock.nextTimerInMs]).toEqual([1, 5]);
  await clock.advanceAsync(5);
  expect(wakes).toBe(2);
  expect(clock.pendingTimers).toBe(0);
  await clock.advanceAsync(1000);
  expect(clock.pendingTimers).toBe(0);
});

test('whenReady ends by a full batch before the linger, and by its signal', async () => {
  const { accumulator, clock } = makeAccumulator();
  const abort = new AbortController();
  const aborted = accumulator.whenReady({ signal: abort.signal });
  await accumulator.append('p', record('a'));
  abort.abort('left');
  await expect(aborted).rejects.toBe('left');
  expect(clock.pendingTimers).toBe(0);
  const ready = accumulator.whenReady();
  await accumulator.append('p', record('b', 60));
  expect(await ready).toBe(true);
  expect(clock.pendingTimers).toBe(0);
  await expect(accumulator.whenReady({ signal: abort.signal })).rejects.toBe('left');
});

test('names of partitions are ordinary names, whatever they are', async () => {
  const { accumulator } = makeAccumulator({}, 1000);
  for (const name of ['constructor', '__proto__', '']) {
    await accumulator.append(name, record(name, 100));
  }
  expect(accumulator.ready().partitions).toEqual(['constructor', '__proto__', '']);
});
