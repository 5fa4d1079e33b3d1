import assert from 'node:assert/strict';
import { memorySource } from '@logloft/remote-storage';
import { gatedSource } from '../../fixtures/gated-source.ts';
import { seededBytes } from '../../fixtures/seeded-bytes.ts';
import {
  afterwards,
  allBytes,
  firstPiece,
  listenersOf,
  rejectsWith,
  rejectsWithKind,
  sameBytes,
} from '../assertions.ts';
import type { ConformanceGroup } from '../conformance-case.ts';
import { getBytes, listKeys, putBytes, type StoreSubject } from '../store-subject.ts';

const SIZE = 2_000_000;

async function drain(heads: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of heads);
}

/** Calls that their caller no longer wants. */
export const ABORT_CASES: ConformanceGroup<StoreSubject> = {
  name: 'aborting',
  cases: [
    {
      name: 'a call whose signal aborted before it does nothing and rejects with the reason',
      run: async ({ store, seed }) => {
        const bytes = seededBytes(seed, 1_000);
        await putBytes(store, 'object', bytes);
        const reason = new Error('no longer wanted');
        const signal = AbortSignal.abort(reason);
        await rejectsWith(store.put('other', memorySource(bytes), { signal }), reason);
        await rejectsWith(store.get('object', undefined, { signal }), reason);
        await rejectsWith(store.head('object', { signal }), reason);
        await rejectsWith(store.delete(['object'], { signal }), reason);
        await rejectsWith(drain(store.list({ signal })), reason);
        assert.deepEqual(await listKeys(store), ['object']);
      },
    },
    {
      name: 'a put that is aborted half-way rejects with the reason and leaves nothing behind',
      run: async ({ store, seed }) => {
        const gated = gatedSource(seededBytes(seed, SIZE));
        const controller = new AbortController();
        const reason = new Error('no longer wanted');
        const writing = store.put('object', gated.source, { signal: controller.signal });
        await gated.reached;
        controller.abort(reason);
        await rejectsWith(writing, reason);
        await rejectsWithKind(store.head('object'), 'not-found');
        assert.deepEqual(await listKeys(store), []);
        assert.equal(listenersOf(controller.signal), 0);
      },
    },
    {
      name: 'a put that is aborted while it replaces leaves the old object as it was',
      run: async ({ store, seed }) => {
        const old = seededBytes(seed, 1_000);
        await putBytes(store, 'object', old);
        const gated = gatedSource(seededBytes(seed + 1, SIZE));
        const controller = new AbortController();
        const reason = new Error('no longer wanted');
        const writing = store.put('object', gated.source, { signal: controller.signal });
        await gated.reached;
        controller.abort(reason);
        await rejectsWith(writing, reason);
        sameBytes(await getBytes(store, 'object'), old, 'the old object');
      },
    },
    {
      name: 'a read that is aborted between two pieces rejects with the reason',
      run: async ({ store, seed }) => {
        await putBytes(store, 'object', seededBytes(seed, SIZE));
        const controller = new AbortController();
        const reason = new Error('no longer wanted');
        const pieces = await store.get('object', undefined, { signal: controller.signal });
        const iterator = pieces[Symbol.asyncIterator]();
        const first = await iterator.next();
        assert.ok(!first.done && first.value.byteLength < SIZE, 'objects must come in pieces');
        controller.abort(reason);
        await rejectsWith(iterator.next(), reason);
        await afterwards();
        assert.equal(listenersOf(controller.signal), 0);
      },
    },
    {
      name: 'calls leave no listener on their signal, however they end',
      run: async ({ store, seed }) => {
        const { signal } = new AbortController();
        await store.put('object', memorySource(seededBytes(seed, SIZE)), { signal });
        await allBytes(await store.get('object', undefined, { signal }));
        await firstPiece(await store.get('object', undefined, { signal }));
        const unread = await store.get('object', undefined, { signal });
        await unread[Symbol.asyncIterator]().return?.();
        await rejectsWithKind(store.get('missing', undefined, { signal }), 'not-found');
        await rejectsWithKind(store.get('object', { start: SIZE }, { signal }), 'bad-range');
        await store.head('object', { signal });
        await drain(store.list({ signal }));
        await store.delete(['object', 'missing'], { signal });
        await afterwards();
        assert.equal(listenersOf(signal), 0);
      },
    },
  ],
};
