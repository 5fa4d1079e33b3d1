import { generateKeyPairSync } from 'node:crypto';
import { Storage } from '@google-cloud/storage';
import { systemClock } from '@logloft/clock';
import { type LayoutOptions, ObjectStoreRemoteStorage } from '@logloft/remote-storage';
import {
  contextWith,
  damageStoredSegment,
  describeObjectStore,
  describeRemoteStorageManager,
} from '@logloft/remote-storage-testkit';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { GcsObjectStore } from '../src/index.ts';
import { type GcsServer, startGcsServer } from './support/gcs-server.ts';

const runner = { describe, test, afterAll };
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
  name: 'GcsObjectStore with the smallest parts',
  open: async () => {
    const bucket = await server.createBucket();
    const reopen = async (): Promise<GcsObjectStore> => openBucket(bucket, 256 * 1024);
    return { store: await reopen(), reopen };
  },
});

const keyPair = { id: 'k1', ...generateKeyPairSync('rsa', { modulusLength: 2_048 }) };
const LAYOUTS: readonly (readonly [string, LayoutOptions])[] = [
  ['plain', {}],
  [
    'compressed and encrypted in small chunks',
    {
      chunkBytes: 10_000,
      compressionEnabled: true,
      encryption: { keyPairId: 'k1', keyPairs: [keyPair] },
    },
  ],
];

for (const [name, layout] of LAYOUTS) {
  describeRemoteStorageManager(runner, {
    name: `The layout over GcsObjectStore, ${name}`,
    chunkBytes: layout.chunkBytes,
    open: async () => {
      const bucket = await server.createBucket();
      const reopen = async (): Promise<ObjectStoreRemoteStorage> =>
        new ObjectStoreRemoteStorage(openBucket(bucket), layout, contextWith(systemClock, 1));
      return {
        manager: await reopen(),
        reopen,
        damage: async (damage) => {
          const store = openBucket(bucket);
          await damageStoredSegment(store, damage);
          await store.close();
        },
        noticesAltered: layout.encryption !== undefined,
      };
    },
  });
}
