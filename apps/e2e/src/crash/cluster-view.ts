import { ErrorCode, metadataApi } from '@logloft/protocol';
import type { KafkaConnection } from '../harness/kafka-connection.ts';

/** What a broker says of itself and its topics. */
export interface ClusterView {
  readonly clusterId: string;
  readonly nodeId: number;
  readonly topics: ReadonlyMap<string, TopicView>;
}

/** A topic's id, and the leader epoch of each partition. */
export interface TopicView {
  readonly topicId: string;
  readonly leaderEpochs: readonly number[];
}

/** Asks for all topics. @throws Error when one of them is in trouble */
export async function viewCluster(connection: KafkaConnection): Promise<ClusterView> {
  const answer = await connection.request(metadataApi, 12, {
    topics: null,
    allowAutoTopicCreation: false,
    includeClusterAuthorizedOperations: false,
    includeTopicAuthorizedOperations: false,
  });
  const topics = new Map<string, TopicView>();
  for (const { errorCode, name, topicId, partitions } of answer.topics) {
    const codes = [errorCode, ...partitions.map((one) => one.errorCode)];
    if (codes.some((code) => code !== ErrorCode.NONE)) {
      throw new Error(`Metadata of ${name}: errors ${codes.join(', ')}`);
    }
    const ordered = partitions.toSorted((a, b) => a.partitionIndex - b.partitionIndex);
    const leaderEpochs = ordered.map(({ leaderEpoch }) => leaderEpoch);
    topics.set(name ?? '', { topicId, leaderEpochs });
  }
  const nodeId = answer.brokers[0]?.nodeId ?? Number.NaN;
  return { clusterId: answer.clusterId ?? '', nodeId, topics };
}

/**
 * Holds a broker after a restart against what it was before.
 *
 * @param lasting topics that nobody deletes
 * @throws Error when ids have changed, or leader epochs have not grown
 */
export function assertSameCluster(
  before: ClusterView,
  after: ClusterView,
  lasting: readonly string[],
): void {
  const ids = ({ clusterId, nodeId }: ClusterView): string => `cluster ${clusterId} node ${nodeId}`;
  if (ids(before) !== ids(after)) throw new Error(`was ${ids(before)}, is ${ids(after)}`);
  for (const name of lasting) {
    const was = before.topics.get(name);
    const is = after.topics.get(name);
    if (was === undefined || is === undefined || was.topicId !== is.topicId) {
      throw new Error(`topic ${name} had id ${was?.topicId}, has ${is?.topicId}`);
    }
    const grew = was.leaderEpochs.map((epoch, index) => (is.leaderEpochs[index] ?? -1) > epoch);
    if (was.leaderEpochs.length !== is.leaderEpochs.length || grew.includes(false)) {
      throw new Error(
        `leader epochs of ${name} were ${was.leaderEpochs.join()}, are ${is.leaderEpochs.join()}`,
      );
    }
  }
}
