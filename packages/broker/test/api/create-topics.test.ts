import { type CreateTopicsRequestTopic, ErrorCode, ZERO_UUID } from '@logloft/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Broker, startBroker } from '../../src/index.ts';
import { createTopics, describeConfigs, newTopic, RESOURCE } from '../support/admin-requests.ts';
import { batchOf, produce, topicMetadata } from '../support/requests.ts';
import { WireClient } from '../support/wire-client.ts';

let broker: Broker;
let client: WireClient;

beforeAll(async () => {
  broker = await startBroker({ config: { 'num.partitions': '3' } });
  client = await WireClient.connect(broker);
});

afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await broker.close();
});

async function create(
  topic: ReturnType<typeof newTopic>,
  options: { readonly validateOnly?: boolean; readonly version?: number } = {},
) {
  const [answer] = await createTopics(client, [topic], options);
  if (answer === undefined) throw new Error('the answer lacks the topic');
  return answer;
}

describe('CreateTopics', () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'version %i makes a topic that can be produced to at once',
    async (version) => {
      const name = `v${version}`;
      const answer = await create(newTopic(name, { numPartitions: 2, replicationFactor: 1 }), {
        version,
      });
      expect(answer.errorCode).toBe(ErrorCode.NONE);
      if (version >= 5) expect(answer).toMatchObject({ numPartitions: 2, replicationFactor: 1 });
      expect(await produce(client, name, batchOf(['a']), { partition: 1 })).toMatchObject({
        errorCode: 0,
        baseOffset: 0,
      });
      const metadata = await topicMetadata(client, name, { version: 12 });
      expect(metadata.partitions.map(({ leaderId }) => leaderId)).toEqual([0, 0]);
      if (version >= 7) expect(answer.topicId).toBe(metadata.topicId);
    },
  );

  test('-1 takes the defaults of the broker, and the answer says which (cases A 9)', async () => {
    expect(await create(newTopic('defaults'))).toMatchObject({
      errorCode: ErrorCode.NONE,
      errorMessage: null,
      numPartitions: 3,
      replicationFactor: 1,
    });
  });

  test('the answer lists every topic config with source and value, as DescribeConfigs does (cases A 10)', async () => {
    const configs = [{ name: 'retention.ms', value: '3600000' }];
    const { configs: echoed } = await create(newTopic('echoed', { configs }));
    const described = await describeConfigs(client, { type: RESOURCE.topic, name: 'echoed' });
    expect(echoed?.map(({ name }) => name)).toEqual([...described.keys()]);
    for (const { name, value, configSource, readOnly, isSensitive } of echoed ?? []) {
      expect(described.get(name)).toMatchObject({ value, configSource, readOnly, isSensitive });
    }
    const sourceOf = new Map(echoed?.map((config) => [config.name, config]));
    expect(sourceOf.get('retention.ms')).toMatchObject({ value: '3600000', configSource: 1 });
    expect(sourceOf.get('cleanup.policy')).toMatchObject({ value: 'delete', configSource: 5 });
  });

  test('each topic of a request has its own partitions and configs; validateOnly changes nothing (cases A 11)', async () => {
    const topics = [
      newTopic('first', { numPartitions: 1, configs: [{ name: 'segment.ms', value: '60000' }] }),
      newTopic('second', { numPartitions: 4, configs: [{ name: 'segment.ms', value: '70000' }] }),
    ];
    const checked = await createTopics(client, topics, { validateOnly: true });
    expect(checked.map(({ errorCode, numPartitions }) => [errorCode, numPartitions])).toEqual([
      [0, 1],
      [0, 4],
    ]);
    expect(checked.map(({ topicId }) => topicId)).toEqual([ZERO_UUID, ZERO_UUID]);
    expect(broker.topics).not.toContain('first');
    const made = await createTopics(client, topics);
    expect(made.map(({ numPartitions }) => numPartitions)).toEqual([1, 4]);
    for (const [name, value] of [
      ['first', '60000'],
      ['second', '70000'],
    ] as const) {
      const described = await describeConfigs(client, { type: RESOURCE.topic, name });
      expect(described.get('segment.ms')?.value).toBe(value);
    }
    const again = await createTopics(client, topics, { validateOnly: true });
    expect(again.map(({ errorCode }) => errorCode)).toEqual([
      ErrorCode.TOPIC_ALREADY_EXISTS,
      ErrorCode.TOPIC_ALREADY_EXISTS,
    ]);
  });

  test('assignments give the number of partitions, for which both counts must be -1', async () => {
    const at = (...brokerIds: number[][]) =>
      brokerIds.map((ids, partitionIndex) => ({ partitionIndex, brokerIds: ids }));
    expect(await create(newTopic('assigned', { assignments: at([0], [0]) }))).toMatchObject({
      errorCode: ErrorCode.NONE,
      numPartitions: 2,
    });
    const refused: [Partial<CreateTopicsRequestTopic>, number][] = [
      [{ assignments: at([0]), numPartitions: 1 }, ErrorCode.INVALID_REQUEST],
      [{ assignments: at([0]), replicationFactor: 1 }, ErrorCode.INVALID_REQUEST],
      [{ assignments: at([1]) }, ErrorCode.INVALID_REPLICA_ASSIGNMENT],
      [{ assignments: at([0, 0]) }, ErrorCode.INVALID_REPLICA_ASSIGNMENT],
      [{ assignments: at([]) }, ErrorCode.INVALID_REPLICA_ASSIGNMENT],
      [
        { assignments: [{ partitionIndex: 1, brokerIds: [0] }] },
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
      ],
    ];
    for (const [topic, errorCode] of refused) {
      const answer = await create(newTopic('unassigned', topic));
      expect(answer.errorCode).toBe(errorCode);
      expect(answer.errorMessage).not.toBe(null);
    }
    expect(broker.topics).not.toContain('unassigned');
  });

  test('a topic twice in a request is INVALID_REQUEST and not made; the others are', async () => {
    const answers = await createTopics(client, [
      newTopic('twice'),
      newTopic('once'),
      newTopic('twice', { numPartitions: 5 }),
    ]);
    expect(answers.map(({ errorCode }) => errorCode)).toEqual([
      ErrorCode.INVALID_REQUEST,
      ErrorCode.NONE,
      ErrorCode.INVALID_REQUEST,
    ]);
    expect(broker.topics).not.toContain('twice');
  });

  test.each(['', '.', '..', '../etc', 'a/b', 'a b', 'ä', 'x'.repeat(250)])(
    'the name %j is INVALID_TOPIC_EXCEPTION',
    async (name) => {
      const answer = await create(newTopic(name));
      expect(answer.errorCode).toBe(ErrorCode.INVALID_TOPIC_EXCEPTION);
      expect(answer.errorMessage).toMatch(/name/);
    },
  );

  test('names that differ only in "." and "_" collide', async () => {
    expect((await create(newTopic('a.b_c'))).errorCode).toBe(ErrorCode.NONE);
    for (const name of ['a_b.c', 'a.b.c', 'a_b_c']) {
      const answer = await create(newTopic(name));
      expect(answer.errorCode).toBe(ErrorCode.INVALID_TOPIC_EXCEPTION);
      expect(answer.errorMessage).toContain('a.b_c');
    }
    expect((await create(newTopic('a-b-c'))).errorCode).toBe(ErrorCode.NONE);
  });

  test('an error carries a message that says what was expected (cases D 89)', async () => {
    for (const [topic, errorCode, words] of [
      [{ numPartitions: 1_000_000 }, ErrorCode.INVALID_PARTITIONS, '10000'],
      [{ numPartitions: 0 }, ErrorCode.INVALID_PARTITIONS, 'got 0'],
      [{ numPartitions: -2 }, ErrorCode.INVALID_PARTITIONS, 'got -2'],
      [{ replicationFactor: 3 }, ErrorCode.INVALID_REPLICATION_FACTOR, 'got 3'],
      [{ replicationFactor: 0 }, ErrorCode.INVALID_REPLICATION_FACTOR, 'got 0'],
    ] as const) {
      const answer = await create(newTopic('refused', topic));
      expect(answer).toMatchObject({ errorCode, numPartitions: -1, replicationFactor: -1 });
      expect(answer.errorMessage).toContain(words);
      expect(answer.configs).toEqual([]);
    }
    expect(broker.topics).not.toContain('refused');
  });

  test.each([
    ['cleanup.policy', 'compactt', ['cleanup.policy', 'compactt', 'delete']],
    ['cleanup.policy', 'compact', ['compaction', 'not served']],
    ['cleanup.policy', 'compact,delete', ['compaction']],
    ['retention.mss', '1', ['retention.mss', 'retention.ms']],
    ['__proto__', '1', ['__proto__']],
    ['constructor', '1', ['constructor']],
    ['segment.bytes', '13', ['segment.bytes', '13', '14']],
    ['segment.bytes', 'many', ['segment.bytes', 'many']],
    ['remote.storage.enable', 'true', ['remote.storage.enable', 'remote tier']],
    ['retention.ms', null, ['retention.ms']],
  ])('%s=%s is INVALID_CONFIG with a sentence (cases D 88)', async (name, value, words) => {
    const answer = await create(newTopic('misconfigured', { configs: [{ name, value }] }));
    expect(answer.errorCode).toBe(ErrorCode.INVALID_CONFIG);
    for (const word of words) expect(answer.errorMessage).toContain(word);
    expect(broker.topics).not.toContain('misconfigured');
  });

  test('a config twice is INVALID_CONFIG', async () => {
    const configs = ['1000', '2000'].map((value) => ({ name: 'segment.ms', value }));
    expect((await create(newTopic('misconfigured', { configs }))).errorCode).toBe(
      ErrorCode.INVALID_CONFIG,
    );
  });
});
