import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import {
  GuardedObjectStore,
  isRemoteStorageError,
  memorySource,
  type ObjectStore,
} from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { manualContext } from '../segment-fixture.ts';

// Plugins are written by others: what they throw, and when, is theirs. What reaches a caller is an error
// of the contract, and nothing is left on his signal.

const OPERATIONS = ['put', 'get', 'head', 'delete', 'list', 'removeUnfinished'] as const;

async function callOf(
  store: ObjectStore,
  operation: string,
  signal: AbortSignal,
): Promise<unknown> {
  const options = { signal };
  switch (operation) {
    case 'put':
      return await store.put('key', memorySource(new Uint8Array(3)), options);
    case 'get': {
      for await (const piece of await store.get('key', undefined, options)) return piece;
      return undefined;
    }
    case 'head':
      return await store.head('key', options);
    case 'delete':
      return await store.delete(['key'], options);
    case 'list': {
      for await (const head of store.list(options)) return head;
      return undefined;
    }
    default:
      return await store.removeUnfinished?.({ ...options, olderThanMs: 0 });
  }
}

type Rudeness = readonly [string, () => unknown];

const RUDENESS: readonly Rudeness[] = [
  [
    'throws before it returns a promise',
    () => {
      throw new TypeError('rude');
    },
  ],
  ['rejects with a text', () => Promise.reject('rude')],
  ['rejects with nothing', () => Promise.reject(undefined)],
];

const STREAMS: readonly Rudeness[] = [
  [
    'gives a stream that cannot be begun',
    () => ({
      [Symbol.asyncIterator]: () => {
        throw new TypeError('rude');
      },
    }),
  ],
  [
    'gives a stream whose first step throws at once',
    () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => {
          throw new TypeError('rude');
        },
      }),
    }),
  ],
  ['gives nothing that could be read', () => undefined],
];

const CASES = [
  ...OPERATIONS.filter((operation) => operation !== 'list').flatMap((operation) =>
    RUDENESS.map(([how, act]) => [operation, how, act] as const),
  ),
  ...STREAMS.map(([how, act]) => ['get', how, act] as const),
  ...[...RUDENESS.slice(0, 1), ...STREAMS].map(([how, act]) => ['list', how, act] as const),
];

test.each(CASES)('a store whose %s %s is an error of the contract', async (operation, _, act) => {
  const context = manualContext();
  const store = Object.assign(new MapObjectStore(), { removeUnfinished: async () => 0 });
  await store.put('key', memorySource(new Uint8Array(3)));
  Object.assign(store, { [operation]: act });
  const guarded = new GuardedObjectStore(store, context);
  const { signal } = new AbortController();
  const calling = (async () => await callOf(guarded, operation, signal))();
  let failure: unknown;
  calling.catch((error: unknown) => {
    failure = error;
  });
  await context.clock.advanceAsync(60_000);
  expect(isRemoteStorageError(failure), String(failure)).toBe(true);
  expect(failure).toMatchObject({ kind: 'unavailable', retryable: false });
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  expect(context.clock.pendingTimers).toBe(0);
});
