import { expect, test } from 'vitest';
import { GuardedObjectStore, RemoteStorageError } from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { manualContext } from '../segment-fixture.ts';

const KEYS = Array.from({ length: 5_432 }, (_, number) => `object/${number}`);

function setUp(beforeEach: (key: string) => Promise<void>) {
  const context = manualContext();
  const store = new MapObjectStore();
  for (const key of KEYS) store.objects.set(key, new Uint8Array(1));
  const calls: number[] = [];
  // As stores without batches do: one key after the other, and all of them.
  store.delete = async (keys) => {
    calls.push(keys.length);
    let failure: unknown;
    for (const key of keys) {
      try {
        await beforeEach(key);
        store.objects.delete(key);
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  };
  const guarded = new GuardedObjectStore(store, context, { requestTimeoutMs: 10_000 });
  return { ...context, store, guarded, calls };
}

test('a long list of keys may take longer than a single request', async () => {
  let slept = 0;
  const { store, guarded, clock } = setUp(async () => {
    slept += 1;
    // 5 ms a key: 27 s in all.
    if (slept % 100 === 0) await new Promise<void>((resolve) => clock.setTimer(500, resolve));
  });
  const deleting = guarded.delete(KEYS);
  deleting.catch(() => undefined);
  await clock.advanceAsync(60_000);
  await deleting;
  expect(store.objects.size).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

test('a key that cannot be deleted does not keep those far behind it, and is the one told', async () => {
  const stuck = KEYS[17] ?? '';
  const { store, guarded } = setUp(async (key) => {
    if (key === stuck) throw new RemoteStorageError('denied', 'locked', { key });
  });
  await expect(guarded.delete(KEYS)).rejects.toMatchObject({ kind: 'denied', key: stuck });
  expect([...store.objects.keys()]).toEqual([stuck]);
});

test('a list that is given up ends with the reason, and no more is begun', async () => {
  const controller = new AbortController();
  const reason = new Error('no longer wanted');
  const { guarded, calls } = setUp(async (key) => {
    if (key === KEYS[1]) controller.abort(reason);
  });
  await expect(guarded.delete(KEYS, { signal: controller.signal })).rejects.toBe(reason);
  expect(calls).toHaveLength(1);
});
