import { randomBelow, seededRandom, systemClock } from '@logloft/clock';
import {
  GuardedObjectStore,
  isRemoteStorageError,
  memorySource,
  type ObjectStore,
} from '@logloft/remote-storage';
import { contextWith } from '@logloft/remote-storage-testkit';
import type { FailureAction } from '@logloft/stub-servers/gcs';
import { describe, expect, test } from 'vitest';
import {
  BUCKET,
  bytesOf,
  FAST_RETRIES,
  openStub,
  PART_BYTES,
  readAll,
} from './support/open-store.ts';

const SEEDS = Array.from({ length: 24 }, (_, index) => index + 1);

// One failure in five requests, of every kind, over a dozen calls.
describe('seeded failures', () => {
  test.each(SEEDS)('leave every object whole or absent, seed %i', async (seed) => {
    const random = seededRandom(seed);
    await using opened = await openStub({ uploadMemoryBytes: 4 * PART_BYTES });
    const { stub, store } = opened;
    const guarded = new GuardedObjectStore(store, contextWith(systemClock, seed), {
      retryPolicy: FAST_RETRIES,
    });
    stub.failures.add({
      match: () => randomBelow(random, 5) === 0,
      action: failureFor(randomBelow(random, 7), randomBelow(random, 600_000)),
    });
    const expected = new Map<string, Candidates>();
    for (let step = 0; step < 12; step += 1) {
      const key = `key-${randomBelow(random, 3)}`;
      const wanted =
        randomBelow(random, 3) === 0
          ? undefined
          : bytesOf(seed * 100 + step, randomBelow(random, 3 * PART_BYTES));
      const done = await settles(
        wanted === undefined ? guarded.delete([key]) : guarded.put(key, memorySource(wanted)),
      );
      const candidates = [...(done ? [] : (expected.get(key) ?? [undefined])), wanted];
      expected.set(key, candidates);
      await assertReads(guarded, key, candidates);
    }
    stub.failures.clear();
    for (const [key, candidates] of expected) {
      const stored = stub
        .objects(BUCKET)
        .find((object) => object.key === key)
        ?.bytes();
      expect(isOneOf(stored, candidates), key).toBe(true);
    }
  });
});

/** What may be stored: more than one after a failure, `undefined` for nothing. */
type Candidates = readonly (Buffer | undefined)[];

function isOneOf(found: Buffer | undefined, candidates: Candidates): boolean {
  return candidates.some((bytes) =>
    bytes === undefined || found === undefined ? bytes === found : bytes.equals(found),
  );
}

async function assertReads(store: ObjectStore, key: string, candidates: Candidates): Promise<void> {
  try {
    expect(isOneOf(await readAll(store, key), candidates), key).toBe(true);
  } catch (error) {
    if (!isRemoteStorageError(error)) throw error;
    if (error.kind === 'not-found') expect(isOneOf(undefined, candidates), key).toBe(true);
  }
}

function failureFor(kind: number, bytes: number): FailureAction {
  switch (kind) {
    case 0:
      return { kind: 'answer', status: 503, readBody: false };
    case 1:
      return { kind: 'answer', status: 500 };
    case 2:
      return { kind: 'cut-request', afterBytes: bytes };
    case 3:
      return { kind: 'cut-request', afterBytes: bytes, reset: true };
    case 4:
      return { kind: 'truncate-answer', afterBytes: bytes };
    case 5:
      return { kind: 'lose-answer' };
    default:
      return { kind: 'forget-upload' };
  }
}

// Whether it succeeded. A failure must be one of ours.
async function settles(call: Promise<void>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    expect(isRemoteStorageError(error), String(error)).toBe(true);
    return false;
  }
}
