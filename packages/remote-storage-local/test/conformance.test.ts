import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LayoutOptions, ObjectStoreRemoteStorage } from '@logloft/remote-storage';
import {
  type ConformanceRunner,
  damageStoredSegment,
  describeObjectStore,
  describeRemoteStorageManager,
  testContext,
} from '@logloft/remote-storage-testkit';
import { afterAll, describe, test } from 'vitest';
import { LocalObjectStore } from '../src/index.ts';

// A case reads a segment a thousand times: decrypting that takes a busy machine its time.
const TIMEOUT_MS = 60_000;
const runner: ConformanceRunner = {
  describe,
  test: (name, body) => test(name, { timeout: TIMEOUT_MS }, body),
  afterAll,
};

async function freshRoot(): Promise<{ root: string; cleanUp: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'logloft-local-'));
  return { root, cleanUp: () => rm(root, { recursive: true, force: true }) };
}

describeObjectStore(runner, {
  name: 'LocalObjectStore',
  open: async () => {
    const { root, cleanUp } = await freshRoot();
    const reopen = (): Promise<LocalObjectStore> => LocalObjectStore.open({ root }, testContext(1));
    return { store: await reopen(), reopen, cleanUp };
  },
});

const KEY_PAIR = { id: 'k1', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
const LAYOUTS: readonly (readonly [string, LayoutOptions])[] = [
  ['plain', {}],
  [
    'compressed and encrypted in small chunks',
    {
      chunkBytes: 10_000,
      compressionEnabled: true,
      encryption: { keyPairId: 'k1', keyPairs: [KEY_PAIR] },
    },
  ],
];

for (const [name, layout] of LAYOUTS) {
  describeRemoteStorageManager(runner, {
    name: `The layout over LocalObjectStore, ${name}`,
    chunkBytes: layout.chunkBytes,
    open: async () => {
      const { root, cleanUp } = await freshRoot();
      // Without fsync: this is about the layout, and the store's own suite flushes enough.
      const openStore = (): Promise<LocalObjectStore> =>
        LocalObjectStore.open({ root, fsync: false }, testContext(1));
      const reopen = async (): Promise<ObjectStoreRemoteStorage> =>
        new ObjectStoreRemoteStorage(await openStore(), layout, testContext(1));
      return {
        manager: await reopen(),
        reopen,
        cleanUp,
        damage: async (damage) => {
          const store = await openStore();
          await damageStoredSegment(store, damage);
          await store.close();
        },
        noticesAltered: layout.encryption !== undefined,
      };
    },
  });
}
