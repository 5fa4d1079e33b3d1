import assert from 'node:assert/strict';
import { compareKeys } from '@logloft/remote-storage';
import type { ConformanceGroup } from '../conformance-case.ts';
import { listKeys, putBytes, putMany, type StoreSubject } from '../store-subject.ts';

// In byte order `-` and `.` come before `/`, `0` after it, and U+FF5E before U+1D11E, unlike in UTF-16.
const KEYS = ['a', 'a-', 'a-b/c', 'a.log', 'b/c', 'b-c', 'b.c', 'b0', 'B/x', 'c/～', 'c/𝄞'];
const SAFE_ON_FILE_SYSTEMS = KEYS.filter((key) => key !== 'B/x');

/** Listings. */
export const LIST_CASES: ConformanceGroup<StoreSubject> = {
  name: 'listing',
  cases: [
    {
      name: 'all objects are listed in the byte order of their keys, each with its size',
      run: async ({ store }) => {
        const shuffled = SAFE_ON_FILE_SYSTEMS.toReversed();
        for (const [index, key] of shuffled.entries()) {
          await putBytes(store, key, new Uint8Array(index));
        }
        const found: { key: string; size: number }[] = [];
        for await (const { key, size } of store.list()) found.push({ key, size });
        const expected = shuffled.map((key, size) => ({ key, size }));
        assert.deepEqual(
          found,
          expected.toSorted((a, b) => compareKeys(a.key, b.key)),
        );
      },
    },
    {
      name: 'a prefix is a matter of letters: it may end within a name',
      run: async ({ store }) => {
        for (const key of ['t-1/0/a', 't-1/0/b', 't-1/10/a', 't-10/0/a', 'u']) {
          await putBytes(store, key, new Uint8Array(1));
        }
        assert.deepEqual(await listKeys(store, 't-1/'), ['t-1/0/a', 't-1/0/b', 't-1/10/a']);
        assert.deepEqual(await listKeys(store, 't-1/0/'), ['t-1/0/a', 't-1/0/b']);
        assert.deepEqual(await listKeys(store, 't-1/1'), ['t-1/10/a']);
        assert.deepEqual(await listKeys(store, 't-10'), ['t-10/0/a']);
        assert.deepEqual(await listKeys(store, 't-1/0/b'), ['t-1/0/b']);
        assert.deepEqual(await listKeys(store, 'v'), []);
        assert.equal((await listKeys(store, '')).length, 5);
      },
    },
    {
      name: 'an empty store lists nothing',
      run: async ({ store }) => {
        assert.deepEqual(await listKeys(store), []);
        assert.deepEqual(await listKeys(store, 'any/where'), []);
      },
    },
    {
      name: 'many objects are all listed once, and breaking off is allowed',
      run: async ({ store, manyObjects }) => {
        const nameOf = (index: number): string => `many/${String(index).padStart(7, '0')}`;
        const keys = Array.from({ length: manyObjects }, (_, index) => nameOf(index));
        await putMany(store, keys);
        assert.deepEqual(await listKeys(store, 'many/'), keys);
        for await (const { key } of store.list({ prefix: 'many/' })) {
          assert.equal(key, keys[0]);
          break;
        }
        assert.deepEqual(await listKeys(store), keys);
      },
    },
  ],
};
