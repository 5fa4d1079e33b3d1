import { generateKeyPairSync } from 'node:crypto';
import {
  collectBytes,
  INDEX_TYPES,
  isNotFound,
  isRemoteStorageError,
  type LayoutOptions,
  ObjectStoreRemoteStorage,
  type RemoteLogSegmentMetadata,
} from '@logloft/remote-storage';
import {
  type FaultPlan,
  FaultyObjectStore,
  PASSING_FAULTS,
  type SeededSegment,
  seededFaults,
  seededSegment,
  testContext,
} from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import { MemoryObjectStore } from '../src/index.ts';

// Copies, reads and deletes segments over a store that fails by a seeded plan, in time moved by hand.
// After every step a segment is there whole or not at all; in the end, with a sound store, what was
// copied is read and what was deleted has left no object.

const ROUNDS = 60;
const HANGS_TOO = [
  ...PASSING_FAULTS,
  { type: 'hang' },
  // What is not tried again, in a large share: it is what leaves things half-done.
  ...Array.from({ length: 4 }, () => ({ type: 'fail', kind: 'denied' }) as const),
  { type: 'lie', missingBytes: 3 },
] as const;

interface World {
  readonly seed: number;
  readonly store: MemoryObjectStore;
  readonly manager: ObjectStoreRemoteStorage;
  /** Lets the time pass that a call takes, and answers with its outcome. */
  readonly settle: <T>(call: Promise<T>) => Promise<PromiseSettledResult<T>>;
  readonly healthy: (healthy: boolean) => void;
}

// Small chunks are compressed in place: the thread pool has no share in the order of things.
const KEY_PAIR = { id: 'k1', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
const TRANSFORMATIONS: readonly LayoutOptions[] = [
  {},
  { compressionEnabled: true, chunkBytes: 16_384 },
  { encryption: { keyPairId: 'k1', keyPairs: [KEY_PAIR] }, chunkBytes: 16_384 },
  {
    compressionEnabled: true,
    encryption: { keyPairId: 'k1', keyPairs: [KEY_PAIR] },
    chunkBytes: 16_384,
  },
];

function worldOf(seed: number): World {
  const context = testContext(seed);
  const store = new MemoryObjectStore();
  const faults = seededFaults(seed, { percent: 30, faults: HANGS_TOO });
  let sound = false;
  const plan: FaultPlan = { next: (call) => (sound ? undefined : faults.next(call)) };
  const transformation = TRANSFORMATIONS[seed % TRANSFORMATIONS.length];
  const options = { requestTimeoutMs: 1_000, idleTimeoutMs: 2_000, ...transformation };
  const manager = new ObjectStoreRemoteStorage(
    new FaultyObjectStore(store, plan, context.clock),
    options,
    context,
  );
  return {
    seed,
    store,
    manager,
    healthy: (healthy) => {
      sound = healthy;
    },
    settle: async (call) => {
      let outcome: PromiseSettledResult<Awaited<typeof call>> | undefined;
      void Promise.allSettled([call]).then(([settled]) => {
        outcome = settled;
      });
      for (let second = 0; second < 300 && outcome === undefined; second += 1) {
        await context.clock.advanceAsync(1_000);
      }
      if (outcome === undefined) throw new Error(`seed ${seed}: a promise did not settle in 300 s`);
      if (outcome.status === 'rejected') expect(isRemoteStorageError(outcome.reason)).toBe(true);
      return outcome;
    },
  };
}

async function readAll(
  manager: ObjectStoreRemoteStorage,
  metadata: RemoteLogSegmentMetadata,
): Promise<Uint8Array[]> {
  const pieces = await manager.fetchLogSegment(metadata, { start: 0 });
  const parts = [await collectBytes(pieces, metadata.segmentSizeInBytes)];
  for (const type of INDEX_TYPES) parts.push(await manager.fetchIndex(metadata, type));
  return parts;
}

// Whatever goes wrong on the way: what is read is right, or it is an error. Answers the error.
async function readWholeOrFail(world: World, segment: SeededSegment): Promise<unknown> {
  const outcome = await world.settle(readAll(world.manager, segment.metadata));
  if (outcome.status === 'rejected') return outcome.reason;
  const [log, ...indexes] = outcome.value;
  const { parts } = segment;
  const same = (found: Uint8Array | undefined, expected: Uint8Array | undefined): boolean =>
    Buffer.from(found ?? []).equals(expected ?? new Uint8Array(0));
  expect(same(log, parts.log), `seed ${world.seed}: the log`).toBe(true);
  const expected = [
    parts.offsetIndex,
    parts.timeIndex,
    parts.producerSnapshot,
    parts.transactionIndex,
    parts.leaderEpochIndex,
  ];
  for (const [at, index] of indexes.entries()) {
    expect(same(index, expected[at]), `seed ${world.seed}: index ${at}`).toBe(true);
  }
  return undefined;
}

// With a sound store there are but two states, whatever happened before.
async function assertWholeOrAbsent(world: World, segment: SeededSegment): Promise<boolean> {
  world.healthy(true);
  const failure = await readWholeOrFail(world, segment);
  world.healthy(false);
  if (failure === undefined) return true;
  expect(isNotFound(failure), `seed ${world.seed}: ${failure}`).toBe(true);
  return false;
}

async function playRound(world: World, segment: SeededSegment): Promise<void> {
  const { manager, store, settle } = world;
  const copied = await settle(manager.copyLogSegmentData(segment.metadata, segment.data));
  await readWholeOrFail(world, segment);
  const isThere = await assertWholeOrAbsent(world, segment);
  if (copied.status === 'fulfilled') expect(isThere, `seed ${world.seed}: copied`).toBe(true);
  const deleted = await settle(manager.deleteLogSegmentData(segment.metadata));
  const isStillThere = await assertWholeOrAbsent(world, segment);
  if (deleted.status === 'fulfilled') expect(isStillThere, `seed ${world.seed}`).toBe(false);
  world.healthy(true);
  await manager.deleteLogSegmentData(segment.metadata);
  world.healthy(false);
  expect(store.usedBytes, `seed ${world.seed}: bytes left behind`).toBe(0);
}

describe('the layout over a store that fails', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'keeps its promises under the plan of seed %i',
    async (seed) => {
      const world = worldOf(seed);
      for (let round = 0; round < ROUNDS; round += 1) {
        await playRound(world, seededSegment(seed * 1_000 + round));
      }
    },
  );
});
