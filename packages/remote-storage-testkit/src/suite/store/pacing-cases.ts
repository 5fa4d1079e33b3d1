import assert from 'node:assert/strict';
import { memorySource, type Pacer } from '@logloft/remote-storage';
import { seededBytes } from '../../fixtures/seeded-bytes.ts';
import { allBytes, rejectsWith, rejectsWithKind, sameBytes } from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { getBytes, listKeys, putBytes, type StoreSubject } from '../store-subject.ts';

const SIZE = 300_000;
const SLICE_BYTES = 64 * 1024;

// A store across a network asks for a whole part, and one of so few bytes is a single part.
function largestTake({ store }: StoreSubject): number {
  return store.capabilities.readUnitBytes ? SIZE : SLICE_BYTES;
}

function unpaced({ store }: StoreSubject): string | undefined {
  return store.capabilities.paced ? undefined : 'the store does not pace';
}

async function worksAllTheSame({ store, seed }: StoreSubject): Promise<void> {
  const bytes = seededBytes(seed, SIZE);
  const pacer: Pacer = { take: async () => undefined };
  await store.put('object', memorySource(bytes), { pacer });
  sameBytes(await allBytes(await store.get('object', undefined, { pacer })), bytes, 'the object');
}

/** Bytes held to a rate, and counted. */
export const PACING_CASES: ConformanceGroup<StoreSubject> = {
  name: 'pacing and progress',
  cases: [
    {
      name: 'a put asks for every byte before it flows, at most 64 KiB or a part at a time',
      skip: unpaced,
      refusal: worksAllTheSame,
      run: async (subject) => {
        const { store, seed } = subject;
        const bytes = seededBytes(seed, SIZE);
        const taken: number[] = [];
        let done = 0;
        await store.put('object', memorySource(bytes), {
          pacer: { take: async (slice) => void taken.push(slice) },
          onProgress: (more) => {
            done += more;
            assert.ok(done <= sum(taken), 'bytes flowed before they were admitted');
          },
        });
        assert.equal(sum(taken), SIZE);
        const largest = largestTake(subject);
        assert.ok(taken.every((slice) => slice > 0 && slice <= largest));
        sameBytes(await getBytes(store, 'object'), bytes, 'the object');
      },
    },
    {
      name: 'a get asks for every byte before it flows, at most 64 KiB at a time',
      skip: unpaced,
      run: async ({ store, seed }) => {
        await putBytes(store, 'object', seededBytes(seed, SIZE));
        const taken: number[] = [];
        const pacer: Pacer = { take: async (slice) => void taken.push(slice) };
        const range = { start: 1_000, end: 250_999 };
        let seen = 0;
        for await (const piece of await store.get('object', range, { pacer })) {
          seen += piece.byteLength;
          assert.ok(seen <= sum(taken), 'bytes flowed before they were admitted');
        }
        assert.equal(sum(taken), 250_000);
        assert.ok(taken.every((slice) => slice > 0 && slice <= SLICE_BYTES));
      },
    },
    {
      name: 'a put that its pacer refuses leaves nothing behind',
      skip: unpaced,
      run: async (subject) => {
        const { store, seed } = subject;
        const refused = Math.min(3, Math.ceil(SIZE / largestTake(subject)));
        const controller = new AbortController();
        const reason = new Error('the quota is gone');
        let slices = 0;
        const pacer: Pacer = {
          take: async (_bytes, { signal }) => {
            slices += 1;
            if (slices === refused) controller.abort(reason);
            signal?.throwIfAborted();
          },
        };
        const { signal } = controller;
        const writing = store.put('object', memorySource(seededBytes(seed, SIZE)), {
          pacer,
          signal,
        });
        await rejectsWith(writing, reason);
        await rejectsWithKind(store.head('object'), 'not-found');
        assert.deepEqual(await listKeys(store), []);
      },
    },
    {
      name: 'progress adds up to the bytes that flowed',
      run: async ({ store, seed }) => {
        let written = 0;
        let read = 0;
        await store.put('object', memorySource(seededBytes(seed, SIZE)), {
          onProgress: (more) => {
            written += more;
          },
        });
        const pieces = await store.get(
          'object',
          { start: 5 },
          {
            onProgress: (more) => {
              read += more;
            },
          },
        );
        await allBytes(pieces);
        assert.deepEqual({ written, read }, { written: SIZE, read: SIZE - 5 });
      },
    },
  ],
};

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
