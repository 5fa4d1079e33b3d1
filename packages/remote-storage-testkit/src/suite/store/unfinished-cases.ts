import assert from 'node:assert/strict';
import { gatedSource } from '../../fixtures/gated-source.ts';
import { seededBytes } from '../../fixtures/seeded-bytes.ts';
import { rejectsWith, sameBytes } from '../assertions.ts';
import type { ConformanceCase, ConformanceGroup } from '../conformance-case.ts';
import { getBytes, listKeys, putBytes, type StoreSubject } from '../store-subject.ts';

const HOUR_MS = 3_600_000;

async function remove(
  { store }: StoreSubject,
  olderThanMs: number,
  prefix?: string,
): Promise<number> {
  const removed = await store.removeUnfinished?.({ olderThanMs, prefix });
  assert.ok(removed !== undefined);
  return removed;
}

function knowsNothingUnfinished({ store }: StoreSubject): string | undefined {
  return store.removeUnfinished
    ? undefined
    : 'the store leaves nothing unfinished, or removes it by itself';
}

const CASES: readonly ConformanceCase<StoreSubject>[] = [
  {
    name: 'removing what is unfinished leaves objects and writers of now alone',
    run: async (subject) => {
      const { store, seed, largeObjectBytes } = subject;
      const small = seededBytes(seed, 1_000);
      await putBytes(store, 'finished', small);
      const large = seededBytes(seed + 1, largeObjectBytes);
      const gated = gatedSource(large);
      const writing = store.put('large', gated.source);
      await gated.reached;
      assert.equal(await remove(subject, HOUR_MS), 0);
      gated.open();
      await writing;
      assert.equal(await remove(subject, 0), 0);
      sameBytes(await getBytes(store, 'large'), large, 'the object of now');
      sameBytes(await getBytes(store, 'finished'), small, 'the object of before');
    },
  },
  {
    name: 'a put that was aborted leaves nothing that would have to be removed',
    run: async (subject) => {
      const { store, seed, largeObjectBytes } = subject;
      const gated = gatedSource(seededBytes(seed, largeObjectBytes));
      const controller = new AbortController();
      const reason = new Error('no longer wanted');
      const writing = store.put('large', gated.source, { signal: controller.signal });
      await gated.reached;
      controller.abort(reason);
      await rejectsWith(writing, reason);
      assert.equal(await remove(subject, 0), 0);
    },
  },
  {
    name: 'a removal that was aborted before it rejects with the reason',
    run: async ({ store }) => {
      const reason = new Error('no longer wanted');
      const options = { olderThanMs: 0, signal: AbortSignal.abort(reason) };
      await rejectsWith(store.removeUnfinished?.(options) ?? Promise.resolve(), reason);
    },
  },
  {
    name: 'what a killed writer left is removed once it is old enough, under the prefix alone',
    skip: ({ leaveUnfinished }) =>
      leaveUnfinished ? undefined : 'nothing unfinished can be made here',
    run: async (subject) => {
      await putBytes(subject.store, 'killed/finished', new Uint8Array(5));
      await subject.leaveUnfinished?.('killed/object');
      assert.equal(await remove(subject, HOUR_MS), 0);
      assert.equal(await remove(subject, 0, 'other/'), 0);
      assert.equal(await remove(subject, 0, 'killed/'), 1);
      assert.equal(await remove(subject, 0), 0);
      assert.deepEqual(await listKeys(subject.store), ['killed/finished']);
    },
  },
];

/** What crashed writers leave, which no listing shows. */
export const UNFINISHED_CASES: ConformanceGroup<StoreSubject> = {
  name: 'unfinished objects',
  cases: CASES.map((one) => ({
    ...one,
    skip: (subject) => knowsNothingUnfinished(subject) ?? one.skip?.(subject),
  })),
};
