import { BufferPool } from '@logloft/bufferpool';
import { ManualClock, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import {
  DEFAULT_RETRY_POLICY,
  memorySource,
  ObjectStoreRemoteStorage,
  type PutOptions,
  partMemory,
  RemoteStorageError,
  type SegmentSource,
  type UploadPart,
  uploadParts,
} from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { DATA, manualContext, SEGMENT } from '../segment-fixture.ts';

const MIB = 1024 * 1024;

interface PartStoreOptions {
  readonly memory: BufferPool;
  readonly clock: ManualClock;
  readonly partBytes: number;
  readonly send: (part: UploadPart) => Promise<void>;
}

/** A store that sends parts as those across a network do; what `send` does with them is the test's. */
class PartStore extends MapObjectStore {
  readonly #options: PartStoreOptions;

  constructor(options: PartStoreOptions) {
    super({ paced: true, readUnitBytes: MIB });
    this.#options = options;
  }

  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const { memory, clock, partBytes, send } = this.#options;
    const parts = new Map<number, Buffer>();
    await uploadParts(source, {
      ...options,
      memory,
      partBytes,
      maxInFlight: 4,
      retry: {
        clock,
        random: seededRandom(1),
        policy: { ...DEFAULT_RETRY_POLICY, maxAttempts: 1 },
      },
      send: async (part) => {
        await send(part);
        // Of a log only its beginning is kept, so that the store itself takes no memory.
        parts.set(part.index, Buffer.from(part.bytes.subarray(0, 4_000)));
      },
    });
    const ordered = [...parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
    await super.put(key, memorySource(Buffer.concat(ordered)));
  }
}

/** A log of any size that takes the memory of one slice. */
function longLog(size: number): SegmentSource {
  const slice = seededRandom(1).fill(new Uint8Array(64 * 1024));
  return {
    size,
    async *read() {
      for (let at = 0; at < size; at += slice.byteLength) yield slice.subarray(0, size - at);
    },
  };
}

const segmentAt = (startOffset: number, segmentSizeInBytes: number): typeof SEGMENT => ({
  ...SEGMENT,
  startOffset,
  segmentSizeInBytes,
});

// S22: a large part size, times many segments, exhausted the heap.
test('ten copies with large parts stay under one bound of memory, and all of them end (S22)', async () => {
  const context = manualContext();
  const { clock } = context;
  const totalBytes = 16 * MIB;
  const partBytes = 6 * MIB;
  const memory = partMemory({ clock, totalBytes, partBytes });
  let most = 0;
  const store = new PartStore({
    memory,
    clock,
    partBytes,
    send: async () => {
      most = Math.max(most, memory.stats().grantedBytes);
      await new Promise<void>((resolve) => clock.setTimer(10, resolve));
    },
  });
  const manager = new ObjectStoreRemoteStorage(store, {}, context);
  const logBytes = 13 * MIB + 5;
  const copies = Array.from({ length: 10 }, (_, number) =>
    manager.copyLogSegmentData(segmentAt(number, logBytes), { ...DATA, log: longLog(logBytes) }),
  );
  const ended = Promise.allSettled(copies);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver) await clock.advanceAsync(10);
  for (const outcome of await ended) expect(outcome).toMatchObject({ status: 'fulfilled' });
  expect(most).toBeGreaterThan(partBytes);
  expect(most).toBeLessThanOrEqual(totalBytes);
  expect(memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
  expect(clock.pendingTimers).toBe(0);
});

test('indexes and manifest take small buffers, not those of a part (S22)', async () => {
  const context = manualContext();
  const { clock } = context;
  const memory = partMemory({ clock, totalBytes: 16 * MIB, partBytes: 8 * MIB });
  const taken: [bytes: number, granted: number][] = [];
  const store = new PartStore({
    memory,
    clock,
    partBytes: 8 * MIB,
    send: async ({ bytes }) => {
      taken.push([bytes.byteLength, memory.stats().grantedBytes]);
    },
  });
  await new ObjectStoreRemoteStorage(store, {}, context).copyLogSegmentData(SEGMENT, DATA);
  expect(taken).toHaveLength(3);
  for (const [bytes, granted] of taken) expect(granted).toBeLessThanOrEqual(2 * bytes);
});

// S32: offloading to a store that failed leaked memory until there was none.
test('a thousand copies to a store that fails half the time leave no memory, timer or object (S32)', async () => {
  const context = manualContext();
  const { clock } = context;
  const memory = new BufferPool({ totalBytes: 8_000, poolableBytes: 1_000 }, { clock });
  const random = seededRandom(32);
  const store = new PartStore({
    memory,
    clock,
    partBytes: 1_000,
    send: async () => {
      if (randomBelow(random, 20) > 0) return;
      throw new RemoteStorageError(randomBelow(random, 2) ? 'denied' : 'unavailable', 'no');
    },
  });
  const manager = new ObjectStoreRemoteStorage(store, { maxAttempts: 1 }, context);
  let failed = 0;
  for (let round = 0; round < 1_000; round += 1) {
    const segment = segmentAt(round, SEGMENT.segmentSizeInBytes);
    await manager.copyLogSegmentData(segment, DATA).then(
      () => manager.deleteLogSegmentData(segment),
      () => {
        failed += 1;
      },
    );
    expect(memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
  }
  expect(failed).toBeGreaterThan(300);
  expect(failed).toBeLessThan(700);
  expect(store.objects.size).toBe(0);
  expect(memory.stats().availableBytes).toBe(8_000);
  expect(clock.pendingTimers).toBe(0);
});

// S34: a fast source made temporary files without end; and some stores want parts of one size.
test('a source that is faster than the store is not read further ahead than parts may be in flight (S34)', async () => {
  const clock = new ManualClock();
  const memory = partMemory({ clock, totalBytes: 1_000_000, partBytes: 1_000 });
  let given = 0;
  let acknowledged = 0;
  let mostAhead = 0;
  const size = 50_123;
  const source: SegmentSource = {
    size,
    async *read() {
      const random = seededRandom(34);
      for (let at = 0; at < size; ) {
        const slice = random.fill(
          new Uint8Array(Math.min(size - at, 1 + randomBelow(random, 900))),
        );
        at += slice.byteLength;
        given += slice.byteLength;
        mostAhead = Math.max(mostAhead, given - acknowledged);
        yield slice;
      }
    },
  };
  const sizes: number[] = [];
  const running = uploadParts(source, {
    memory,
    partBytes: 1_000,
    maxInFlight: 3,
    retry: { clock, random: seededRandom(1) },
    send: async ({ bytes }) => {
      sizes.push(bytes.byteLength);
      await new Promise<void>((resolve) => clock.setTimer(100, resolve));
      acknowledged += bytes.byteLength;
    },
  });
  await clock.advanceAsync(10_000);
  await running;
  // Three under way, one that waits for its turn, and the slice at hand.
  expect(mostAhead).toBeLessThanOrEqual(4 * 1_000 + 900);
  expect(sizes.slice(0, -1).every((bytes) => bytes === 1_000)).toBe(true);
  expect(sizes.at(-1)).toBe(123);
});

// S15: a pooled buffer that was used after its release showed one reader the bytes of another.
test('the memory of a part is nobody else’s until its send has settled, however the upload ends (S15)', async () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const random = seededRandom(seed);
    const clock = new ManualClock();
    const memory = partMemory({ clock, totalBytes: 3_000, partBytes: 1_000 });
    const uploads = Array.from({ length: 4 }, async (_, upload) => {
      const mark = upload + 1;
      const controller = new AbortController();
      const running = uploadParts(memorySource(new Uint8Array(4_500).fill(mark)), {
        memory,
        partBytes: 1_000,
        maxInFlight: 2,
        signal: controller.signal,
        retry: { clock, random },
        send: async ({ bytes, index }) => {
          const isWhole = (): boolean => bytes.every((byte) => byte === mark);
          // One that does not listen to its signal: what it holds must stay its own all the same.
          for (let look = 0; look < 4; look += 1) {
            expect(isWhole(), `seed ${seed}, upload ${upload}, part ${index}`).toBe(true);
            await new Promise<void>((resolve) => clock.setTimer(randomBelow(random, 30), resolve));
          }
          expect(isWhole(), `seed ${seed}, upload ${upload}, part ${index}`).toBe(true);
          if (randomBelow(random, 12) === 0) throw new RemoteStorageError('denied', 'no');
        },
      });
      clock.setTimer(randomBelow(random, 400), () => controller.abort(new Error('given up')));
      await running.catch((error: unknown) => {
        if (error instanceof Error && error.name === 'AssertionError') throw error;
      });
    });
    const all = Promise.all(uploads);
    all.catch(() => undefined);
    await clock.advanceAsync(5_000);
    await all;
    expect(memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
  }
});
