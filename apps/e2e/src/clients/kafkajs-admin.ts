import assert from 'node:assert/strict';
import kafkajs, { type Admin, Kafka, logLevel, Partitioners } from 'kafkajs';
import type { BrokerProcess } from '../harness/broker-process.ts';
import type { CheckRun } from '../harness/run-checks.ts';

// A name that Node does not find among the exports of the CommonJS module.
const { ConfigResourceTypes } = kafkajs;

const TOPIC = 'kjs-admin';
const GROUP = 'kjs-admin-group';
const VALUES = 30;

interface AdminScene {
  readonly run: CheckRun;
  readonly kafka: Kafka;
  readonly admin: Admin;
}

/** The admin client of kafkajs, call by call. */
export async function checkKafkajsAdmin(run: CheckRun, broker: BrokerProcess): Promise<void> {
  const kafka = new Kafka({
    clientId: 'e2e-kafkajs-admin',
    brokers: [broker.bootstrap],
    logLevel: logLevel.NOTHING,
    retry: { retries: 2 },
  });
  const admin = kafka.admin();
  await admin.connect();
  run.cleanup.add(() => admin.disconnect());
  const scene = { run, kafka, admin };
  await checkCluster(scene, broker);
  await checkTopics(scene);
  await checkConfigs(scene);
  await checkOffsets(scene);
  await checkGroups(scene);
  await checkDeletion(scene);
  await admin.disconnect();
}

async function checkCluster({ run, admin }: AdminScene, broker: BrokerProcess): Promise<void> {
  await run.checks.check('kafkajs admin: describeCluster', async () => {
    const { brokers, controller, clusterId } = await admin.describeCluster();
    assert.deepEqual(brokers, [{ nodeId: 0, host: '127.0.0.1', port: broker.port }]);
    assert.equal(controller, 0);
    assert.equal(clusterId, broker.ready['clusterId']);
    return clusterId;
  });
}

async function checkTopics({ run, admin }: AdminScene): Promise<void> {
  await run.checks.check('kafkajs admin: createTopics, and again', async () => {
    const topics = [
      {
        topic: TOPIC,
        numPartitions: 2,
        configEntries: [
          { name: 'retention.ms', value: '3600000' },
          { name: 'remote.storage.enable', value: 'false' },
        ],
      },
    ];
    // It would wait for the leaders of what was not made.
    const onlyChecked = { topics, validateOnly: true, waitForLeaders: false };
    assert.equal(await admin.createTopics(onlyChecked), true);
    assert.equal((await admin.listTopics()).includes(TOPIC), false);
    assert.equal(await admin.createTopics({ topics }), true);
    assert.equal(await admin.createTopics({ topics }), false);
    assert.equal((await admin.listTopics()).includes(TOPIC), true);
  });
  await run.checks.check('kafkajs admin: createTopics refuses three replicas', async () => {
    const topics = [{ topic: 'kjs-three', replicationFactor: 3 }];
    await assert.rejects(admin.createTopics({ topics }), (error: Error) =>
      JSON.stringify(errorTypes(error)).includes('INVALID_REPLICATION_FACTOR'),
    );
  });
  await run.checks.check('kafkajs admin: createPartitions', async () => {
    await admin.createPartitions({ topicPartitions: [{ topic: TOPIC, count: 3 }] });
    const { topics } = await admin.fetchTopicMetadata({ topics: [TOPIC] });
    const partitions = topics[0]?.partitions ?? [];
    assert.deepEqual(
      partitions.map(({ partitionId, leader }) => [partitionId, leader]).toSorted(),
      [
        [0, 0],
        [1, 0],
        [2, 0],
      ],
    );
    await assert.rejects(
      admin.createPartitions({ topicPartitions: [{ topic: TOPIC, count: 2 }] }),
      (error: Error) => JSON.stringify(errorTypes(error)).includes('INVALID_PARTITIONS'),
    );
  });
}

async function checkConfigs({ run, admin }: AdminScene): Promise<void> {
  const describe = async (name: string): Promise<string | undefined> => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: true,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: TOPIC, configNames: [name] }],
    });
    return resources[0]?.configEntries.find(({ configName }) => configName === name)?.configValue;
  };
  await run.checks.check('kafkajs admin: describeConfigs and alterConfigs', async () => {
    assert.equal(await describe('retention.ms'), '3600000');
    await admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: ConfigResourceTypes.TOPIC,
          name: TOPIC,
          configEntries: [{ name: 'max.message.bytes', value: '65536' }],
        },
      ],
    });
    assert.equal(await describe('max.message.bytes'), '65536');
    // The whole is replaced: what is not named goes back to its default.
    assert.equal(await describe('retention.ms'), '604800000');
  });
  await run.checks.check('kafkajs admin: a quota is set on the node id', async () => {
    const limit = 'remote.log.manager.write.quota.default';
    const set = (configEntries: { name: string; value: string }[]): Promise<unknown> =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: ConfigResourceTypes.BROKER, name: '0', configEntries }],
      });
    const read = async (): Promise<string | undefined> => {
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: ConfigResourceTypes.BROKER, name: '0', configNames: [limit] }],
      });
      return resources[0]?.configEntries[0]?.configValue;
    };
    await set([{ name: limit, value: '123456789' }]);
    assert.equal(await read(), '123456789');
    await set([]);
    assert.equal(await read(), '9223372036854775807');
  });
}

async function checkOffsets({ run, kafka, admin }: AdminScene): Promise<void> {
  await run.checks.check('kafkajs admin: offsets by end and by time', async () => {
    const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    const messages = Array.from({ length: VALUES }, (_, index) => ({
      partition: 0,
      value: `value ${index}`,
      timestamp: String(1_700_000_000_000 + index * 1000),
    }));
    await producer.send({ topic: TOPIC, messages });
    await producer.disconnect();
    const ends = await admin.fetchTopicOffsets(TOPIC);
    const first = ends.find(({ partition }) => partition === 0);
    assert.deepEqual(first, { partition: 0, offset: '30', high: '30', low: '0' });
    const found = await admin.fetchTopicOffsetsByTimestamp(TOPIC, 1_700_000_010_500);
    assert.equal(found.find(({ partition }) => partition === 0)?.offset, '11');
  });
  await run.checks.check('kafkajs admin: deleteTopicRecords', async () => {
    await admin.deleteTopicRecords({ topic: TOPIC, partitions: [{ partition: 0, offset: '10' }] });
    const ends = await admin.fetchTopicOffsets(TOPIC);
    assert.equal(ends.find(({ partition }) => partition === 0)?.low, '10');
  });
}

async function checkGroups({ run, kafka, admin }: AdminScene): Promise<void> {
  const offsets = async (): Promise<readonly (readonly [number, string])[]> => {
    const [found] = await admin.fetchOffsets({ groupId: GROUP, topics: [TOPIC] });
    return (found?.partitions ?? [])
      .map(({ partition, offset }) => [partition, offset] as const)
      .toSorted();
  };
  await run.checks.check(
    'kafkajs admin: listGroups and describeGroups of a running group',
    async () => {
      const consumer = kafka.consumer({ groupId: GROUP, sessionTimeout: 10_000 });
      await consumer.connect();
      const { promise: joined, resolve } = Promise.withResolvers<void>();
      consumer.on(consumer.events.GROUP_JOIN, () => resolve());
      await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
      await consumer.run({ autoCommit: false, eachMessage: async () => undefined });
      await joined;
      try {
        const { groups } = await admin.listGroups();
        assert.equal(groups.find(({ groupId }) => groupId === GROUP)?.protocolType, 'consumer');
        const described = (await admin.describeGroups([GROUP])).groups[0];
        assert.equal(described?.state, 'Stable');
        assert.equal(described.members.length, 1);
        assert.match(described.members[0]?.clientId ?? '', /e2e-kafkajs-admin/);
        const [refused] = await admin
          .deleteGroups([GROUP])
          .catch((error: { groups?: { errorCode?: number }[] }) => error.groups ?? []);
        assert.equal(refused?.errorCode, 68, 'a group with members must not be deleted');
      } finally {
        await consumer.disconnect();
      }
    },
  );
  await run.checks.check('kafkajs admin: setOffsets, resetOffsets, fetchOffsets', async () => {
    await admin.setOffsets({
      groupId: GROUP,
      topic: TOPIC,
      partitions: [{ partition: 0, offset: '21' }],
    });
    assert.deepEqual((await offsets())[0], [0, '21']);
    await admin.resetOffsets({ groupId: GROUP, topic: TOPIC, earliest: true });
    // It commits the number that stands for the beginning, and resolves it when it is asked to.
    assert.deepEqual((await offsets())[0], [0, '-2']);
  });
  await run.checks.check('kafkajs admin: deleteGroups', async () => {
    await admin.deleteGroups([GROUP]);
    const described = (await admin.describeGroups([GROUP])).groups[0];
    assert.equal(described?.state, 'Dead');
  });
}

async function checkDeletion({ run, admin }: AdminScene): Promise<void> {
  await run.checks.check('kafkajs admin: deleteTopics', async () => {
    await admin.deleteTopics({ topics: [TOPIC] });
    assert.equal((await admin.listTopics()).includes(TOPIC), false);
    await assert.rejects(admin.deleteTopics({ topics: [TOPIC] }), (error: Error) =>
      JSON.stringify(errorTypes(error)).includes('UNKNOWN_TOPIC_OR_PARTITION'),
    );
  });
}

/** The types of a kafkajs error, and of those that it holds. */
function errorTypes(error: Error): readonly string[] {
  const own = 'type' in error ? [String(error.type)] : [];
  const inner = error instanceof AggregateError ? error.errors : [];
  const listed = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  const cause = error.cause instanceof Error ? [error.cause] : [];
  return [...own, ...[...new Set([...inner, ...listed, ...cause])].flatMap(errorTypes)];
}
