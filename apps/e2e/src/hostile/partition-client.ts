import {
  ErrorCode,
  listOffsetsApi,
  type ProduceResponsePartition,
  produceApi,
} from '@logloft/protocol';
import type { TopicPartition } from '../crash/topic-partition.ts';
import type { KafkaConnection } from '../harness/kafka-connection.ts';

/** Produces with acks=all; the answer as it is. */
export async function produceBatch(
  connection: KafkaConnection,
  { topic, partition }: TopicPartition,
  records: Buffer | null,
): Promise<ProduceResponsePartition> {
  const { responses } = await connection.request(produceApi, 9, {
    transactionalId: null,
    acks: -1,
    timeoutMs: 10_000,
    topicData: [{ name: topic, partitionData: [{ index: partition, records }] }],
  });
  const answer = responses[0]?.partitionResponses[0];
  if (answer === undefined) throw new Error('the answer to a produce request lacks the partition');
  return answer;
}

/** Produces. @throws Error when the batch is refused. @returns its base offset */
export async function produceAccepted(
  connection: KafkaConnection,
  of: TopicPartition,
  records: Buffer,
): Promise<number> {
  const { errorCode, errorMessage, baseOffset } = await produceBatch(connection, of, records);
  if (errorCode === ErrorCode.NONE) return baseOffset;
  throw new Error(`producing to ${of.topic}: error ${errorCode} ${errorMessage ?? ''}`);
}

/** An offset by time; the answer as it is. */
export async function listOffset(
  connection: KafkaConnection,
  { topic, partition }: TopicPartition,
  timestamp: number,
): Promise<{ readonly errorCode: number; readonly offset: number }> {
  const { topics } = await connection.request(listOffsetsApi, 11, {
    replicaId: -1,
    isolationLevel: 0,
    topics: [
      {
        name: topic,
        partitions: [
          { partitionIndex: partition, currentLeaderEpoch: -1, timestamp, maxNumOffsets: 1 },
        ],
      },
    ],
    timeoutMs: 10_000,
  });
  const found = topics[0]?.partitions[0];
  if (found === undefined) throw new Error('the answer to ListOffsets lacks the partition');
  return found;
}
