import { GuardedObjectStore, ObjectStoreRemoteStorage } from '@logloft/remote-storage';
import {
  describeObjectStore,
  describeRemoteStorageManager,
  FaultyObjectStore,
  scriptedFaults,
  testContext,
} from '@logloft/remote-storage-testkit';
import { describe, test } from 'vitest';
import { MemoryObjectStore } from '../src/index.ts';

const runner = { describe, test };

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
