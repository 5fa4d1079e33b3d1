import { KafkaConnection } from '../harness/kafka-connection.ts';
import { assertSameCluster, viewCluster } from './cluster-view.ts';
import { type CrashScene, EXPIRING_TOPIC, LEDGER_TOPIC } from './crash-scene.ts';
import { partitionName } from './topic-partition.ts';
import { type VerifiedPartition, verifyPartition } from './verify-partition.ts';

/** What a broker was found to have kept. */
export interface VerifiedScene {
  readonly records: number;
  readonly bytes: number;
  readonly commits: number;
  readonly topicsMade: number;
}

/** Holds a broker after a restart against all that was acknowledged. The load must be held. */
export async function verifyScene(scene: CrashScene): Promise<VerifiedScene> {
  const { broker, ledger, committer, churn } = scene;
  ledger.assertNoProblems();
  const connection = await KafkaConnection.open(broker.bootstrap);
  try {
    const view = await viewCluster(connection);
    assertSameCluster(scene.view, view, [LEDGER_TOPIC, EXPIRING_TOPIC]);
    scene.view = view;
    const topicsMade = churn.verify(view.topics.keys());
    const verified = await verifyPartitions(scene, connection);
    const commits = await committer.verify();
    return {
      records: verified.reduce((sum, one) => sum + one.records, 0),
      bytes: verified.reduce((sum, one) => sum + one.bytes, 0),
      commits,
      topicsMade,
    };
  } finally {
    connection.close();
  }
}

/** Reads all partitions of the ledger, and holds them against it. */
export async function verifyPartitions(
  { ledger, partitions, logStarts }: CrashScene,
  connection: KafkaConnection,
): Promise<readonly VerifiedPartition[]> {
  const verified: VerifiedPartition[] = [];
  for (const of of partitions) {
    const mayExpire = of.topic === EXPIRING_TOPIC;
    const found = await verifyPartition(connection, of, ledger.expected(of), { mayExpire });
    const name = partitionName(of);
    const before = logStarts.get(name) ?? 0;
    if (found.logStartOffset < before) {
      throw new Error(`${name} began at ${before}, and begins at ${found.logStartOffset} now`);
    }
    logStarts.set(name, found.logStartOffset);
    verified.push(found);
  }
  return verified;
}
