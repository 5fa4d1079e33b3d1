import { ObjectStoreRemoteStorage } from '@logloft/remote-storage';
import {
  describeObjectStore,
  describeRemoteStorageManager,
  testContext,
} from '@logloft/remote-storage-testkit';
import { describe, test } from 'vitest';
import { MemoryObjectStore } from '../src/index.ts';

const runner = { describe, test };

describeObjectStore(runner, {
  name: 'MemoryObjectStore',
  open: () => ({ store: new MemoryObjectStore() }),
});

describeRemoteStorageManager(runner, {
  name: 'The layout over MemoryObjectStore',
  open: () => ({
    manager: new ObjectStoreRemoteStorage(
      new MemoryObjectStore(),
      {
        keyPrefix: 'loft/',
        customMetadataFields: ['REMOTE_SIZE', 'OBJECT_PREFIX', 'OBJECT_KEY'],
      },
      testContext(1),
    ),
  }),
});
