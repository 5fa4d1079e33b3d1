import {
  type ApiDescription,
  apiVersionsApi,
  ErrorCode,
  fetchApi,
  listOffsetsApi,
  metadataApi,
  offsetForLeaderEpochApi,
  produceApi,
  RECOMMENDED_VERSIONS,
  ZERO_UUID,
} from '@logloft/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { GroupMember } from '../support/group-member.ts';
import { batchOf, fetchRequest, produce, recordsIn, topicMetadata } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let broker: Broker;
let client: WireClient;
let topicId: string;

beforeAll(async () => {
  broker = await startBroker({
    topics: [{ name: 't' }],
    config: { 'group.initial.rebalance.delay.ms': '0' },
  });
  client = await WireClient.connect(broker);
  await produce(client, 't', batchOf(['a', 'b'], { timestamps: [10, 20] }));
  ({ topicId } = await topicMetadata(client, 't', { version: 12 }));
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await broker.close();
});

function versionsOf({ key }: ApiDescription): number[] {
  const range = RECOMMENDED_VERSIONS.find((api) => api.key === key);
  if (range === undefined) throw new Error(`no API ${key}`);
  return Array.from({ length: range.max - range.min + 1 }, (_, index) => range.min + index);
}

test('what is advertised is what is recommended, less what is not served (cases A 18)', async () => {
  const { apiKeys } = await client.call(apiVersionsApi, 4, {
    clientSoftwareName: 'test',
    clientSoftwareVersion: '1',
  });
  const unserved = new Set([17, 24, 25, 26, 28, 29, 30, 31, 36, 48, 49, 50, 51, 61, 65, 66]);
  expect(
    apiKeys.map(({ apiKey, minVersion, maxVersion }) => [apiKey, minVersion, maxVersion]),
  ).toEqual(
    RECOMMENDED_VERSIONS.filter(({ key }) => !unserved.has(key)).map(({ key, min, max }) => [
      key,
      min,
      max,
    ]),
  );
});

test.each(versionsOf(produceApi))('Produce %i', async (version) => {
  const answer = await produce(client, 't', batchOf(['x']), { version });
  expect(answer.errorCode).toBe(version < 3 ? ErrorCode.UNSUPPORTED_VERSION : 0);
  if (version >= 5) expect(answer.logStartOffset).toBe(0);
  const missing = await produce(client, 'missing', batchOf(['x']), {
    version: Math.max(3, version),
  });
  expect(missing.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  if (version >= 8) expect(missing.errorMessage).not.toBe(null);
});

test.each(versionsOf(fetchApi))('Fetch %i', async (version) => {
  const request = fetchRequest('t');
  request.topics = request.topics.map((wanted) => ({ ...wanted, topicId }));
  const answer = await client.call(fetchApi, version, request);
  const found = answer.responses[0]?.partitions[0];
  expect(found?.errorCode).toBe(0);
  if (found !== undefined) expect(recordsIn(found)[0]?.value?.toString()).toBe('a');
  // By name and by id the errors agree (cases A 20), and say the same of the log (cases D 80).
  const beyond = fetchRequest('t', { fetchOffset: 1000 });
  beyond.topics = beyond.topics.map((wanted) => ({ ...wanted, topicId }));
  const refused = (await client.call(fetchApi, version, beyond)).responses[0]?.partitions[0];
  expect(refused?.errorCode).toBe(ErrorCode.OFFSET_OUT_OF_RANGE);
  expect(refused?.highWatermark).toBe(found?.highWatermark);
  expect(found?.lastStableOffset).toBe(found?.highWatermark);
});

test.each(versionsOf(listOffsetsApi))('ListOffsets %i', async (version) => {
  const { topics } = await client.call(listOffsetsApi, version, {
    replicaId: -1,
    isolationLevel: 0,
    timeoutMs: 1000,
    topics: [
      {
        name: 't',
        partitions: [
          { partitionIndex: 0, currentLeaderEpoch: -1, timestamp: 15, maxNumOffsets: 1 },
        ],
      },
    ],
  });
  const found = topics[0]?.partitions[0];
  expect(found).toMatchObject({ errorCode: 0, offset: 1, timestamp: 20 });
  if (version >= 4) expect(found?.leaderEpoch).toBe(0);
});

test('a partition twice in ListOffsets is INVALID_REQUEST', async () => {
  const partition = { partitionIndex: 0, currentLeaderEpoch: -1, timestamp: -1, maxNumOffsets: 1 };
  const { topics } = await client.call(listOffsetsApi, 9, {
    replicaId: -1,
    isolationLevel: 0,
    timeoutMs: 1000,
    topics: [{ name: 't', partitions: [partition, partition] }],
  });
  expect(topics[0]?.partitions.map(({ errorCode }) => errorCode)).toEqual([
    ErrorCode.INVALID_REQUEST,
    ErrorCode.INVALID_REQUEST,
  ]);
});

test.each(versionsOf(metadataApi))(
  'Metadata %i, with and without authorized operations (cases A 8, 14)',
  async (version) => {
    for (const asked of [false, true]) {
      const answer = await client.call(metadataApi, version, {
        topics: [{ name: 't', topicId: ZERO_UUID }],
        allowAutoTopicCreation: false,
        includeClusterAuthorizedOperations: asked && version <= 10,
        includeTopicAuthorizedOperations: asked,
      });
      expect(answer.brokers).toMatchObject([{ nodeId: 0, port: broker.port }]);
      expect(answer.topics).toMatchObject([{ errorCode: 0, name: 't' }]);
      if (version >= 2) expect(answer.clusterId).toBe(broker.clusterId);
      if (version < 8) continue;
      const operations = answer.topics[0]?.topicAuthorizedOperations ?? 0;
      expect(operations > 0).toBe(asked);
      if (!asked) expect(operations).toBe(-2_147_483_648);
    }
  },
);

test.each(versionsOf(offsetForLeaderEpochApi))('OffsetForLeaderEpoch %i', async (version) => {
  const { topics } = await client.call(offsetForLeaderEpochApi, version, {
    replicaId: -1,
    topics: ['t', 'missing'].map((topic) => ({
      topic,
      partitions: [{ partition: 0, currentLeaderEpoch: -1, leaderEpoch: 0 }],
    })),
  });
  expect(topics.map(({ partitions }) => partitions[0]?.errorCode)).toEqual([0, 3]);
});

describe('versions of what members send', () => {
  test.each([0, 1, 2, 3, 4, 5])('SyncGroup and LeaveGroup %i', async (version) => {
    const member = new GroupMember(client, { group: `sync-${version}`, syncVersion: version });
    await member.join();
    expect((await member.sync()).errorCode).toBe(0);
    member.generation += 1;
    expect((await member.sync()).errorCode).toBe(ErrorCode.ILLEGAL_GENERATION);
    member.memberId = 'nobody';
    expect((await member.sync()).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
    expect(await member.leave(version)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  });

  test.each([0, 1, 2, 3, 4])('Heartbeat %i', async (version) => {
    const member = new GroupMember(client, { group: `beat-${version}` });
    await member.join();
    await member.sync();
    expect((await member.heartbeat({ version })).errorCode).toBe(0);
    const { errorCode } = await member.heartbeat({ version, generation: 9 });
    expect(errorCode).toBe(ErrorCode.ILLEGAL_GENERATION);
  });
});
