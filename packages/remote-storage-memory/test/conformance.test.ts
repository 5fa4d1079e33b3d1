import { generateKeyPairSync } from 'node:crypto';
import {
  GuardedObjectStore,
  type LayoutOptions,
  type ObjectStore,
  ObjectStoreRemoteStorage,
} from '@logloft/remote-storage';
import {
  type ConformanceRunner,
  damageStoredSegment,
  describeObjectStore,
  describeRemoteStorageManager,
  FaultyObjectStore,
  scriptedFaults,
  testContext,
} from '@logloft/remote-storage-testkit';
import { afterAll, describe, test } from 'vitest';
import { MemoryObjectStore } from '../src/index.ts';

// Compressing and encrypting a thousand times takes a busy machine its time.
const TIMEOUT_MS = 60_000;
const runner: ConformanceRunner = {
  describe,
  test: (name, body) => test(name, { timeout: TIMEOUT_MS }, body),
  afterAll,
};

describeObjectStore(runner, {
  name: 'MemoryObjectStore',
  open: () => ({ store: new MemoryObjectStore() }),
});

describeObjectStore(runner, {
  name: 'GuardedObjectStore over MemoryObjectStore',
  open: () => ({ store: new GuardedObjectStore(new MemoryObjectStore(), testContext(1)) }),
});

describeObjectStore(runner, {
  name: 'FaultyObjectStore without faults over MemoryObjectStore',
  open: () => ({
    store: new FaultyObjectStore(new MemoryObjectStore(), scriptedFaults({}), testContext(1).clock),
  }),
});

// Chunks so small that they are compressed in place, and some that threads compress.
const KEY_PAIR = { id: 'k1', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
const ENCRYPTION = { keyPairId: 'k1', keyPairs: [KEY_PAIR] };
const BOTH = { compressionEnabled: true, encryption: ENCRYPTION };
const TRANSFORMATIONS: readonly [name: string, options: LayoutOptions][] = [
  ['plain', { chunkBytes: 10_000 }],
  ['compressed', { chunkBytes: 10_000, compressionEnabled: true }],
  ['encrypted', { chunkBytes: 10_000, encryption: ENCRYPTION }],
  ['compressed and encrypted', { chunkBytes: 10_000, ...BOTH }],
  ['compressed and encrypted in larger chunks', { chunkBytes: 200_000, ...BOTH }],
];
for (const [name, options] of TRANSFORMATIONS) {
  describeRemoteStorageManager(runner, {
    name: `The layout over MemoryObjectStore, ${name}`,
    chunkBytes: options.chunkBytes,
    open: () => {
      const store = new MemoryObjectStore();
      return {
        manager: open(options, store),
        reopen: async () => open(options, store),
        damage: (damage) => damageStoredSegment(store, damage),
        noticesAltered: options.encryption !== undefined,
      };
    },
  });
}

function open(options: LayoutOptions, store: MemoryObjectStore): ObjectStoreRemoteStorage {
  const fields = ['REMOTE_SIZE', 'OBJECT_PREFIX', 'OBJECT_KEY'] as const;
  return new ObjectStoreRemoteStorage(
    lasting(store),
    { keyPrefix: 'loft/', customMetadataFields: fields, ...options },
    testContext(1),
  );
}

// The objects outlive the manager that is disposed of.
function lasting(store: MemoryObjectStore): ObjectStore {
  return {
    capabilities: store.capabilities,
    put: (key, source, options) => store.put(key, source, options),
    get: (key, range, options) => store.get(key, range, options),
    head: (key, options) => store.head(key, options),
    delete: (keys, options) => store.delete(keys, options),
    list: (options) => store.list(options),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
