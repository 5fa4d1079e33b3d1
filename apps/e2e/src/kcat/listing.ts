import { CODECS } from './codec-round-trip.ts';
import { type KcatScene, kcat } from './scene.ts';

interface Listing {
  readonly brokers: readonly { readonly id: number; readonly name: string }[];
  readonly topics: readonly {
    readonly topic: string;
    readonly error?: string;
    readonly partitions: readonly { readonly partition: number; readonly leader: number }[];
  }[];
}

/** Lists the cluster: one broker under the address that was asked, and each topic with its leader. */
export async function checkListing(scene: KcatScene): Promise<void> {
  const { broker, checks } = scene;
  await checks.check('kcat -L lists the broker and all topics', async () => {
    const { stdout } = await kcat(scene, ['-L', '-J']);
    const { brokers, topics } = JSON.parse(stdout) as Listing;
    const [node] = brokers;
    if (brokers.length !== 1 || node?.name !== broker.bootstrap) {
      throw new Error(`expected the broker ${broker.bootstrap}, found ${JSON.stringify(brokers)}`);
    }
    for (const codec of CODECS) {
      const topic = topics.find((one) => one.topic === `lines-${codec}`);
      const [partition] = topic?.partitions ?? [];
      if (topic?.partitions.length !== 1 || partition?.leader !== node.id || topic.error) {
        throw new Error(`expected lines-${codec} with a leader, found ${JSON.stringify(topic)}`);
      }
    }
    return `${topics.length} topics`;
  });
}
