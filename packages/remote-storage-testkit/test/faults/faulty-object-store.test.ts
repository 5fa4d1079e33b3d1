import { ManualClock } from '@logloft/clock';
import { collectBytes, memorySource } from '@logloft/remote-storage';
import { expect, test } from 'vitest';
import {
  boundSource,
  type Fault,
  FaultyObjectStore,
  type StoreCall,
  scriptedFaults,
  seededBytes,
  seededFaults,
} from '../../src/index.ts';
import { MultipartObjectStore } from '../multipart-object-store.ts';
import { ReferenceObjectStore } from '../reference-object-store.ts';

const CALL: StoreCall = { operation: 'get', key: 'k', number: 1 };
const BYTES = seededBytes(1, 300_000);

function faulty(fault: Fault): {
  inner: ReferenceObjectStore;
  clock: ManualClock;
  store: FaultyObjectStore;
} {
  const inner = new ReferenceObjectStore();
  const clock = new ManualClock();
  const script = { put: [fault], get: [fault], head: [fault], delete: [fault], list: [fault] };
  return { inner, clock, store: new FaultyObjectStore(inner, scriptedFaults(script), clock) };
}

test('a failure before the effect leaves the store as it was, and the next call passes', async () => {
  const { inner, store } = faulty({ type: 'fail', kind: 'throttled', retryAfterMs: 70 });
  await expect(store.put('k', memorySource(BYTES))).rejects.toMatchObject({
    kind: 'throttled',
    retryable: true,
    retryAfterMs: 70,
  });
  expect(inner.objects.size).toBe(0);
  await store.put('k', memorySource(BYTES));
  expect(inner.objects.size).toBe(1);
});

test('a lost answer is a failure of something that was done', async () => {
  const { inner, store } = faulty({ type: 'fail', kind: 'unavailable', afterEffect: true });
  await expect(store.put('k', memorySource(BYTES))).rejects.toMatchObject({ kind: 'unavailable' });
  expect(inner.objects.size).toBe(1);
  await expect(store.delete(['k'])).rejects.toMatchObject({ kind: 'unavailable' });
  expect(inner.objects.size).toBe(0);
});

test('a slow call waits on the clock', async () => {
  const { inner, clock, store } = faulty({ type: 'slow', ms: 500 });
  const writing = store.put('k', memorySource(BYTES));
  await clock.advanceAsync(499);
  expect(inner.objects.size).toBe(0);
  await clock.advanceAsync(1);
  await writing;
  expect(inner.objects.size).toBe(1);
});

test('a hanging call ends with its signal, and a deaf one not even then', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const hanging = faulty({ type: 'hang' }).store.head('k', { signal: controller.signal });
  const deaf = faulty({ type: 'hang', deaf: true }).store.head('k', { signal: controller.signal });
  controller.abort(reason);
  await expect(hanging).rejects.toBe(reason);
  const settled = await Promise.race([deaf.catch(() => 'settled'), Promise.resolve('pending')]);
  expect(settled).toBe('pending');
});

test('a cut put stores nothing, and a cut get gives exactly the bytes before the cut', async () => {
  const { inner, store } = faulty({ type: 'cut', afterBytes: 200_001 });
  await expect(store.put('k', memorySource(BYTES))).rejects.toMatchObject({ kind: 'unavailable' });
  expect(inner.objects.size).toBe(0);
  await inner.put('k', memorySource(BYTES));
  let seen = 0;
  const reading = async (): Promise<void> => {
    for await (const piece of await store.get('k')) seen += piece.byteLength;
  };
  await expect(reading()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(seen).toBe(200_001);
});

test('a lie makes objects look and read shorter than they are', async () => {
  const { inner, store } = faulty({ type: 'lie', missingBytes: 5 });
  await inner.put('k', memorySource(BYTES));
  expect((await store.head('k')).size).toBe(BYTES.byteLength - 5);
  const read = await collectBytes(await store.get('k'), BYTES.byteLength);
  expect(Buffer.from(read).equals(BYTES.subarray(0, -5))).toBe(true);
  for await (const { size } of store.list()) expect(size).toBe(BYTES.byteLength - 5);
});

test('the calls are on record, also those that failed', async () => {
  const { store } = faulty({ type: 'fail', kind: 'unavailable' });
  await store.head('a').catch(() => undefined);
  await store.delete(['b', 'c']).catch(() => undefined);
  expect(store.calls).toEqual([
    { operation: 'head', key: 'a', number: 1 },
    { operation: 'delete', key: 'b', number: 2 },
  ]);
});

test('what a store may leave out is there where the store has it, and fails by the plan', async () => {
  const clock = new ManualClock();
  const plain = new FaultyObjectStore(new ReferenceObjectStore(), scriptedFaults({}), clock);
  expect(plain.removeUnfinished).toBeUndefined();
  expect(plain.serverTime).toBeUndefined();
  const plan = scriptedFaults({
    removeUnfinished: [{ type: 'fail', kind: 'unavailable', afterEffect: true }],
  });
  const inner = new MultipartObjectStore();
  const store = new FaultyObjectStore(inner, plan, clock);
  inner.leaveUnfinished('a');
  const options = { olderThanMs: 0, prefix: 'a' };
  await expect(store.removeUnfinished?.(options)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await store.removeUnfinished?.(options)).toBe(0);
  expect(await store.serverTime?.()).toBe(await inner.serverTime());
  expect(store.calls.map(({ operation, key }) => `${operation} ${key}`)).toEqual([
    'removeUnfinished a',
    'removeUnfinished a',
  ]);
});

test('a cut source keeps its bound', async () => {
  const { inner, store } = faulty({ type: 'cut', afterBytes: 300_000 });
  await store.put('k', boundSource(BYTES.subarray(0, 1_000), 2_000));
  expect(inner.objects.get('k')?.byteLength).toBe(1_000);
});

test('a seeded plan is the same for the same seed, and another for another', () => {
  const faultsOf = (seed: number): (Fault | undefined)[] => {
    const plan = seededFaults(seed, { percent: 50 });
    return Array.from({ length: 50 }, () => plan.next(CALL));
  };
  expect(faultsOf(1)).toEqual(faultsOf(1));
  expect(faultsOf(1)).not.toEqual(faultsOf(2));
  const hits = faultsOf(3).filter((fault) => fault !== undefined).length;
  expect(hits).toBeGreaterThan(10);
  expect(hits).toBeLessThan(40);
  const never = seededFaults(1, { percent: 0 });
  expect(Array.from({ length: 50 }, () => never.next(CALL)).every((fault) => !fault)).toBe(true);
});
