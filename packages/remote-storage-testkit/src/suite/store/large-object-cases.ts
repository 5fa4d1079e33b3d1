import assert from 'node:assert/strict';
import { memorySource } from '@logloft/remote-storage';
import { boundSource } from '../../fixtures/bound-source.ts';
import { failingSource, gatedSource } from '../../fixtures/gated-source.ts';
import { seededBytes } from '../../fixtures/seeded-bytes.ts';
import { listenersOf, rejects, rejectsWith, rejectsWithKind, sameBytes } from '../assertions.ts';
import type { ConformanceCase, ConformanceGroup } from '../conformance-case.ts';
import { getBytes, listKeys, putBytes, type StoreSubject } from '../store-subject.ts';

const MIB = 1024 * 1024;

function tooLarge({ store, largeObjectBytes }: StoreSubject): string | undefined {
  const { maxObjectBytes } = store.capabilities;
  if (maxObjectBytes >= largeObjectBytes) return undefined;
  return `the store takes at most ${maxObjectBytes} bytes an object`;
}

async function assertEmpty({ store }: StoreSubject): Promise<void> {
  await rejectsWithKind(store.get('large'), 'not-found');
  await rejectsWithKind(store.head('large'), 'not-found');
  assert.deepEqual(await listKeys(store), []);
}

const CASES: readonly ConformanceCase<StoreSubject>[] = [
  {
    name: 'a large object is read back byte for byte, whole and across its parts',
    run: async ({ store, seed, largeObjectBytes: size }) => {
      const bytes = seededBytes(seed, size);
      await putBytes(store, 'large', bytes);
      assert.equal((await store.head('large')).size, size);
      sameBytes(await getBytes(store, 'large'), bytes, 'the large object');
      for (let border = MIB; border < size; border += MIB) {
        const range = { start: border - 2, end: border + 1 };
        const expected = bytes.subarray(range.start, range.end + 1);
        sameBytes(await getBytes(store, 'large', range), expected, `round byte ${border}`);
      }
      const tail = await getBytes(store, 'large', { start: size - 2 });
      sameBytes(tail, bytes.subarray(-2), 'the last two bytes');
    },
  },
  {
    name: 'objects that end at the border of a part, or just before it, are whole',
    run: async ({ store, seed, largeObjectBytes }) => {
      for (const size of [largeObjectBytes - 2, largeObjectBytes - 1]) {
        const bytes = seededBytes(seed + size, size);
        await putBytes(store, 'large', bytes);
        sameBytes(await getBytes(store, 'large'), bytes, `an object of ${size} bytes`);
      }
    },
  },
  {
    name: 'a large object that is aborted half-way leaves nothing behind',
    run: async (subject) => {
      const { store, seed, largeObjectBytes } = subject;
      const gated = gatedSource(seededBytes(seed, largeObjectBytes));
      const controller = new AbortController();
      const { signal } = controller;
      const reason = new Error('no longer wanted');
      const writing = store.put('large', gated.source, { signal });
      await gated.reached;
      controller.abort(reason);
      await rejectsWith(writing, reason);
      assert.equal(listenersOf(signal), 0);
      await assertEmpty(subject);
    },
  },
  {
    name: 'a large object whose source fails half-way leaves nothing behind',
    run: async (subject) => {
      const { store, seed, largeObjectBytes } = subject;
      const bytes = seededBytes(seed, largeObjectBytes);
      const failing = failingSource(bytes, new Error('the source broke'));
      await rejects(store.put('large', failing), 'a put from a broken source');
      await assertEmpty(subject);
    },
  },
  {
    name: 'a large object is replaced by a small one, and that by one of a bound',
    run: async ({ store, seed, largeObjectBytes }) => {
      const large = seededBytes(seed, largeObjectBytes);
      const small = seededBytes(seed + 1, 10);
      await store.put('large', memorySource(large));
      await store.put('large', memorySource(small));
      sameBytes(await getBytes(store, 'large'), small, 'the small object');
      await store.put('large', boundSource(large, 2 * largeObjectBytes));
      sameBytes(await getBytes(store, 'large'), large, 'the large object');
      assert.deepEqual(await listKeys(store), ['large']);
    },
  },
];

/** Objects of several parts, where a store cuts its objects. */
export const LARGE_OBJECT_CASES: ConformanceGroup<StoreSubject> = {
  name: 'large objects',
  cases: CASES.map((one) => ({ ...one, skip: tooLarge })),
};
