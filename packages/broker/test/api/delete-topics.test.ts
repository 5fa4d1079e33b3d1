import {
  createPartitionsApi,
  deleteTopicsApi,
  ErrorCode,
  fetchApi,
  metadataApi,
  offsetCommitApi,
  offsetFetchApi,
  ZERO_UUID,
} from '@logloft/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { batchOf, fetch, fetchRequest, produce, topicMetadata } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let broker: Broker;
let client: WireClient;
let topicNumber = 0;
let topic: string;

beforeAll(async () => {
  broker = await startBroker();
  client = await WireClient.connect(broker);
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await broker.close();
});

beforeEach(async () => {
  topicNumber += 1;
  topic = `topic-${topicNumber}`;
  await broker.createTopic({ name: topic });
});

async function deleteTopic(wanted: { readonly name?: string | null; readonly topicId?: string }) {
  const { name = null, topicId = ZERO_UUID } = wanted;
  const answer = await client.call(deleteTopicsApi, 6, {
    topics: [{ name, topicId }],
    topicNames: [],
    timeoutMs: 1000,
  });
  const [response] = answer.responses;
  if (response === undefined) throw new Error('the answer lacks the topic');
  return response;
}

describe('DeleteTopics', () => {
  test.each([1, 2, 3, 4, 5, 6])('version %i deletes by name', async (version) => {
    const answer = await client.call(deleteTopicsApi, version, {
      topics: [topic, 'missing'].map((name) => ({ name, topicId: ZERO_UUID })),
      topicNames: [topic, 'missing'],
      timeoutMs: 1000,
    });
    expect(answer.responses.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      [topic, ErrorCode.NONE],
      ['missing', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ]);
    const all = await client.call(metadataApi, 9, {
      topics: null,
      allowAutoTopicCreation: false,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    });
    expect(all.topics.map(({ name }) => name)).not.toContain(topic);
    expect((await produce(client, topic, batchOf(['x']))).errorCode).toBe(
      ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    );
  });

  test('by id, which answers the name, too; an unknown id is error 100', async () => {
    const { topicId } = await topicMetadata(client, topic, { version: 12 });
    expect(await deleteTopic({ topicId })).toMatchObject({ errorCode: 0, name: topic, topicId });
    expect(await deleteTopic({ topicId })).toMatchObject({ errorCode: ErrorCode.UNKNOWN_TOPIC_ID });
  });

  test('neither a name nor an id, or both, is INVALID_REQUEST', async () => {
    const { topicId } = await topicMetadata(client, topic, { version: 12 });
    for (const wanted of [{}, { name: topic, topicId }]) {
      expect(await deleteTopic(wanted)).toMatchObject({ errorCode: ErrorCode.INVALID_REQUEST });
    }
    expect(broker.topics).toContain(topic);
  });

  test('a topic that is made again has another id and nothing of the old one', async () => {
    await produce(client, topic, batchOf(['old']));
    const { topicId } = await topicMetadata(client, topic, { version: 12 });
    await deleteTopic({ name: topic });
    const again = await topicMetadata(client, topic, { version: 12 });
    expect(again.topicId).not.toBe(topicId);
    expect(await fetch(client, topic)).toMatchObject({ errorCode: 0, highWatermark: 0 });
    const request = fetchRequest(topic);
    request.topics = request.topics.map((wanted) => ({ ...wanted, topicId }));
    const stale = await client.call(fetchApi, 13, request);
    expect(stale.responses[0]?.partitions[0]?.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_ID);
  });

  test.each([
    [12, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    [13, ErrorCode.UNKNOWN_TOPIC_ID],
  ])('a parked fetch of version %i ends with error %i', async (version, errorCode) => {
    const { topicId } = await topicMetadata(client, topic, { version: 12 });
    const waiting = await WireClient.connect(broker);
    const request = fetchRequest(topic, {}, { maxWaitMs: 60_000 });
    request.topics = request.topics.map((wanted) => ({ ...wanted, topicId }));
    const parked = waiting.call(fetchApi, version, request);
    // Requests of one client are read in order, those of two are not: this one was read for sure.
    const behind = waiting.call(fetchApi, version, { ...request, maxWaitMs: 0 });
    await topicMetadata(client, topic);
    await deleteTopic({ name: topic });
    expect((await parked).responses[0]?.partitions[0]?.errorCode).toBe(errorCode);
    await behind;
    await waiting[Symbol.asyncDispose]();
  });

  test('committed offsets of the topic are dropped, those of others stay', async () => {
    await broker.createTopic({ name: 'kept' }).catch(() => undefined);
    const partition = {
      partitionIndex: 0,
      committedOffset: 5,
      committedLeaderEpoch: -1,
      commitTimestamp: -1,
      committedMetadata: '',
    };
    await client.call(offsetCommitApi, 8, {
      groupId: 'g',
      generationIdOrMemberEpoch: -1,
      memberId: '',
      groupInstanceId: null,
      retentionTimeMs: -1,
      topics: [topic, 'kept'].map((name) => ({ name, partitions: [partition] })),
    });
    const committed = async () => {
      const topics = [topic, 'kept'].map((name) => ({ name, partitionIndexes: [0] }));
      const answer = await client.call(offsetFetchApi, 7, {
        groupId: 'g',
        topics,
        groups: [],
        requireStable: false,
      });
      return answer.topics.map(({ partitions }) => partitions[0]?.committedOffset);
    };
    expect(await committed()).toEqual([5, 5]);
    await deleteTopic({ name: topic });
    await broker.createTopic({ name: topic });
    await vi.waitFor(async () => expect(await committed()).toEqual([-1, 5]));
  });

  test('an internal topic cannot be deleted, nor written to', async () => {
    await vi.waitFor(() => expect(broker.topics).toContain('__consumer_offsets'));
    const answer = await deleteTopic({ name: '__consumer_offsets' });
    expect(answer.errorCode).toBe(ErrorCode.INVALID_TOPIC_EXCEPTION);
    expect(answer.errorMessage).toContain('internal');
    expect((await produce(client, '__consumer_offsets', batchOf(['x']))).errorCode).toBe(
      ErrorCode.INVALID_TOPIC_EXCEPTION,
    );
    const metadata = await topicMetadata(client, '__consumer_offsets');
    expect(metadata.isInternal).toBe(true);
  });

  test('delete.topic.enable=false refuses with error 73', async () => {
    await using other = await startBroker({
      config: { 'delete.topic.enable': 'false' },
      topics: [{ name: 'fixed' }],
    });
    await using own = await WireClient.connect(other);
    const answer = await own.call(deleteTopicsApi, 6, {
      topics: [{ name: 'fixed', topicId: ZERO_UUID }],
      topicNames: [],
      timeoutMs: 1000,
    });
    expect(answer.responses).toMatchObject([{ errorCode: ErrorCode.TOPIC_DELETION_DISABLED }]);
  });
});

describe('CreatePartitions', () => {
  async function grow(
    count: number,
    options: {
      readonly version?: number;
      readonly validateOnly?: boolean;
      readonly assignments?: { brokerIds: number[] }[] | null;
      readonly name?: string;
    } = {},
  ) {
    const { version = 3, validateOnly = false, assignments = null, name = topic } = options;
    const answer = await client.call(createPartitionsApi, version, {
      topics: [{ name, count, assignments }],
      timeoutMs: 1000,
      validateOnly,
    });
    const [result] = answer.results;
    if (result === undefined) throw new Error('the answer lacks the topic');
    return result;
  }

  test.each([0, 1, 2, 3])(
    'version %i adds partitions that can be used at once',
    async (version) => {
      await produce(client, topic, batchOf(['kept']));
      expect(await grow(3, { version })).toMatchObject({ errorCode: 0, name: topic });
      expect((await topicMetadata(client, topic)).partitions).toHaveLength(3);
      expect(await produce(client, topic, batchOf(['x']), { partition: 2 })).toMatchObject({
        errorCode: 0,
        baseOffset: 0,
      });
      expect((await fetch(client, topic)).highWatermark).toBe(1);
    },
  );

  test('validateOnly adds none', async () => {
    expect((await grow(3, { validateOnly: true })).errorCode).toBe(0);
    expect((await topicMetadata(client, topic)).partitions).toHaveLength(1);
  });

  test('what cannot be added is refused with a sentence', async () => {
    for (const [answer, errorCode] of [
      [await grow(1), ErrorCode.INVALID_PARTITIONS],
      [await grow(0), ErrorCode.INVALID_PARTITIONS],
      [await grow(100_000), ErrorCode.INVALID_PARTITIONS],
      [await grow(2, { name: 'missing' }), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
      [await grow(2, { assignments: [] }), ErrorCode.INVALID_REPLICA_ASSIGNMENT],
      [await grow(2, { assignments: [{ brokerIds: [7] }] }), ErrorCode.INVALID_REPLICA_ASSIGNMENT],
    ] as const) {
      expect(answer.errorCode).toBe(errorCode);
      expect(answer.errorMessage).toMatch(/\w+ \w+/);
    }
    expect((await grow(2, { assignments: [{ brokerIds: [0] }] })).errorCode).toBe(0);
    const twice = await client.call(createPartitionsApi, 3, {
      topics: [3, 4].map((count) => ({ name: topic, count, assignments: null })),
      timeoutMs: 1000,
      validateOnly: false,
    });
    expect(twice.results.map(({ errorCode }) => errorCode)).toEqual([
      ErrorCode.INVALID_REQUEST,
      ErrorCode.INVALID_REQUEST,
    ]);
  });
});
