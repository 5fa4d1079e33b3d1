import { createTopic } from '../harness/create-topic.ts';
import { waitUntil } from '../harness/wait-until.ts';
import type { Member } from './client.ts';
import { CommittedProgress } from './committed-progress.ts';
import { assertAllOnce, GroupTraffic } from './group-traffic.ts';
import type { ClientScene } from './scene.ts';

const PARTITIONS = 4;

/** Two members in a group under traffic: the second joins, both work, it leaves, and nothing counts twice. */
export async function checkGroupRebalance(scene: ClientScene): Promise<void> {
  const { broker, checks, client, prefix } = scene;
  const topic = `${prefix}-group`;
  const groupId = `${prefix}-group`;
  const progress = new CommittedProgress();
  await createTopic(broker.bootstrap, topic, { partitions: PARTITIONS });
  const traffic = new GroupTraffic(client, topic, PARTITIONS);
  const join = (name: string): Promise<Member> => client.join({ name, groupId, topic, progress });
  const members: Member[] = [];
  try {
    await checks.check(`${client.name}: a member alone gets all partitions`, async () => {
      const first = await join('first');
      members.push(first);
      const ms = await waitUntil('all partitions and commits of the first member', () =>
        first.partitions.length === PARTITIONS && progress.countOf('first') > 500
          ? undefined
          : `partitions ${first.partitions}, ${progress.countOf('first')} records`,
      );
      return `after ${ms.toFixed(0)} ms`;
    });
    await checks.check(`${client.name}: a second one joins, and both get partitions`, async () => {
      const second = await join('second');
      members.push(second);
      const [first] = members;
      const ms = await waitUntil('two partitions each, and commits of the second', () => {
        const both = [...(first?.partitions ?? []), ...second.partitions];
        const isShared = first?.partitions.length === 2 && second.partitions.length === 2;
        const isWhole = new Set(both).size === PARTITIONS;
        return isShared && isWhole && progress.countOf('second') > 500
          ? undefined
          : `partitions ${first?.partitions} and ${second.partitions}, ${progress.countOf('second')} records of the second`;
      });
      return `${first?.partitions} and ${second.partitions}, after ${ms.toFixed(0)} ms`;
    });
    await checks.check(
      `${client.name}: the second leaves, and the first gets all back`,
      async () => {
        const [first, second] = members;
        await second?.leave();
        const ms = await waitUntil('all partitions back', () =>
          first?.partitions.length === PARTITIONS ? undefined : `partitions ${first?.partitions}`,
        );
        return `after ${ms.toFixed(0)} ms`;
      },
    );
    await checks.check(`${client.name}: each record counts once over the rebalances`, async () => {
      await traffic.stop();
      const goal = { groupId, topic, partitions: PARTITIONS, progress };
      const records = await assertAllOnce(broker, client, goal);
      return `${records} records, ${progress.countOf('first')} by the first member, ${progress.countOf('second')} by the second`;
    });
  } finally {
    await traffic.stop();
    for (const member of members) await member.leave();
  }
}
