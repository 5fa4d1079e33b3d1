import { expect, test } from 'vitest';
import {
  type LayoutOptions,
  ObjectStoreRemoteStorage,
  type Pacer,
  sourceSlices,
} from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { DATA, manualContext, SEGMENT } from '../segment-fixture.ts';

// A store that paces, as those across a network do.
class PacedStore extends MapObjectStore {
  readonly written: [ms: number, bytes: number][] = [];
  now: () => number = () => 0;

  constructor() {
    super({ paced: true });
  }

  override async put(
    ...[key, source, options = {}]: Parameters<MapObjectStore['put']>
  ): Promise<void> {
    for await (const slice of sourceSlices(source, options)) {
      this.written.push([this.now(), slice.byteLength]);
    }
    await super.put(key, source);
  }
}

function setUp(options: LayoutOptions): {
  store: PacedStore;
  context: ReturnType<typeof manualContext>;
  manager: ObjectStoreRemoteStorage;
} {
  const store = new PacedStore();
  const context = manualContext();
  store.now = () => context.clock.monotonic();
  return { store, context, manager: new ObjectStoreRemoteStorage(store, options, context) };
}

const segment = (number: number): typeof SEGMENT => ({ ...SEGMENT, startOffset: number });

test("all copies together keep the upload rate, and the caller's pacer is asked as well", async () => {
  const rate = 2_000;
  const { store, context, manager } = setUp({ uploadBytesPerSecond: rate });
  let asked = 0;
  const pacer: Pacer = {
    take: async (bytes) => {
      asked += bytes;
    },
  };
  let done = 0;
  const copies = [1, 2, 3].map((number) =>
    manager.copyLogSegmentData(segment(number), DATA, { pacer }).then(() => {
      done += 1;
    }),
  );
  for (let second = 0; second < 60 && done < 3; second += 1)
    await context.clock.advanceAsync(1_000);
  await Promise.all(copies);
  const total = store.written.reduce((sum, [, bytes]) => sum + bytes, 0);
  expect(asked).toBe(total);
  for (let from = 0; from < 15_000; from += 500) {
    const inSecond = store.written
      .filter(([ms]) => ms >= from && ms < from + 1_000)
      .reduce((sum, [, bytes]) => sum + bytes, 0);
    expect(inSecond).toBeLessThanOrEqual(rate * 1.1);
  }
  expect(context.clock.monotonic()).toBeGreaterThanOrEqual((total / rate) * 1_000 * 0.9);
});

test('a copy that waits for the rate ends with its signal, and with the storage', async () => {
  const { context, manager } = setUp({ uploadBytesPerSecond: 1 });
  const controller = new AbortController();
  const reason = new Error('no longer the leader');
  const first = manager.copyLogSegmentData(segment(1), DATA, { signal: controller.signal });
  const second = manager.copyLogSegmentData(segment(2), DATA);
  first.catch(() => undefined);
  second.catch(() => undefined);
  await context.clock.advanceAsync(10_000);
  controller.abort(reason);
  await context.clock.advanceAsync(2_000);
  await expect(first).rejects.toBe(reason);
  const closing = manager.close();
  await context.clock.advanceAsync(2_000);
  await closing;
  await expect(second).rejects.toMatchObject({ kind: 'aborted' });
  expect(context.clock.pendingTimers).toBe(0);
});
