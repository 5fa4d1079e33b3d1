import {
  deleteRecordsApi,
  describeClusterApi,
  describeLogDirsApi,
  describeTopicPartitionsApi,
  ErrorCode,
  findCoordinatorApi,
} from '@logloft/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { batchOf, fetch, listOffset, produce, recordsIn } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let broker: Broker;
let client: WireClient;

beforeAll(async () => {
  broker = await startBroker({
    topics: [
      { name: 'b', partitions: 3 },
      { name: 'a', partitions: 2 },
      { name: 'c' },
      { name: 'records' },
    ],
  });
  client = await WireClient.connect(broker);
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await broker.close();
});

describe('DescribeCluster', () => {
  test.each([0, 1])('version %i tells who leads and where it is (cases D 92)', async (version) => {
    const ask = (includeClusterAuthorizedOperations: boolean) =>
      client.call(describeClusterApi, version, {
        includeClusterAuthorizedOperations,
        endpointType: 1,
      });
    const answer = await ask(false);
    expect(answer).toMatchObject({
      errorCode: 0,
      clusterId: broker.clusterId,
      controllerId: 0,
      brokers: [{ brokerId: 0, host: '127.0.0.1', port: broker.port, rack: null }],
      clusterAuthorizedOperations: -2_147_483_648,
    });
    expect((await ask(true)).clusterAuthorizedOperations).toBeGreaterThan(0);
  });

  test('endpoints of controllers are not served', async () => {
    const answer = await client.call(describeClusterApi, 1, {
      includeClusterAuthorizedOperations: false,
      endpointType: 2,
    });
    expect(answer.errorCode).toBe(ErrorCode.UNSUPPORTED_ENDPOINT_TYPE);
    expect(answer.errorMessage).not.toBe(null);
  });
});

describe('DescribeLogDirs', () => {
  test.each([1, 2, 3, 4])(
    'version %i tells the size of each partition (cases D 91)',
    async (version) => {
      await produce(client, 'a', batchOf(['x'.repeat(1000)]), { partition: 1 });
      const all = await client.call(describeLogDirsApi, version, { topics: null });
      const [directory] = all.results;
      expect(all.results).toHaveLength(1);
      expect(directory?.errorCode).toBe(0);
      expect(directory?.logDir).not.toBe('');
      expect(directory?.topics.map(({ name }) => name)).toEqual(expect.arrayContaining(['a', 'b']));
      const one = await client.call(describeLogDirsApi, version, {
        topics: [
          { topic: 'a', partitions: [1, 7] },
          { topic: 'missing', partitions: [0] },
        ],
      });
      expect(one.results[0]?.topics).toMatchObject([
        { name: 'a', partitions: [{ partitionIndex: 1, offsetLag: 0, isFutureKey: false }] },
      ]);
      expect(one.results[0]?.topics[0]?.partitions[0]?.partitionSize).toBeGreaterThan(1000);
    },
  );
});

describe('DescribeTopicPartitions', () => {
  const ask = (
    names: readonly string[],
    responsePartitionLimit = 2000,
    cursor: { topicName: string; partitionIndex: number } | null = null,
  ) =>
    client.call(describeTopicPartitionsApi, 0, {
      topics: names.map((name) => ({ name })),
      responsePartitionLimit,
      cursor,
    });

  test('describes topics in the order of their names, each once; none named is all', async () => {
    const some = await ask(['b', 'missing', 'a', 'b']);
    expect(some.topics.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['a', 0],
      ['b', 0],
      ['missing', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
    ]);
    expect(some.nextCursor).toBe(null);
    expect(some.topics[1]?.partitions[2]).toEqual({
      errorCode: 0,
      partitionIndex: 2,
      leaderId: 0,
      leaderEpoch: 0,
      replicaNodes: [0],
      isrNodes: [0],
      eligibleLeaderReplicas: [],
      lastKnownElr: [],
      offlineReplicas: [],
    });
    expect((await ask([])).topics.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'records']);
  });

  test.each([1, 2, 3, 4, 100])(
    'pages of %i partitions give each partition exactly once',
    async (limit) => {
      const seen: string[] = [];
      let cursor: { topicName: string; partitionIndex: number } | null = null;
      do {
        const page: Awaited<ReturnType<typeof ask>> = await ask([], limit, cursor);
        const found = page.topics.flatMap(({ name, partitions }) =>
          partitions.map(({ partitionIndex }) => `${name}-${partitionIndex}`),
        );
        expect(found.length).toBeLessThanOrEqual(limit);
        seen.push(...found);
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual(['a-0', 'a-1', 'b-0', 'b-1', 'b-2', 'c-0', 'records-0']);
    },
  );

  test('a cursor at what is gone goes on behind it', async () => {
    const page = await ask([], 100, { topicName: 'bb', partitionIndex: 5 });
    expect(page.topics.map(({ name }) => name)).toEqual(['c', 'records']);
  });
});

describe('FindCoordinator', () => {
  test.each([0, 1, 2, 3, 4, 5, 6])('version %i names this broker for a group', async (version) => {
    const answer = await client.call(findCoordinatorApi, version, {
      key: 'g',
      keyType: 0,
      coordinatorKeys: ['g', 'h'],
    });
    const here = { nodeId: 0, host: '127.0.0.1', port: broker.port, errorCode: 0 };
    if (version < 4) expect(answer).toMatchObject(here);
    else {
      expect(answer.coordinators).toMatchObject([
        { key: 'g', ...here },
        { key: 'h', ...here },
      ]);
    }
  });

  test.each([1, 4, 6])(
    'version %i says of transactions and other types that they are not served, where clients of it look (cases D 90)',
    async (version) => {
      for (const keyType of version >= 6 ? [1, 2] : [1]) {
        const answer = await client.call(findCoordinatorApi, version, {
          key: 't',
          keyType,
          coordinatorKeys: ['t'],
        });
        const place = version < 4 ? answer : answer.coordinators[0];
        expect(place).toMatchObject({
          errorCode: ErrorCode.INVALID_REQUEST,
          nodeId: -1,
          host: '',
          port: -1,
        });
        expect(place?.errorMessage).toContain('not served');
      }
    },
  );
});

describe('DeleteRecords', () => {
  const deleteBefore = async (
    offset: number,
    options: { topic?: string; version?: number } = {},
  ) => {
    const { topic = 'records', version = 2 } = options;
    const answer = await client.call(deleteRecordsApi, version, {
      topics: [{ name: topic, partitions: [{ partitionIndex: 0, offset }] }],
      timeoutMs: 1000,
    });
    return answer.topics[0]?.partitions[0];
  };

  test('moves the log start, which later requests see', async () => {
    await produce(client, 'records', batchOf(['a', 'b', 'c', 'd']));
    await produce(client, 'records', batchOf(['e']));
    for (const [version, offset] of [
      [0, 1],
      [1, 2],
      [2, 3],
    ] as const) {
      expect(await deleteBefore(offset, { version })).toEqual({
        partitionIndex: 0,
        lowWatermark: offset,
        errorCode: 0,
      });
      expect((await listOffset(client, 'records', -2)).offset).toBe(offset);
    }
    // Backwards changes nothing.
    expect(await deleteBefore(1)).toMatchObject({ errorCode: 0, lowWatermark: 3 });
    expect(await fetch(client, 'records', { fetchOffset: 2 })).toMatchObject({
      errorCode: ErrorCode.OFFSET_OUT_OF_RANGE,
      logStartOffset: 3,
      highWatermark: 5,
    });
    const answer = await fetch(client, 'records', { fetchOffset: 3 });
    expect(recordsIn(answer).at(-1)?.value?.toString()).toBe('e');
  });

  test('-1 is the high watermark; beyond it and below 0 is out of range', async () => {
    for (const offset of [6, -2]) {
      expect(await deleteBefore(offset)).toMatchObject({
        errorCode: ErrorCode.OFFSET_OUT_OF_RANGE,
        lowWatermark: -1,
      });
    }
    expect(await deleteBefore(-1)).toMatchObject({ errorCode: 0, lowWatermark: 5 });
    expect(await fetch(client, 'records', { fetchOffset: 5 })).toMatchObject({ errorCode: 0 });
    expect(await deleteBefore(0, { topic: 'missing' })).toMatchObject({
      errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    });
    expect(await produce(client, 'records', batchOf(['f']))).toMatchObject({
      baseOffset: 5,
      logStartOffset: 5,
    });
  });
});
