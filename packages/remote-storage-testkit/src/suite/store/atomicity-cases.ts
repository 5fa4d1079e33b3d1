import assert from 'node:assert/strict';
import { isRemoteStorageError, memorySource, type ObjectStore } from '@logloft/remote-storage';
import { failingSource, gatedSource, lyingSource } from '../../fixtures/gated-source.ts';
import { seededBytes } from '../../fixtures/seeded-bytes.ts';
import { rejects, rejectsWithKind, sameBytes } from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { getBytes, listKeys, putBytes, type StoreSubject } from '../store-subject.ts';

const SIZE = 200_000;

async function assertAbsent(store: ObjectStore, key: string): Promise<void> {
  await rejectsWithKind(store.get(key), 'not-found');
  await rejectsWithKind(store.head(key), 'not-found');
  assert.deepEqual(await listKeys(store), []);
}

function withoutConditionalPut({ store }: StoreSubject): string | undefined {
  return store.capabilities.conditionalPut ? undefined : 'the store has no conditional put';
}

async function refusesIfAbsent({ store }: StoreSubject): Promise<void> {
  const asked = store.put('object', memorySource(new Uint8Array(1)), { ifAbsent: true });
  await rejects(asked, 'a put with ifAbsent, which the store says it cannot do,');
}

/** An object is there with all its bytes, or not at all. */
export const ATOMICITY_CASES: ConformanceGroup<StoreSubject> = {
  name: 'atomicity',
  cases: [
    {
      name: 'nothing of an object is seen before all of it is written',
      run: async ({ store, seed }) => {
        const bytes = seededBytes(seed, SIZE);
        const gated = gatedSource(bytes);
        const writing = store.put('object', gated.source);
        await gated.reached;
        await assertAbsent(store, 'object');
        gated.open();
        await writing;
        sameBytes(await getBytes(store, 'object'), bytes, 'the object');
      },
    },
    {
      name: 'an object that is being replaced shows its old bytes until it is replaced whole',
      run: async ({ store, seed }) => {
        const old = seededBytes(seed, SIZE);
        const fresh = seededBytes(seed + 1, SIZE);
        await putBytes(store, 'object', old);
        const gated = gatedSource(fresh);
        const writing = store.put('object', gated.source);
        await gated.reached;
        sameBytes(await getBytes(store, 'object'), old, 'the object meanwhile');
        assert.deepEqual(await listKeys(store), ['object']);
        gated.open();
        await writing;
        sameBytes(await getBytes(store, 'object'), fresh, 'the object afterwards');
      },
    },
    {
      name: 'a source that fails half-way leaves nothing behind',
      run: async ({ store, seed }) => {
        const failing = failingSource(seededBytes(seed, SIZE), new Error('the source broke'));
        const failure: unknown = await store.put('object', failing).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        assert.ok(isRemoteStorageError(failure), `expected a RemoteStorageError, got ${failure}`);
        await assertAbsent(store, 'object');
      },
    },
    {
      name: 'a source that fails half-way leaves the old object as it was',
      run: async ({ store, seed }) => {
        const old = seededBytes(seed, SIZE);
        await putBytes(store, 'object', old);
        const failing = failingSource(seededBytes(seed + 1, SIZE), new Error('the source broke'));
        await rejects(store.put('object', failing), 'a put from a broken source');
        sameBytes(await getBytes(store, 'object'), old, 'the old object');
      },
    },
    {
      name: 'a source with fewer or more bytes than it promised is refused, and nothing is stored',
      run: async ({ store, seed }) => {
        const bytes = seededBytes(seed, 1_000);
        for (const promised of [1_001, 999, 70_000]) {
          await rejectsWithKind(store.put('object', lyingSource(bytes, promised)), 'corrupt');
          await assertAbsent(store, 'object');
        }
      },
    },
    {
      name: 'of two who write the same key at once, one is there whole',
      run: async ({ store, seed }) => {
        const candidates = [0, 1, 2, 3].map((index) => seededBytes(seed + index, SIZE));
        await Promise.all(candidates.map((bytes) => putBytes(store, 'object', bytes)));
        const found = Buffer.from(await getBytes(store, 'object'));
        assert.ok(
          candidates.some((bytes) => found.equals(bytes)),
          'a mixture of several objects',
        );
        assert.deepEqual(await listKeys(store), ['object']);
      },
    },
    {
      name: 'ifAbsent refuses a key that exists, and leaves its object alone',
      skip: withoutConditionalPut,
      refusal: refusesIfAbsent,
      run: async ({ store, seed }) => {
        const old = seededBytes(seed, 1_000);
        await store.put('object', memorySource(old), { ifAbsent: true });
        const second = memorySource(seededBytes(seed + 1, 2_000));
        await rejectsWithKind(store.put('object', second, { ifAbsent: true }), 'precondition');
        sameBytes(await getBytes(store, 'object'), old, 'the first object');
      },
    },
    {
      name: 'of many who want the same absent key at once, exactly one gets it',
      skip: withoutConditionalPut,
      run: async ({ store, seed }) => {
        const candidates = [0, 1, 2, 3, 4].map((index) => seededBytes(seed + index, SIZE));
        const outcomes = await Promise.allSettled(
          candidates.map((bytes) => store.put('object', memorySource(bytes), { ifAbsent: true })),
        );
        const winners = outcomes.flatMap(({ status }, index) =>
          status === 'fulfilled' ? [index] : [],
        );
        assert.equal(winners.length, 1, `${winners.length} writers got the key`);
        const expected = candidates[winners[0] ?? 0] ?? new Uint8Array(0);
        sameBytes(await getBytes(store, 'object'), expected, "the winner's object");
      },
    },
  ],
};
