import { expect, test } from 'vitest';
import { collectBytes, type LayoutOptions, ObjectStoreRemoteStorage } from '../../src/index.ts';
import { forEver, MapObjectStore } from '../map-object-store.ts';
import { DATA, LOG, manualContext, SEGMENT } from '../segment-fixture.ts';

function setUp(
  options: LayoutOptions = {},
  store: MapObjectStore = new MapObjectStore(),
): {
  store: MapObjectStore;
  context: ReturnType<typeof manualContext>;
  manager: ObjectStoreRemoteStorage;
} {
  const context = manualContext();
  return { store, context, manager: new ObjectStoreRemoteStorage(store, options, context) };
}

async function readLog(manager: ObjectStoreRemoteStorage, start = 0): Promise<Uint8Array> {
  return await collectBytes(await manager.fetchLogSegment(SEGMENT, { start }), LOG.byteLength);
}

test.each(['head', 'put', 'get', 'delete'])(
  'every promise settles although the store never answers a %s',
  async (hanging) => {
    const { store, manager, context } = setUp({ maxAttempts: 2, idleTimeoutMs: 5_000 });
    if (hanging !== 'head' && hanging !== 'put') await manager.copyLogSegmentData(SEGMENT, DATA);
    store.intervene = (operation) => (operation === hanging ? forEver() : undefined);
    const calls = {
      head: () => manager.copyLogSegmentData(SEGMENT, DATA),
      put: () => manager.copyLogSegmentData(SEGMENT, DATA),
      get: () => readLog(manager),
      delete: () => manager.deleteLogSegmentData(SEGMENT),
    };
    const call = new Map<string, () => Promise<unknown>>(Object.entries(calls)).get(hanging);
    const outcome = call?.().catch((error: unknown) => error);
    await context.clock.advanceAsync(60_000);
    expect(await outcome).toMatchObject({ kind: 'timeout', retryable: true });
    expect(context.clock.pendingTimers).toBe(0);
  },
);

test('a stream that falls silent fails in time, and one that nobody reads may wait', async () => {
  const { store, manager, context } = setUp({ idleTimeoutMs: 1_000 });
  await manager.copyLogSegmentData(SEGMENT, DATA);
  await manager.fetchIndex(SEGMENT, 'OFFSET');
  let transfers = 0;
  store.onPieces = async function* (pieces) {
    transfers += 1;
    if (transfers === 1) for await (const piece of pieces) yield piece.subarray(0, 100);
    await forEver();
  };
  const stream = await manager.fetchLogSegment(SEGMENT, { start: 0 });
  const iterator = stream[Symbol.asyncIterator]();
  expect((await iterator.next()).value).toHaveLength(100);
  await context.clock.advanceAsync(3_600_000);
  const silent = iterator.next().then(undefined, (error: unknown) => error);
  await context.clock.advanceAsync(60_000);
  expect(await silent).toMatchObject({ kind: 'timeout' });
  expect(transfers).toBe(3);
  expect(context.clock.pendingTimers).toBe(0);
});

test('closing ends what is under way, refuses what comes, and disposes of the store once', async () => {
  const { store, manager, context } = setUp();
  await manager.copyLogSegmentData(SEGMENT, DATA);
  const stream = await manager.fetchLogSegment(SEGMENT, { start: 0 });
  store.intervene = () => forEver();
  const hanging = manager.fetchIndex(SEGMENT, 'OFFSET');
  hanging.catch(() => undefined);
  await context.clock.advanceAsync(0);
  await manager.close();
  await manager.close();
  await expect(hanging).rejects.toMatchObject({ kind: 'aborted' });
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'aborted' });
  await expect(manager.deleteLogSegmentData(SEGMENT)).rejects.toMatchObject({ kind: 'aborted' });
  expect(store.disposals).toBe(1);
  expect(context.clock.pendingTimers).toBe(0);
});

test('a copy that hangs in a deaf store ends with its signal, after the store had its grace', async () => {
  const { store, manager, context } = setUp();
  store.intervene = (operation) => (operation === 'put' ? forEver() : undefined);
  const controller = new AbortController();
  const reason = new Error('no longer the leader');
  const copying = manager.copyLogSegmentData(SEGMENT, DATA, { signal: controller.signal });
  copying.catch(() => undefined);
  await context.clock.advanceAsync(10);
  controller.abort(reason);
  await context.clock.advanceAsync(1_000);
  await expect(copying).rejects.toBe(reason);
  expect(store.calls.filter((call) => call.startsWith('delete'))).toHaveLength(2);
});

test('a copy has its deadline', async () => {
  const { store, manager, context } = setUp({ copyTimeoutMs: 60_000 });
  const copying = manager.copyLogSegmentData(SEGMENT, DATA, { pacer: { take: () => forEver() } });
  copying.catch(() => undefined);
  await context.clock.advanceAsync(70_000);
  await expect(copying).rejects.toMatchObject({ kind: 'timeout' });
  expect(store.objects.size).toBe(0);
});

test('what a store throws that is no error of the contract becomes one', async () => {
  const { store, manager } = setUp();
  const cause = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  store.intervene = () => {
    throw cause;
  };
  await expect(manager.copyLogSegmentData(SEGMENT, DATA)).rejects.toMatchObject({
    kind: 'full',
    code: 'LOGLOFT_REMOTE_FULL',
    retryable: false,
    cause,
  });
});
