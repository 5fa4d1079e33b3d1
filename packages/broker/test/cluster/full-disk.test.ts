import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createPartitionsApi,
  deleteTopicsApi,
  ErrorCode,
  initProducerIdApi,
  ZERO_UUID,
} from '@logloft/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startBroker } from '../../src/index.ts';
import { alterConfigs, createTopics, newTopic, RESOURCE } from '../support/admin-requests.ts';
import { topicMetadata } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-full-'));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true, force: true });
});

/** From now on no file of this process can be written by its handle, as on a full disk. */
async function fillDisk(): Promise<() => void> {
  const handle = await open(directory, 'r');
  const methods = Object.getPrototypeOf(handle);
  await handle.close();
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const spy = vi.spyOn(methods, 'datasync').mockRejectedValue(full);
  return () => spy.mockRestore();
}

test('without room for the state of the cluster, what would change it is KAFKA_STORAGE_ERROR and changes nothing', async () => {
  await using broker = await startBroker({ directory, topics: [{ name: 'old', partitions: 1 }] });
  await using client = await WireClient.connect(broker);
  const change = {
    create: async () => (await createTopics(client, [newTopic('new')]))[0]?.errorCode,
    ask: async () => (await topicMetadata(client, 'asked')).errorCode,
    grow: async () => {
      const topics = [{ name: 'old', count: 3, assignments: null }];
      const request = { topics, timeoutMs: 1000, validateOnly: false };
      return (await client.call(createPartitionsApi, 3, request)).results[0]?.errorCode;
    },
    alterTopic: async () => {
      const resource = { type: RESOURCE.topic, name: 'old' };
      return (await alterConfigs(client, resource, [{ name: 'retention.ms', value: '5' }]))
        .errorCode;
    },
    alterBroker: async () => {
      const resource = { type: RESOURCE.broker, name: '' };
      return (await alterConfigs(client, resource, [{ name: 'log.retention.ms', value: '5' }]))
        .errorCode;
    },
    delete: async () => {
      const topics = [{ name: 'old', topicId: ZERO_UUID }];
      const request = { topics, topicNames: [], timeoutMs: 1000 };
      return (await client.call(deleteTopicsApi, 6, request)).responses[0]?.errorCode;
    },
  };
  const makeRoom = await fillDisk();
  for (const [name, attempt] of Object.entries(change)) {
    expect(await attempt(), name).toBe(ErrorCode.KAFKA_STORAGE_ERROR);
  }
  const producer = { transactionalId: null, transactionTimeoutMs: 1, producerId: -1 };
  const { errorCode } = await client.call(initProducerIdApi, 4, { ...producer, producerEpoch: -1 });
  expect(errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  expect(broker.topics).toEqual(['old']);
  expect(broker.partitionStatus('old', 1)).toBeUndefined();
  makeRoom();
  for (const [name, attempt] of Object.entries(change)) {
    expect(await attempt(), name).toBe(ErrorCode.NONE);
  }
  expect(broker.topics).toEqual(['asked', 'new']);
});
