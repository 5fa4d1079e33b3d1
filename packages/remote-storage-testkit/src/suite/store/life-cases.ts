import assert from 'node:assert/strict';
import { memorySource } from '@logloft/remote-storage';
import { seededBytes } from '../../fixtures/seeded-bytes.ts';
import { rejectsWithKind, sameBytes } from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { getBytes, listKeys, putBytes, type StoreSubject } from '../store-subject.ts';

/** Opening and closing. */
export const LIFE_CASES: ConformanceGroup<StoreSubject> = {
  name: 'life',
  cases: [
    {
      name: 'disposing of a store twice is allowed, and calls after it are refused',
      run: async ({ store }) => {
        await putBytes(store, 'object', new Uint8Array(1));
        await store[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
        await rejectsWithKind(store.put('a', memorySource(new Uint8Array(1))), 'aborted');
        await rejectsWithKind(store.get('object'), 'aborted');
        await rejectsWithKind(store.head('object'), 'aborted');
        await rejectsWithKind(store.delete(['object']), 'aborted');
        await rejectsWithKind(listKeys(store), 'aborted');
        const removing = store.removeUnfinished?.({ olderThanMs: 0 });
        if (removing !== undefined) await rejectsWithKind(removing, 'aborted');
      },
    },
    {
      name: 'objects outlive the store that wrote them',
      skip: ({ store, reopen }) => {
        if (!store.capabilities.durable) return 'the store is not durable';
        return reopen === undefined ? 'the store cannot be opened again here' : undefined;
      },
      run: async ({ store, seed, reopen }) => {
        const bytes = seededBytes(seed, 100_000);
        await putBytes(store, 'kept/object', bytes);
        await putBytes(store, 'kept/deleted', bytes);
        await store.delete(['kept/deleted']);
        await store[Symbol.asyncDispose]();
        const again = await reopen?.();
        assert.ok(again !== undefined);
        try {
          assert.deepEqual(await listKeys(again), ['kept/object']);
          sameBytes(await getBytes(again, 'kept/object'), bytes, 'the object');
        } finally {
          await again[Symbol.asyncDispose]();
        }
      },
    },
    {
      name: 'a store that tells its time tells it in ms',
      skip: ({ store }) => (store.serverTime ? undefined : 'the store does not tell its time'),
      run: async ({ store }) => {
        const timeMs = await store.serverTime?.();
        // Between the years 2017 and 2286: seconds or microseconds would be far from it.
        assert.ok(timeMs !== undefined && timeMs > 1.5e12 && timeMs < 1e13, `${timeMs} ms`);
      },
    },
    {
      name: 'the capabilities are told in sensible numbers',
      run: async ({ store }) => {
        const { name, maxObjectBytes, maxKeyBytes, readUnitBytes = 0 } = store.capabilities;
        assert.ok(Number.isSafeInteger(readUnitBytes) && readUnitBytes >= 0);
        assert.ok(name.length > 0);
        assert.ok(Number.isSafeInteger(maxObjectBytes) && maxObjectBytes > 0);
        // Prefix, topic of 249 letters, three ids and a suffix must fit into a key.
        assert.ok(Number.isSafeInteger(maxKeyBytes) && maxKeyBytes >= 512);
      },
    },
  ],
};
