import { fetchApi } from '@logloft/protocol';
import type { KafkaConnection } from './kafka-connection.ts';

const PARTITION_MAX_BYTES = 1024 * 1024;
const NO_TOPIC_ID = '00000000-0000-0000-0000-000000000000';

/** One fetch request. */
export interface FetchOfPartitions {
  /** 4 to 12: topics are named. */
  readonly version: number;
  readonly maxWaitMs: number;
  readonly minBytes: number;
  readonly partitions: readonly {
    readonly topic: string;
    readonly partition: number;
    readonly offset: number;
  }[];
}

/** What is answered for one partition. */
export interface PartitionAnswer {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly highWatermark: number;
  /** Bytes of the batches. */
  readonly records: number;
}

/** Fetches outside of a session, each partition in the order given. @throws Error for a refusal of the whole */
export async function fetchPartitions(
  connection: KafkaConnection,
  { version, maxWaitMs, minBytes, partitions }: FetchOfPartitions,
): Promise<{ readonly answers: readonly PartitionAnswer[]; readonly throttleTimeMs: number }> {
  const response = await connection.request(fetchApi, version, {
    clusterId: null,
    replicaId: -1,
    replicaState: null,
    maxWaitMs,
    minBytes,
    maxBytes: 50 * 1024 * 1024,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: partitions.map(({ topic, partition, offset }) => ({
      topic,
      topicId: NO_TOPIC_ID,
      partitions: [
        {
          partition,
          currentLeaderEpoch: -1,
          fetchOffset: offset,
          lastFetchedEpoch: -1,
          logStartOffset: -1,
          partitionMaxBytes: PARTITION_MAX_BYTES,
          replicaDirectoryId: NO_TOPIC_ID,
        },
      ],
    })),
    forgottenTopicsData: [],
    rackId: '',
  });
  if (response.errorCode !== 0) throw new Error(`Fetch was refused: error ${response.errorCode}`);
  const answers = response.responses.flatMap(({ topic, partitions: found }) =>
    found.map(({ partitionIndex, errorCode, highWatermark, records }) => ({
      topic,
      partition: partitionIndex,
      errorCode,
      highWatermark,
      records: bytesOf(records),
    })),
  );
  return { answers, throttleTimeMs: response.throttleTimeMs };
}

function bytesOf(records: Buffer | readonly Buffer[] | null): number {
  if (records === null) return 0;
  if (Buffer.isBuffer(records)) return records.byteLength;
  return records.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
