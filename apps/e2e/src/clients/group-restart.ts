import type { BrokerProcess } from '../harness/broker-process.ts';
import { createTopic } from '../harness/create-topic.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { CommittedProgress } from './committed-progress.ts';
import { assertAllOnce, GroupTraffic } from './group-traffic.ts';
import type { ClientScene } from './scene.ts';

const PARTITIONS = 2;
const HALF = 1000;

interface Ending {
  readonly how: string;
  readonly id: string;
  end(broker: BrokerProcess): Promise<unknown>;
}

const ENDINGS: readonly Ending[] = [
  { how: 'kill -9', id: 'killed', end: (broker) => broker.kill('SIGKILL') },
  { how: 'a clean end', id: 'ended', end: (broker) => broker.stop() },
];

/** Commits over a restart of the broker, and a group that keeps running over one. */
export async function checkGroupRestart(scene: ClientScene): Promise<void> {
  for (const ending of ENDINGS) await checkCommitsSurvive(scene, ending);
  await checkRunningGroup(scene);
}

async function checkCommitsSurvive(scene: ClientScene, { how, id, end }: Ending): Promise<void> {
  const { broker, checks, client, prefix } = scene;
  const topic = `${prefix}-${id}`;
  const groupId = topic;
  await checks.check(
    `${client.name}: commits survive ${how}, and the group goes on there`,
    async () => {
      await createTopic(broker.bootstrap, topic, { partitions: PARTITIONS });
      await sendHalf(scene, topic, 'before');
      const before = new CommittedProgress();
      const first = await client.join({ name: 'before', groupId, topic, progress: before });
      await waitUntil('the first half', () =>
        before.count === PARTITIONS * HALF ? undefined : `${before.count} records`,
      );
      await first.leave();
      await sendHalf(scene, topic, 'after');
      await end(broker);
      const restartMs = await broker.restart();
      const committed = await client.committed(groupId, topic);
      for (let partition = 0; partition < PARTITIONS; partition += 1) {
        if (committed.get(partition) !== HALF) {
          throw new Error(`committed ${JSON.stringify([...committed])}, expected ${HALF} each`);
        }
      }
      const after = new CommittedProgress();
      const second = await client.join({ name: 'after', groupId, topic, progress: after });
      await waitUntil('the second half', () =>
        after.count >= PARTITIONS * HALF ? undefined : `${after.count} records`,
      );
      await second.leave();
      for (let partition = 0; partition < PARTITIONS; partition += 1) {
        after.assertOnce(partition, { from: HALF, to: 2 * HALF });
      }
      return `${PARTITIONS * HALF} records before, as many after; the broker was back in ${restartMs.toFixed(0)} ms`;
    },
  );
}

async function sendHalf({ client }: ClientScene, topic: string, word: string): Promise<void> {
  const values = Array.from({ length: HALF }, (_, index) => `${word} ${index}`);
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    await client.send({ topic, partition, values });
  }
}

async function checkRunningGroup({ broker, checks, client, prefix }: ClientScene): Promise<void> {
  const topic = `${prefix}-running`;
  const groupId = topic;
  await checks.check(`${client.name}: a running group goes on after kill -9`, async () => {
    await createTopic(broker.bootstrap, topic, { partitions: PARTITIONS });
    const progress = new CommittedProgress();
    const traffic = new GroupTraffic(client, topic, PARTITIONS);
    const member = await client.join({ name: 'running', groupId, topic, progress });
    try {
      await waitUntil('records before', () =>
        progress.count > 500 ? undefined : `${progress.count} records`,
      );
      await broker.kill('SIGKILL');
      const before = progress.count;
      const killedMs = performance.now();
      await broker.restart();
      await waitUntil('records after', () =>
        progress.count > before + 500 ? undefined : `${progress.count - before} records`,
      );
      const goneMs = performance.now() - killedMs;
      await traffic.stop();
      const goal = { groupId, topic, partitions: PARTITIONS, progress };
      const records = await assertAllOnce(broker, client, goal);
      return `500 more records ${goneMs.toFixed(0)} ms after the kill; ${records} records, each once`;
    } finally {
      await traffic.stop();
      await member.leave();
    }
  });
}
