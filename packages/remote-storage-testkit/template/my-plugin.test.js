import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ObjectStoreRemoteStorage } from '@logloft/remote-storage';
import {
  describeObjectStore,
  describeRemoteStorageManager,
  testContext,
} from '@logloft/remote-storage-testkit';
import { createObjectStore } from './my-plugin.js';

const runner = { describe, test, after };

// For each case a file of its own, which goes with it.
async function freshFile() {
  const folder = await mkdtemp(join(tmpdir(), 'my-plugin-'));
  const cleanUp = () => rm(folder, { recursive: true, force: true });
  return { file: join(folder, 'loft.db'), cleanUp };
}

describeObjectStore(runner, {
  name: 'my plugin',
  open: async () => {
    const { file, cleanUp } = await freshFile();
    const reopen = async () => createObjectStore({ file });
    return { store: await reopen(), reopen, cleanUp };
  },
});

describeRemoteStorageManager(runner, {
  name: 'the layout over my plugin',
  chunkBytes: 10_000,
  open: async () => {
    const { file, cleanUp } = await freshFile();
    const options = { chunkBytes: 10_000, compressionEnabled: true };
    const reopen = async () =>
      new ObjectStoreRemoteStorage(createObjectStore({ file }), options, testContext(1));
    return { manager: await reopen(), reopen, cleanUp };
  },
});

test('an option that is mistyped is refused, with the name that was probably meant', () => {
  assert.throws(() => createObjectStore({ fil: 'loft.db' }), /Did you mean "file"/);
});
