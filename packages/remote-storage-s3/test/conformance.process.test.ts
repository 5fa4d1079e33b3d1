import { generateKeyPairSync } from 'node:crypto';
import { CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { systemClock } from '@logloft/clock';
import { type LayoutOptions, ObjectStoreRemoteStorage } from '@logloft/remote-storage';
import {
  type ConformanceRunner,
  contextWith,
  damageStoredSegment,
  describeObjectStore,
  describeRemoteStorageManager,
} from '@logloft/remote-storage-testkit';
import { afterAll, describe, test } from 'vitest';
import { S3ObjectStore } from '../src/index.ts';
import { scratchBucket } from './support/scratch-bucket.ts';
import { plainClient, startTestServer } from './support/test-server.ts';

const server = await startTestServer();
const client = plainClient(server);

const runner: ConformanceRunner = {
  describe,
  afterAll,
  test: (name, body) => {
    const limit = server.limits?.get(name);
    if (limit === undefined) test(name, body);
    else test(name, ({ skip }) => skip(limit));
  },
};

afterAll(async () => {
  client.destroy();
  await server.stop();
});

const context = contextWith(systemClock, 1);

function openStore(bucket: string): S3ObjectStore {
  const { endpoint, credentials, conditionalWrites } = server;
  return new S3ObjectStore(
    {
      bucket,
      connection: { endpoint, credentials },
      // The smallest parts, so that the large objects of the suite have several.
      partBytes: 5 * 1024 * 1024,
      conditionalWrites,
    },
    context,
  );
}

describeObjectStore(runner, {
  name: `S3ObjectStore on ${server.name}`,
  open: async () => {
    const { bucket, remove } = await scratchBucket(client);
    const reopen = async (): Promise<S3ObjectStore> => openStore(bucket);
    const leaveUnfinished = async (key: string): Promise<void> => {
      const object = { Bucket: bucket, Key: key };
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(object));
      const part = { ...object, UploadId, PartNumber: 1, Body: Buffer.alloc(1_000) };
      await client.send(new UploadPartCommand(part));
    };
    return { store: openStore(bucket), reopen, leaveUnfinished, cleanUp: remove };
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
    name: `The layout over S3ObjectStore on ${server.name}, ${name}`,
    chunkBytes: layout.chunkBytes,
    open: async () => {
      const { bucket, remove } = await scratchBucket(client);
      const reopen = async (): Promise<ObjectStoreRemoteStorage> =>
        new ObjectStoreRemoteStorage(openStore(bucket), layout, context);
      return {
        manager: await reopen(),
        reopen,
        damage: async (damage) => {
          const store = openStore(bucket);
          await damageStoredSegment(store, damage);
          await store.close();
        },
        noticesAltered: layout.encryption !== undefined,
        cleanUp: remove,
      };
    },
  });
}
