import assert from 'node:assert/strict';
import { seededBytes } from '../../fixtures/seeded-bytes.ts';
import { rejectsWithKind } from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { getBytes, listKeys, putBytes, putMany, type StoreSubject } from '../store-subject.ts';

const ROUNDS = 40;

/** Objects that go. */
export const DELETE_CASES: ConformanceGroup<StoreSubject> = {
  name: 'deleting',
  cases: [
    {
      name: 'what is deleted is gone for every operation, and its neighbours stay',
      run: async ({ store }) => {
        const keys = ['p/a', 'p/a.log', 'p/ab', 'p/a-1', 'pa', 'q/a'];
        for (const key of keys) await putBytes(store, key, new Uint8Array(5));
        await store.delete(['p/a', 'p/ab']);
        await rejectsWithKind(store.get('p/a'), 'not-found');
        await rejectsWithKind(store.head('p/ab'), 'not-found');
        assert.deepEqual((await listKeys(store)).toSorted(), ['p/a-1', 'p/a.log', 'pa', 'q/a']);
      },
    },
    {
      name: 'what is not there counts as deleted, alone and among others',
      run: async ({ store }) => {
        await store.delete([]);
        await store.delete(['never/was']);
        await putBytes(store, 'object', new Uint8Array(5));
        await store.delete(['missing', 'object', 'missing/too', 'object']);
        await store.delete(['object']);
        assert.deepEqual(await listKeys(store), []);
      },
    },
    {
      name: 'many objects are deleted in one call, and no other',
      run: async ({ store, manyObjects }) => {
        const keys = Array.from({ length: manyObjects }, (_, index) => `many/${index}`);
        await putMany(store, [...keys, 'man', 'many-more/0']);
        await store.delete([...keys, 'many/missing']);
        assert.deepEqual((await listKeys(store)).toSorted(), ['man', 'many-more/0']);
      },
    },
    {
      name: 'a key that was deleted can be written again',
      run: async ({ store, seed }) => {
        for (let round = 1; round <= 3; round += 1) {
          await putBytes(store, 'deep/down/object', seededBytes(seed, round));
          assert.equal((await getBytes(store, 'deep/down/object')).byteLength, round);
          await store.delete(['deep/down/object']);
        }
        assert.deepEqual(await listKeys(store), []);
      },
    },
    {
      name: 'deleting the last object of a place does not disturb who writes there at the same time',
      run: async ({ store }) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          await putBytes(store, `place/of/old-${round}`, new Uint8Array(1));
          await Promise.all([
            store.delete([`place/of/old-${round}`]),
            putBytes(store, `place/of/new-${round}`, new Uint8Array(2)),
          ]);
          assert.equal((await store.head(`place/of/new-${round}`)).size, 2);
          await store.delete([`place/of/new-${round}`]);
        }
        assert.deepEqual(await listKeys(store), []);
      },
    },
  ],
};
