import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type LayoutOptions,
  type ObjectStore,
  ObjectStoreRemoteStorage,
} from '@logloft/remote-storage';
import {
  type ConformanceRunner,
  damageStoredSegment,
  describeRemoteStorageManager,
  testContext,
} from '@logloft/remote-storage-testkit';
import { afterAll, describe, test } from 'vitest';
import { MemoryObjectStore } from '../src/index.ts';

const runner: ConformanceRunner = {
  describe,
  test: (name, body) => test(name, { timeout: 60_000 }, body),
  afterAll,
};

const directories: string[] = [];
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

const CHUNK_BYTES = 10_000;
const CACHES: readonly [name: string, cache: () => Promise<LayoutOptions['cache']>][] = [
  ['a cache in memory', async () => ({ chunkCacheBytes: 1_000_000 })],
  ['a cache in memory that holds two chunks', async () => ({ chunkCacheBytes: 2 * CHUNK_BYTES })],
  [
    'a cache on disk',
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'logloft-cached-reads-'));
      directories.push(directory);
      return { chunkCachePath: directory, chunkCacheBytes: 1_000_000 };
    },
  ],
];

for (const [name, cacheOf] of CACHES) {
  for (const compressionEnabled of [false, true]) {
    describeRemoteStorageManager(runner, {
      name: `The layout over MemoryObjectStore, ${compressionEnabled ? 'compressed' : 'plain'}, with ${name}`,
      chunkBytes: CHUNK_BYTES,
      open: async () => {
        const store = new MemoryObjectStore();
        // A cache of its own each time: what one holds hides what is done to the store behind its back.
        const open = async (): Promise<ObjectStoreRemoteStorage> =>
          new ObjectStoreRemoteStorage(
            lasting(store),
            { chunkBytes: CHUNK_BYTES, compressionEnabled, cache: await cacheOf() },
            testContext(1),
          );
        return {
          manager: await open(),
          reopen: open,
          damage: (damage) => damageStoredSegment(store, damage),
          noticesAltered: false,
        };
      },
    });
  }
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
