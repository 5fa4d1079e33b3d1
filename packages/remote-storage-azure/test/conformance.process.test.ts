import { generateKeyPairSync } from 'node:crypto';
import { systemClock } from '@logloft/clock';
import { type LayoutOptions, ObjectStoreRemoteStorage } from '@logloft/remote-storage';
import {
  contextWith,
  damageStoredSegment,
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

describeObjectStore(runner, {
  name: 'AzureObjectStore on Azurite',
  largeObjectBytes: 2 * 1024 * 1024 + 1,
  open: freshStore,
});

const KEY_PAIR = { id: 'k1', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
const LAYOUTS: readonly [name: string, options: LayoutOptions][] = [
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

for (const [name, options] of LAYOUTS) {
  describeRemoteStorageManager(runner, {
    name: `The layout over AzureObjectStore, ${name}`,
    chunkBytes: options.chunkBytes,
    open: async () => {
      const { store, reopen, cleanUp } = await freshStore();
      const bare = await reopen();
      const over = (opened: AzureObjectStore): ObjectStoreRemoteStorage =>
        new ObjectStoreRemoteStorage(opened, options, contextWith(systemClock, 1));
      return {
        manager: over(store),
        reopen: async () => over(await reopen()),
        damage: (damage) => damageStoredSegment(bare, damage),
        noticesAltered: options.encryption !== undefined,
        cleanUp: async () => {
          await bare.close();
          await cleanUp();
        },
      };
    },
  });
}
