import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@logloft/clock';
import { type FileSystem, LogManager, nodeFileSystem } from '@logloft/log';
import { ErrorCode, offsetCommitApi, offsetFetchApi } from '@logloft/protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BrokerConfigs } from '../../src/cluster/broker-configs.ts';
import type { ClusterEvent } from '../../src/cluster/cluster-event.ts';
import { ClusterStore } from '../../src/cluster/cluster-store.ts';
import { type Broker, startBroker } from '../../src/index.ts';
import { silentLogger } from '../../src/logger.ts';
import { TopicManager } from '../../src/topics/topic-manager.ts';
import { createTopics, newTopic } from '../support/admin-requests.ts';
import { batchOf, fetch, produce, recordsIn, topicMetadata } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

const random = seededRandom(1);
const logger = silentLogger;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logloft-deletion-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

/** Adds to the journal of a broker that is closed, as if that had ended in the middle of something. */
async function journal(events: (store: ClusterStore) => readonly ClusterEvent[]): Promise<void> {
  const path = join(directory, 'cluster.journal');
  const store = await ClusterStore.open({ path, nodeId: 0 }, { random, logger });
  for (const event of events(store)) await store.change(event);
  await store.close();
}

async function inLife<T>(work: (client: WireClient, broker: Broker) => Promise<T>): Promise<T> {
  await using broker = await startBroker({ directory });
  await using client = await WireClient.connect(broker);
  return await work(client, broker);
}

async function commit(client: WireClient, topic: string, committedOffset: number): Promise<number> {
  const partition = { partitionIndex: 0, committedOffset, committedLeaderEpoch: -1 };
  const { topics } = await client.call(offsetCommitApi, 8, {
    groupId: 'group',
    generationIdOrMemberEpoch: -1,
    memberId: '',
    groupInstanceId: null,
    retentionTimeMs: -1,
    topics: [
      {
        name: topic,
        partitions: [{ ...partition, commitTimestamp: -1, committedMetadata: '' }],
      },
    ],
  });
  return topics[0]?.partitions[0]?.errorCode ?? -1;
}

async function committed(client: WireClient, topic: string): Promise<number | undefined> {
  const { groups } = await client.call(offsetFetchApi, 8, {
    groupId: '',
    topics: null,
    groups: [
      {
        groupId: 'group',
        memberId: null,
        memberEpoch: -1,
        topics: [{ name: topic, partitionIndexes: [0] }],
      },
    ],
    requireStable: false,
  });
  return groups[0]?.topics[0]?.partitions[0]?.committedOffset;
}

describe('a deletion that a crash interrupts', () => {
  test('goes on at the next start: the data leaves the disk, and the name is free', async () => {
    const topicId = await inLife(async (client, broker) => {
      await broker.createTopic({ name: 't', partitions: 2 });
      await produce(client, 't', batchOf(['old']));
      return (await topicMetadata(client, 't', { version: 12 })).topicId;
    });
    await journal(() => [{ type: 'topic-deleted', topicId }]);
    await inLife(async (client) => {
      expect((await readdir(directory)).filter((name) => /^t-\d$/.test(name))).toEqual([]);
      expect(await createTopics(client, [newTopic('t')])).toMatchObject([{ errorCode: 0 }]);
      expect(recordsIn(await fetch(client, 't'))).toEqual([]);
    });
  });

  test('takes nothing from a topic that got the name since', async () => {
    const topicId = await inLife(async (client, broker) => {
      await broker.createTopic({ name: 't' });
      expect(await commit(client, 't', 7)).toBe(ErrorCode.NONE);
      return (await topicMetadata(client, 't', { version: 12 })).topicId;
    });
    const created = { type: 'topic-created', name: 't', partitions: 1, internal: false } as const;
    const old = 'AAAAAAAAAAAAAAAAAAAAAQ';
    await journal(() => [
      { ...created, topicId: old, configs: [] },
      { type: 'topic-deleted', topicId: old },
      { ...created, topicId, configs: [] },
    ]);
    await inLife(async (client) => {
      await vi.waitFor(async () => {
        const bytes = await readFile(join(directory, 'cluster.journal'));
        expect(bytes.toString('latin1')).toContain(`"topic-purged","topicId":"${old}"`);
      });
      expect(await committed(client, 't')).toBe(7);
    });
  });
});

test('a topic that is made again at once has no committed offsets of the old one', async () => {
  await inLife(async (client, broker) => {
    await broker.createTopic({ name: 't' });
    expect(await commit(client, 't', 7)).toBe(ErrorCode.NONE);
    await Promise.all([broker.deleteTopic('t'), broker.createTopic({ name: 't' })]).catch(() =>
      broker.createTopic({ name: 't' }),
    );
    expect(await committed(client, 't')).toBe(-1);
    expect(await commit(client, 't', 1)).toBe(ErrorCode.NONE);
    expect(await committed(client, 't')).toBe(1);
  });
});

describe('without room', () => {
  test('a topic that cannot be made whole is KAFKA_STORAGE_ERROR, and nothing of it stays', async () => {
    await using broker = await startBroker({ memoryBytes: 2000 });
    await using client = await WireClient.connect(broker);
    const large = newTopic('t', { numPartitions: 500 });
    expect(await createTopics(client, [large])).toMatchObject([
      { errorCode: ErrorCode.KAFKA_STORAGE_ERROR },
    ]);
    expect(broker.topics).toEqual([]);
    expect(await createTopics(client, [newTopic('t')])).toMatchObject([{ errorCode: 0 }]);
    expect((await produce(client, 't', batchOf(['a']))).errorCode).toBe(0);
  });

  test('a topic is deleted all the same, with all its partitions, and its name is free', async () => {
    let isFull = false;
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      writeFile: (path, bytes) =>
        isFull
          ? Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }))
          : nodeFileSystem.writeFile(path, bytes),
    };
    const cluster = await ClusterStore.open({ nodeId: 0 }, { random, logger });
    const configs = new BrokerConfigs({ static: new Map(), nodeId: 0, cluster });
    await using logs = await LogManager.open(
      { directory, fileSystem },
      { configOf: () => undefined },
      { clock: systemClock },
    );
    const topics = await TopicManager.open({ cluster, logs, configs, random, logger });
    const input = { name: 't', partitions: 3, overrides: new Map<string, string>() };
    const made = await topics.create(input);
    if (made.kind !== 'created') throw new Error('the topic was not made');
    isFull = true;
    expect(await topics.delete(made.topic.topicId)).toBeUndefined();
    expect(logs.list()).toEqual([]);
    isFull = false;
    expect((await topics.create(input)).kind).toBe('created');
    await topics.close();
  });
});
