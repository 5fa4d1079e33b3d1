import { getEventListeners } from 'node:events';
import { BufferPool } from '@logloft/bufferpool';
import { type ManualClock, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import {
  GuardedObjectStore,
  isRemoteStorageError,
  memorySource,
  ObjectStoreRemoteStorage,
  type PutOptions,
  RemoteStorageError,
  type SegmentSource,
  uploadParts,
} from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { DATA, LOG, MAIN_PATH, manualContext, SEGMENT } from '../segment-fixture.ts';

const SUFFIXES = ['log', 'indexes', 'rsm-manifest'] as const;
const KEYS = SUFFIXES.map((suffix) => `${MAIN_PATH}.${suffix}`);

/** A store whose parts come from a pool that the test can make fail. */
class PooledStore extends MapObjectStore {
  readonly memory: BufferPool;
  readonly #clock: ManualClock;
  failsFor: string | undefined;
  #writing: string | undefined;

  constructor(clock: ManualClock) {
    super({ paced: true });
    this.#clock = clock;
    const createBuffer = (bytes: number): Buffer => {
      if (this.failsFor !== undefined && this.#writing === this.failsFor) {
        throw new RangeError('Array buffer allocation failed');
      }
      return Buffer.alloc(bytes);
    };
    this.memory = new BufferPool(
      { totalBytes: 4_000, poolableBytes: 1_000, createBuffer },
      { clock },
    );
  }

  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    this.#writing = key.slice(key.lastIndexOf('.') + 1);
    const parts: Buffer[] = [];
    await uploadParts(source, {
      ...options,
      // Not the kept size, so that every part is made anew.
      partBytes: 900,
      maxInFlight: 1,
      memory: this.memory,
      retry: { clock: this.#clock, random: seededRandom(1) },
      send: async ({ bytes }) => {
        parts.push(Buffer.from(bytes));
      },
    });
    await super.put(key, memorySource(Buffer.concat(parts)));
  }
}

// S21: memory ran out in the middle of a copy, which then neither returned nor threw for ever.
test.each(['indexes', 'log', 'rsm-manifest'])(
  'a copy whose memory gives out at its %s object rejects, and leaves nothing (S21)',
  async (failsFor) => {
    const context = manualContext();
    const store = new PooledStore(context.clock);
    const manager = new ObjectStoreRemoteStorage(store, {}, context);
    store.failsFor = failsFor;
    const copying = manager.copyLogSegmentData(SEGMENT, DATA);
    copying.catch(() => undefined);
    await context.clock.advanceAsync(10_000);
    const failure = await copying.catch((error: unknown) => error);
    expect(isRemoteStorageError(failure)).toBe(true);
    expect(String(failure)).toContain('could not be created');
    expect(store.objects.size).toBe(0);
    expect(store.memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
    expect(context.clock.pendingTimers).toBe(0);

    store.failsFor = undefined;
    await manager.copyLogSegmentData(SEGMENT, DATA);
    expect([...store.objects.keys()].sort()).toEqual([...KEYS].sort());
  },
);

// S36: what failed copies left counted as remote data, so that good segments were deleted early.
test('copies that fail after the log was written leave nothing, however often (S36)', async () => {
  const context = manualContext();
  const store = new MapObjectStore();
  const manager = new ObjectStoreRemoteStorage(store, { maxAttempts: 1 }, context);
  for (let round = 0; round < 5; round += 1) {
    store.intervene = (operation, key) => {
      if (operation === 'put' && key.endsWith('.rsm-manifest')) {
        expect(store.objects.has(`${MAIN_PATH}.log`)).toBe(true);
        throw new RemoteStorageError('unavailable', 'the store is on fire');
      }
    };
    const copying = manager.copyLogSegmentData(SEGMENT, DATA);
    await expect(copying).rejects.toMatchObject({ kind: 'unavailable' });
    expect(store.objects.size).toBe(0);
  }
  const listed: unknown[] = [];
  for await (const segment of manager.listSegments()) listed.push(segment);
  expect(listed).toEqual([]);
});

// S42: a batch of deletions succeeded by half, and the rest was taken for deleted.
test.each(SUFFIXES)(
  'a deletion that leaves the %s object is told, and made good by the next (S42)',
  async (suffix) => {
    const stuck = `${MAIN_PATH}.${suffix}`;
    const context = manualContext();
    const store = new MapObjectStore();
    const manager = new ObjectStoreRemoteStorage(store, {}, context);
    await manager.copyLogSegmentData(SEGMENT, DATA);
    // As a batch does: the others go, and one does not.
    store.delete = async (keys) => {
      for (const key of keys) if (key !== stuck) store.objects.delete(key);
      if (keys.includes(stuck)) throw new RemoteStorageError('denied', 'locked', { key: stuck });
    };
    const failure = await manager.deleteLogSegmentData(SEGMENT).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'denied', key: stuck });
    expect(store.objects.has(stuck)).toBe(true);
    const isWhole = KEYS.every((key) => store.objects.has(key));
    const reading = manager.fetchLogSegment(SEGMENT, { start: 0 });
    // Whole as before, or gone: never a part of it.
    if (isWhole) {
      let bytes = 0;
      for await (const piece of await reading) bytes += piece.byteLength;
      expect(bytes).toBe(LOG.byteLength);
    } else await expect(reading).rejects.toMatchObject({ kind: 'not-found' });

    store.delete = async (keys) => {
      for (const key of keys) store.objects.delete(key);
    };
    await manager.deleteLogSegmentData(SEGMENT);
    expect(store.objects.size).toBe(0);
  },
);

// S75: listeners piled up on a signal that lived long, until there was no memory.
test('a hundred thousand calls on one signal leave the number of its listeners as it was (S75)', async () => {
  const store = new MapObjectStore();
  const guarded = new GuardedObjectStore(store, manualContext());
  const { signal } = new AbortController();
  const options = { signal };
  await guarded.put('object', memorySource(LOG.subarray(0, 100)));
  let most = 0;
  for (let round = 0; round < 20_000; round += 1) {
    await guarded.head('object', options);
    await guarded.head('missing', options).catch(() => undefined);
    const pieces = (await guarded.get('object', { start: 50 }, options))[Symbol.asyncIterator]();
    if (round % 2 === 0) await pieces.next();
    await pieces.return?.();
    await guarded.put('other', memorySource(LOG.subarray(0, 10)), options);
    await guarded.delete(['other'], options);
    if (round % 100 === 0) most = Math.max(most, getEventListeners(signal, 'abort').length);
    store.calls.length = 0;
  }
  expect(most).toBe(0);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
}, 30_000);
