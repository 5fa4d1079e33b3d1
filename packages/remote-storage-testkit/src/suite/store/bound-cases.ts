import assert from 'node:assert/strict';
import { boundSource } from '../../fixtures/bound-source.ts';
import { failingSource, gatedSource } from '../../fixtures/gated-source.ts';
import { seededBytes } from '../../fixtures/seeded-bytes.ts';
import { rejects, rejectsWith, rejectsWithKind, sameBytes } from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { getBytes, listKeys, type StoreSubject } from '../store-subject.ts';

const SIZES = [0, 1, 1_000, 65_536, 300_000];
const SPARE = [0, 1, 100_000];

async function assertEmpty({ store }: StoreSubject): Promise<void> {
  await rejectsWithKind(store.head('object'), 'not-found');
  assert.deepEqual(await listKeys(store), []);
}

/** Sources that tell only the most bytes there can be, as compression does. */
export const BOUND_CASES: ConformanceGroup<StoreSubject> = {
  name: 'sizes that are bounds',
  cases: [
    {
      name: 'a source whose size is only a bound is stored with exactly the bytes it gives',
      run: async ({ store, seed }) => {
        for (const size of SIZES) {
          for (const spare of SPARE) {
            const bytes = seededBytes(seed + size, size);
            await store.put('object', boundSource(bytes, size + spare));
            sameBytes(await getBytes(store, 'object'), bytes, `${size} of ${size + spare} bytes`);
            assert.equal((await store.head('object')).size, size);
          }
        }
        const sizes: number[] = [];
        for await (const head of store.list()) sizes.push(head.size);
        assert.deepEqual(sizes, SIZES.slice(-1));
      },
    },
    {
      name: 'a source that gives more than its bound is refused, and nothing is stored',
      run: async (subject) => {
        for (const size of [1_000, 300_000]) {
          const bytes = seededBytes(subject.seed, size);
          const { read } = boundSource(bytes, size);
          const deaf = { size: size - 1, sizeIsBound: true, read: () => read({ start: 0 }) };
          await rejectsWithKind(subject.store.put('object', deaf), 'corrupt');
          await assertEmpty(subject);
        }
      },
    },
    {
      name: 'progress adds up to the bytes that flowed, not to the bound',
      run: async ({ store, seed }) => {
        let written = 0;
        await store.put('object', boundSource(seededBytes(seed, 200_000), 500_000), {
          onProgress: (more) => {
            written += more;
          },
        });
        assert.equal(written, 200_000);
      },
    },
    {
      name: 'a source with a bound that fails half-way is not taken for one that ended',
      run: async (subject) => {
        const bytes = seededBytes(subject.seed, 200_000);
        const failing = { ...failingSource(bytes, new Error('the source broke')), size: 300_000 };
        const putting = subject.store.put('object', { ...failing, sizeIsBound: true });
        await rejects(putting, 'a put from a broken source');
        await assertEmpty(subject);
      },
    },
    {
      name: 'a source with a bound that is aborted half-way is not taken for one that ended',
      run: async (subject) => {
        const gated = gatedSource(seededBytes(subject.seed, 200_000));
        const source = { ...gated.source, size: 300_000, sizeIsBound: true };
        const controller = new AbortController();
        const reason = new Error('no longer wanted');
        const { signal } = controller;
        const putting = subject.store.put('object', source, { signal });
        await gated.reached;
        controller.abort(reason);
        await rejectsWith(putting, reason);
        await assertEmpty(subject);
      },
    },
  ],
};
