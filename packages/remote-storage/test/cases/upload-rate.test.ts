import { BytePacer } from '@logloft/quota';
import { expect, test } from 'vitest';
import {
  type ByteRange,
  type CallOptions,
  collectBytes,
  type LayoutOptions,
  memorySource,
  ObjectStoreRemoteStorage,
  type PutOptions,
  pacedSlices,
  readLayoutOptions,
  type SegmentSource,
  sourceSlices,
} from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { DATA, manualContext, SEGMENT } from '../segment-fixture.ts';

const OPTION = 'upload.rate.limit.bytes.per.second';

/** A store that paces, and notes which bytes came when. */
class TimedStore extends MapObjectStore {
  readonly arrived: { readonly ms: number; readonly bytes: number }[] = [];
  now: () => number = () => 0;

  constructor() {
    super({ paced: true });
  }

  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const kept: Uint8Array[] = [];
    for await (const slice of sourceSlices(source, options)) {
      this.arrived.push({ ms: this.now(), bytes: slice.byteLength });
      kept.push(Uint8Array.from(slice));
    }
    await super.put(key, memorySource(Buffer.concat(kept)));
  }

  override async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    return pacedSlices(await super.get(key, range, options), options);
  }
}

function setUp(options: LayoutOptions) {
  const store = new TimedStore();
  const context = manualContext();
  store.now = () => context.clock.monotonic();
  return { store, context, manager: new ObjectStoreRemoteStorage(store, options, context) };
}

const logOf = (size: number): SegmentSource => {
  const slice = new Uint8Array(32 * 1024);
  return {
    size,
    async *read() {
      for (let at = 0; at < size; at += slice.byteLength) yield slice.subarray(0, size - at);
    },
  };
};

const segmentAt = (startOffset: number, segmentSizeInBytes: number): typeof SEGMENT => ({
  ...SEGMENT,
  startOffset,
  segmentSizeInBytes,
});

// S24: more flowed than was configured, with both limits set.
test('forty copies at one time send no more than the limit times the time, and one burst (S24)', async () => {
  const limit = 1_000_000;
  const { store, context, manager } = setUp(readLayoutOptions({ [OPTION]: String(limit) }));
  // The broker's own quota, shared by all writers as well, is the looser of the two.
  const pacer = new BytePacer({ clock: context.clock, limit: 3 * limit });
  const size = 150_000;
  let done = 0;
  const copies = Array.from({ length: 40 }, async (_, number) => {
    const data = { ...DATA, log: logOf(size) };
    await manager.copyLogSegmentData(segmentAt(number, size), data, { pacer });
    done += 1;
  });
  while (done < copies.length) await context.clock.advanceAsync(100);
  await Promise.all(copies);
  const total = store.arrived.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(total).toBeGreaterThan(40 * size);
  const lastMs = store.arrived.at(-1)?.ms ?? 0;
  // What is free to flow at once is the largest slice that is asked for at a time.
  const burst = 64 * 1024;
  let head = 0;
  let inWindow = 0;
  for (const windowMs of [100, 1_000, lastMs + 1]) {
    head = 0;
    inWindow = 0;
    for (const { ms, bytes } of store.arrived) {
      inWindow += bytes;
      while ((store.arrived[head]?.ms ?? ms) <= ms - windowMs) {
        inWindow -= store.arrived[head]?.bytes ?? 0;
        head += 1;
      }
      expect(inWindow).toBeLessThanOrEqual((limit * windowMs) / 1_000 + burst);
    }
  }
  // And it is used.
  expect(lastMs).toBeLessThanOrEqual((total / limit) * 1_000 * 1.1);
});

// S25: a limit above 10^9 crashed at the start.
test.each([1, 1_000_000_001, 2 ** 31 - 1, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER])(
  'a limit of %i bytes per second is taken, and kept (S25)',
  async (limit) => {
    const { store, context, manager } = setUp(readLayoutOptions({ [OPTION]: String(limit) }));
    const size = limit === 1 ? 10 : 5_000_000;
    const copying = manager.copyLogSegmentData(segmentAt(1, size), { ...DATA, log: logOf(size) });
    let isOver = false;
    void copying.finally(() => {
      isOver = true;
    });
    for (let step = 0; step < 10_000 && !isOver; step += 1) {
      await context.clock.advanceAsync(limit === 1 ? 1_000 : 1);
    }
    await copying;
    const total = store.arrived.reduce((sum, { bytes }) => sum + bytes, 0);
    const leastMs = ((total - 64 * 1024) / limit) * 1_000;
    expect(context.clock.monotonic()).toBeGreaterThanOrEqual(leastMs - 10);
    expect(context.clock.monotonic()).toBeLessThanOrEqual((total / limit) * 1_100 + 2_000);
    await manager.close();
    expect(context.clock.pendingTimers).toBe(0);
  },
);

test.each(['0', '-1', '1.5', '1e9', '10 MiB', String(2 ** 53), ''])(
  'a limit of "%s" is refused by its name (S25)',
  (text) => {
    expect(() => readLayoutOptions({ [OPTION]: text })).toThrow(
      expect.objectContaining({
        kind: 'invalid-configuration',
        message: expect.stringContaining(OPTION),
      }),
    );
  },
);

// S26: downloads were to be held as well, by a budget of both directions.
test('copies and reads under one pacer keep its limit together (S26)', async () => {
  const limit = 100_000;
  const { store, context, manager } = setUp({});
  const { clock } = context;
  const size = 500_000;
  const log = new Uint8Array(size).fill(7);
  const read = segmentAt(1, size);
  await manager.copyLogSegmentData(read, { ...DATA, log: memorySource(log) });
  const startMs = clock.monotonic();
  store.arrived.length = 0;
  const pacer = new BytePacer({ clock, limit });
  const written = segmentAt(2, size);
  let done = 0;
  const finished = (): void => {
    done += 1;
  };
  const copying = manager
    .copyLogSegmentData(written, { ...DATA, log: logOf(size) }, { pacer })
    .finally(finished);
  const reading = manager
    .fetchLogSegment(read, { start: 0 }, { pacer })
    .then((pieces) => collectBytes(pieces, size))
    .finally(finished);
  while (done < 2) await clock.advanceAsync(100);
  await copying;
  expect((await reading).byteLength).toBe(size);
  const sent = store.arrived.reduce((sum, { bytes }) => sum + bytes, 0);
  const seconds = (clock.monotonic() - startMs) / 1_000;
  expect(seconds).toBeGreaterThanOrEqual(((sent + size) / limit) * 0.9);
  expect(seconds).toBeLessThanOrEqual(((sent + size) / limit) * 1.1);
});
