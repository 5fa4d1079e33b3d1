import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectStoreRemoteStorage } from '@logloft/remote-storage';
import {
  describeObjectStore,
  describeRemoteStorageManager,
  testContext,
} from '@logloft/remote-storage-testkit';
import { describe, test } from 'vitest';
import { LocalObjectStore } from '../src/index.ts';

const runner = { describe, test };

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

describeRemoteStorageManager(runner, {
  name: 'The layout over LocalObjectStore',
  open: async () => {
    const { root, cleanUp } = await freshRoot();
    const context = testContext(1);
    // Without fsync: this is about the layout, and the store's own suite flushes enough.
    const store = await LocalObjectStore.open({ root, fsync: false }, context);
    return { manager: new ObjectStoreRemoteStorage(store, {}, context), cleanUp };
  },
});
