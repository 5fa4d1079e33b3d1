import assert from 'node:assert/strict';
import {
  Admin,
  ConfigResourceTypes,
  FindCoordinatorKeyTypes,
  IncrementalAlterConfigOperationTypes,
} from '@platformatic/kafka';
import type { BrokerProcess } from '../harness/broker-process.ts';
import { createTopic } from '../harness/create-topic.ts';
import type { CheckRun } from '../harness/run-checks.ts';
import { bytesOf, filesBelow } from '../harness/tier-files.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { CommittedProgress } from './committed-progress.ts';
import { PlatformaticClient } from './platformatic-client.ts';

const TOPIC = 'plt-admin';
const GROUP = 'plt-admin-group';
const VALUES = 30;

interface AdminScene {
  readonly run: CheckRun;
  readonly broker: BrokerProcess;
  readonly admin: Admin;
}

/** The admin client of @platformatic/kafka, call by call. */
export async function checkPlatformaticAdmin(run: CheckRun, broker: BrokerProcess): Promise<void> {
  const admin = new Admin({
    clientId: 'e2e-platformatic-admin',
    bootstrapBrokers: [broker.bootstrap],
    retries: 0,
  });
  run.cleanup.add(() => admin.close());
  const scene = { run, broker, admin };
  await checkTopics(scene);
  await checkConfigs(scene);
  await checkRecords(scene);
  await checkGroups(scene);
  await checkGroupOffsets(scene);
  await run.checks.check('platformatic admin: deleteTopics', async () => {
    await admin.deleteTopics({ topics: [TOPIC] });
    assert.equal((await admin.listTopics()).includes(TOPIC), false);
  });
  await admin.close();
}

async function checkTopics({ run, admin }: AdminScene): Promise<void> {
  await run.checks.check(
    'platformatic admin: createTopics, listTopics, createPartitions',
    async () => {
      const [created] = await admin.createTopics({
        topics: [TOPIC],
        partitions: 2,
        replicas: 1,
        configs: [{ name: 'remote.storage.enable', value: 'false' }],
      });
      assert.equal(created?.partitions, 2);
      assert.equal(created.configuration['remote.storage.enable'], 'false');
      await admin.createPartitions({ topics: [{ name: TOPIC, count: 3 }] });
      assert.equal((await admin.listTopics()).includes(TOPIC), true);
      const internals = await admin.listTopics({ includeInternals: true });
      assert.equal(internals.includes('__consumer_offsets'), true);
      const { topics } = await admin.metadata({ topics: [TOPIC], forceUpdate: true });
      assert.equal(topics.get(TOPIC)?.partitionsCount, 3);
      return `topic id ${created.id}`;
    },
  );
}

async function checkConfigs({ run, admin }: AdminScene): Promise<void> {
  const resource = { resourceType: ConfigResourceTypes.TOPIC, resourceName: TOPIC };
  const describe = async (name: string): Promise<string | null | undefined> => {
    const [found] = await admin.describeConfigs({
      resources: [{ ...resource, configurationKeys: [name] }],
    });
    return found?.configs[0]?.value;
  };
  await run.checks.check(
    'platformatic admin: configs, replaced and changed one by one',
    async () => {
      await admin.alterConfigs({
        resources: [{ ...resource, configs: [{ name: 'retention.ms', value: '7200000' }] }],
      });
      assert.equal(await describe('retention.ms'), '7200000');
      const { SET, DELETE } = IncrementalAlterConfigOperationTypes;
      await admin.incrementalAlterConfigs({
        resources: [
          {
            ...resource,
            configs: [
              { name: 'segment.bytes', configOperation: SET, value: '1048576' },
              { name: 'retention.ms', configOperation: DELETE },
            ],
          },
        ],
      });
      assert.equal(await describe('segment.bytes'), '1048576');
      assert.equal(await describe('retention.ms'), '604800000');
    },
  );
}

async function checkRecords({ run, broker, admin }: AdminScene): Promise<void> {
  await run.checks.check(
    'platformatic admin: listOffsets, deleteRecords, describeLogDirs',
    async () => {
      const client = new PlatformaticClient(broker.bootstrap);
      try {
        const values = Array.from({ length: VALUES }, (_, index) => `value ${index}`);
        await client.send({ topic: TOPIC, values });
      } finally {
        await client.close();
      }
      const offsetAt = async (timestamp: bigint): Promise<number> => {
        const [found] = await admin.listOffsets({
          topics: [{ name: TOPIC, partitions: [{ partitionIndex: 0, timestamp }] }],
        });
        return Number(found?.partitions[0]?.offset);
      };
      assert.equal(await offsetAt(-1n), VALUES);
      const [deleted] = await admin.deleteRecords({
        topics: [{ name: TOPIC, partitions: [{ partition: 0, offset: 10n }] }],
      });
      assert.equal(deleted?.partitions[0]?.lowWatermark, 10n);
      assert.equal(await offsetAt(-2n), 10);
      const [described] = await admin.describeLogDirs({
        topics: [{ name: TOPIC, partitions: [0] }],
      });
      const partition = described?.results[0]?.topics[0]?.partitions[0];
      const onDisk = bytesOf(await filesBelow(broker.partitionDirectory(TOPIC, 0), '.log'));
      assert.equal(Number(partition?.partitionSize), onDisk);
      return `${onDisk} bytes in ${described?.results[0]?.logDir === undefined ? 'no' : 'one'} directory`;
    },
  );
}

async function checkGroups({ run, broker, admin }: AdminScene): Promise<void> {
  await run.checks.check('platformatic admin: groups while one runs', async () => {
    const client = new PlatformaticClient(broker.bootstrap);
    const progress = new CommittedProgress();
    try {
      await client.join({ name: 'only', groupId: GROUP, topic: TOPIC, progress });
      await waitUntil('its commits', () =>
        progress.count === VALUES - 10 ? undefined : `${progress.count} records`,
      );
      const listed = (await admin.listGroups()).get(GROUP);
      assert.equal(listed?.state, 'Stable');
      const described = (await admin.describeGroups({ groups: [GROUP] })).get(GROUP);
      assert.equal(described?.state, 'Stable');
      assert.equal(described.members.size, 1);
      const [member] = described.members.values();
      assert.deepEqual(member?.assignments?.get(TOPIC)?.partitions, [0, 1, 2]);
      const [coordinator] = await admin.findCoordinator({
        keyType: FindCoordinatorKeyTypes.GROUP,
        keys: [GROUP],
      });
      assert.equal(coordinator?.nodeId, 0);
      assert.equal(coordinator.port, broker.port);
    } finally {
      await client.close();
    }
  });
}

async function checkGroupOffsets({ run, broker, admin }: AdminScene): Promise<void> {
  const other = 'plt-admin-other';
  const offsets = async (): Promise<ReadonlyMap<string, number>> => {
    const [group] = await admin.listConsumerGroupOffsets({ groups: [GROUP] });
    const entries = (group?.topics ?? []).flatMap(({ name, partitions }) =>
      partitions.map(
        ({ partitionIndex, committedOffset }) =>
          [`${name}-${partitionIndex}`, Number(committedOffset)] as const,
      ),
    );
    return new Map(entries);
  };
  await run.checks.check(
    'platformatic admin: offsets of a group, altered and deleted',
    async () => {
      await createTopic(broker.bootstrap, other);
      assert.equal((await offsets()).get(`${TOPIC}-0`), VALUES);
      await admin.alterConsumerGroupOffsets({
        groupId: GROUP,
        topics: [
          { name: TOPIC, partitionOffsets: [{ partition: 0, offset: 15n }] },
          { name: other, partitionOffsets: [{ partition: 0, offset: 7n }] },
        ],
      });
      assert.equal((await offsets()).get(`${TOPIC}-0`), 15);
      assert.equal((await offsets()).get(`${other}-0`), 7);
      await admin.deleteConsumerGroupOffsets({
        groupId: GROUP,
        topics: [{ name: other, partitionIndexes: [0] }],
      });
      assert.equal((await offsets()).has(`${other}-0`), false);
    },
  );
  await run.checks.check('platformatic admin: deleteGroups', async () => {
    await admin.deleteGroups({ groups: [GROUP] });
    assert.equal((await admin.listGroups()).has(GROUP), false);
  });
}
