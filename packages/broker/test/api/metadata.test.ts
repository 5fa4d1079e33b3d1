import { apiVersionsApi, ErrorCode, metadataApi, ZERO_UUID } from '@logloft/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { batchOf, produce, topicMetadata } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let broker: Broker;
let client: WireClient;

beforeAll(async () => {
  broker = await startBroker();
  client = await WireClient.connect(broker);
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await broker.close();
});

describe('ApiVersions', () => {
  test('a version that is too new is answered in version 0 with error 35 and its own range (cases A 16)', async () => {
    const frame = await client.raw(
      Buffer.from([0, 0, 0, 11, 0, 18, 0, 99, 0, 0, 0, 7, 0xff, 0xff, 0]),
    );
    expect(frame.readInt32BE(0)).toBe(7);
    expect(frame.readInt16BE(4)).toBe(ErrorCode.UNSUPPORTED_VERSION);
    expect(frame.readInt32BE(6)).toBe(1);
    expect([frame.readInt16BE(10), frame.readInt16BE(12), frame.readInt16BE(14)]).toEqual([
      18, 0, 4,
    ]);
    expect(frame.length).toBe(16);
  });

  test.each([0, 1, 2, 3, 4])('version %i lists every API once, in order', async (version) => {
    const answer = await client.call(apiVersionsApi, version, {
      clientSoftwareName: 'test',
      clientSoftwareVersion: '1.0',
    });
    expect(answer.errorCode).toBe(ErrorCode.NONE);
    const keys = answer.apiKeys.map(({ apiKey }) => apiKey);
    expect(keys).toEqual([...new Set(keys)].sort((a, b) => a - b));
    // What old clients look at before they enable features (librdkafka up to 2.11.0).
    const range = new Map(answer.apiKeys.map((api) => [api.apiKey, api]));
    for (const [key, min, max] of [
      [0, 0, 11],
      [1, 4, 17],
      [2, 1, 11],
      [3, 0, 12],
      [10, 0, 6],
      [11, 0, 9],
      [22, 0, 5],
    ] as const) {
      expect(range.get(key)).toMatchObject({ minVersion: min, maxVersion: max });
    }
    // Not served so far, and said so by their absence.
    for (const key of [17, 24, 25, 26, 28, 29, 30, 31, 36, 68]) expect(range.has(key)).toBe(false);
  });

  test('a client that gives itself an impossible name is told so', async () => {
    const answer = await client.call(apiVersionsApi, 3, {
      clientSoftwareName: 'bad name!',
      clientSoftwareVersion: '',
    });
    expect(answer.errorCode).toBe(ErrorCode.INVALID_REQUEST);
  });
});

describe('Metadata', () => {
  test('the very answer that creates a topic names its leader, and producing to it works at once (cases A 1, 4, 5)', async () => {
    const topic = await topicMetadata(client, 'fresh');
    expect(topic).toMatchObject({ errorCode: ErrorCode.NONE, isInternal: false });
    expect(topic.partitions).toEqual([
      {
        errorCode: 0,
        partitionIndex: 0,
        leaderId: 0,
        leaderEpoch: 0,
        replicaNodes: [0],
        isrNodes: [0],
        offlineReplicas: [],
      },
    ]);
    const produced = await produce(client, 'fresh', batchOf(['a']));
    expect(produced).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: 0 });
  });

  test('fifty clients that ask for one missing topic at once all get the same one', async () => {
    const clients = await Promise.all(Array.from({ length: 50 }, () => WireClient.connect(broker)));
    const answers = await Promise.all(
      clients.map((one) =>
        one.call(metadataApi, 12, {
          topics: [{ name: 'raced', topicId: ZERO_UUID }],
          allowAutoTopicCreation: true,
          includeClusterAuthorizedOperations: false,
          includeTopicAuthorizedOperations: false,
        }),
      ),
    );
    const ids = new Set(answers.map(({ topics }) => topics[0]?.topicId));
    expect(ids.size).toBe(1);
    expect(answers.every(({ topics }) => topics[0]?.errorCode === ErrorCode.NONE)).toBe(true);
    for (const one of clients) one.socket.destroy();
  });

  test('a topic is not created when the client does not allow it', async () => {
    const topic = await topicMetadata(client, 'missing', { allowAutoTopicCreation: false });
    expect(topic.errorCode).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(broker.topics).not.toContain('missing');
  });

  test('constructor, __proto__ and toString are ordinary topic names (cases A 12)', async () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(await topicMetadata(client, name)).toMatchObject({ errorCode: 0, name });
      expect(await produce(client, name, batchOf(['x']))).toMatchObject({ baseOffset: 0 });
    }
  });

  test('a name that would leave the log directory, or is otherwise impossible, is refused', async () => {
    for (const name of ['../etc', '..', '.', 'a/b', 'a b', '', 'x'.repeat(250), 'nul\u0000']) {
      const topic = await topicMetadata(client, name);
      expect(topic.errorCode, JSON.stringify(name)).toBe(ErrorCode.INVALID_TOPIC_EXCEPTION);
    }
  });

  test.each([0, 1, 4, 7, 9, 12])(
    'version %i: all topics, none, and no repeated ones',
    async (version) => {
      const base = {
        allowAutoTopicCreation: false,
        includeClusterAuthorizedOperations: false,
        includeTopicAuthorizedOperations: false,
      };
      const all = await client.call(metadataApi, version, {
        ...base,
        topics: version === 0 ? [] : null,
      });
      expect(all.topics.map(({ name }) => name)).toContain('fresh');
      expect(all.brokers).toMatchObject([{ nodeId: 0, host: '127.0.0.1', port: broker.port }]);
      if (version > 0) {
        const none = await client.call(metadataApi, version, { ...base, topics: [] });
        expect(none.topics).toEqual([]);
      }
      const twice = await client.call(metadataApi, version, {
        ...base,
        topics: [
          { name: 'fresh', topicId: ZERO_UUID },
          { name: 'fresh', topicId: ZERO_UUID },
        ],
      });
      expect(twice.topics).toHaveLength(1);
    },
  );

  test('from version 12 on a topic is found by its id, which stays; an unknown id is error 100', async () => {
    const { topicId } = await topicMetadata(client, 'fresh', { version: 12 });
    expect(topicId).not.toBe(ZERO_UUID);
    const base = {
      allowAutoTopicCreation: false,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: true,
    };
    const found = await client.call(metadataApi, 12, {
      ...base,
      topics: [{ name: null, topicId }],
    });
    expect(found.topics).toMatchObject([{ name: 'fresh', errorCode: 0, topicId }]);
    // READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS.
    expect(found.topics[0]?.topicAuthorizedOperations).toBe(0b1101_1111_1000 & ~(1 << 9));
    const unknown = await client.call(metadataApi, 12, {
      ...base,
      topics: [{ name: null, topicId: 'ASNFZ4mrze8BI0VniavN7w' }],
    });
    expect(unknown.topics).toMatchObject([{ errorCode: ErrorCode.UNKNOWN_TOPIC_ID }]);
    const early = await client.call(metadataApi, 11, {
      ...base,
      topics: [{ name: null, topicId }],
    });
    expect(early.topics).toMatchObject([{ errorCode: ErrorCode.INVALID_REQUEST }]);
  });
});
