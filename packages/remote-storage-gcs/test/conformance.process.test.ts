import { Storage } from '@google-cloud/storage';
import { systemClock } from '@logloft/clock';
import { ObjectStoreRemoteStorage } from '@logloft/remote-storage';
import {
  contextWith,
  describeObjectStore,
  describeRemoteStorageManager,
} from '@logloft/remote-storage-testkit';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { GcsObjectStore } from '../src/index.ts';
import { type GcsServer, startGcsServer } from './support/gcs-server.ts';

const runner = { describe, test };
let server: GcsServer;

beforeAll(async () => {
  server = await startGcsServer();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

function openBucket(bucket: string, partBytes?: number): GcsObjectStore {
  const client = new Storage({ apiEndpoint: server.url });
  return new GcsObjectStore({ bucket, client, partBytes }, contextWith(systemClock, 1));
}

describeObjectStore(runner, {
  name: 'GcsObjectStore',
  open: async () => {
    const bucket = await server.createBucket();
    return { store: openBucket(bucket), reopen: async () => openBucket(bucket) };
  },
});

describeObjectStore(runner, {
  name: 'GcsObjectStore with small parts',
  open: async () => ({ store: openBucket(await server.createBucket(), 256 * 1024) }),
});

describeRemoteStorageManager(runner, {
  name: 'The layout over GcsObjectStore',
  open: async () => {
    const store = openBucket(await server.createBucket());
    return { manager: new ObjectStoreRemoteStorage(store, {}, contextWith(systemClock, 1)) };
  },
});
