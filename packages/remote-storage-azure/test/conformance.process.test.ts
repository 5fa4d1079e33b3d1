import { systemClock } from '@logloft/clock';
import { ObjectStoreRemoteStorage } from '@logloft/remote-storage';
import {
  contextWith,
  describeObjectStore,
  describeRemoteStorageManager,
} from '@logloft/remote-storage-testkit';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { AzureObjectStore } from '../src/index.ts';
import { type Azurite, startAzurite } from './support/azurite.ts';
import { freshContainer, openStore } from './support/containers.ts';

const runner = { describe, test };
let azurite: Azurite;

beforeAll(async () => {
  azurite = await startAzurite();
});

afterAll(async () => {
  await azurite.close();
});

// The smallest blocks, so that the larger objects of the suite take many of them.
const blockBytes = 64 * 1024;

async function freshStore(): Promise<{
  readonly store: AzureObjectStore;
  readonly reopen: () => Promise<AzureObjectStore>;
  readonly cleanUp: () => Promise<void>;
}> {
  const container = await freshContainer(azurite);
  const reopen = (): Promise<AzureObjectStore> =>
    openStore({ endpoint: azurite.endpoint, container: container.containerName, blockBytes });
  return {
    store: await reopen(),
    reopen,
    cleanUp: async () => void (await container.delete()),
  };
}

describeObjectStore(runner, { name: 'AzureObjectStore on Azurite', open: freshStore });

describeRemoteStorageManager(runner, {
  name: 'The layout over AzureObjectStore',
  open: async () => {
    const { store, cleanUp } = await freshStore();
    const context = contextWith(systemClock, 1);
    return { manager: new ObjectStoreRemoteStorage(store, {}, context), cleanUp };
  },
});
