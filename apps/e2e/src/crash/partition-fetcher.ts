import {
  ErrorCode,
  type FetchResponsePartition,
  fetchApi,
  listOffsetsApi,
  ZERO_UUID,
} from '@logloft/protocol';
import type { KafkaConnection } from '../harness/kafka-connection.ts';
import { sleep } from '../harness/sleep.ts';
import { partitionName, type TopicPartition } from './topic-partition.ts';

const VERSION = 12;
const LATEST = -1;
const EARLIEST = -2;
const MAX_BYTES = 4 * 1024 * 1024;
const PAUSE_MS = 20;

/** What one fetch brought. */
export interface FetchedBatches {
  /** Whole batches; the first may begin before the offset that was asked for. */
  readonly records: Buffer;
  readonly highWatermark: number;
  readonly logStartOffset: number;
}

/** One answer to a fetch, errors included. */
export interface FetchAnswer extends FetchedBatches {
  readonly errorCode: number;
}

/** Where a partition begins and ends. */
export interface PartitionBounds {
  readonly logStartOffset: number;
  /** The high watermark. */
  readonly end: number;
}

/** Asks by ListOffsets. @throws Error when that is refused */
export async function partitionBounds(
  connection: KafkaConnection,
  of: TopicPartition,
): Promise<PartitionBounds> {
  const ask = async (timestamp: number): Promise<number> => {
    const { topics } = await connection.request(listOffsetsApi, 7, {
      replicaId: -1,
      isolationLevel: 0,
      topics: [
        {
          name: of.topic,
          partitions: [
            {
              partitionIndex: of.partition,
              currentLeaderEpoch: -1,
              timestamp,
              maxNumOffsets: 1,
            },
          ],
        },
      ],
      timeoutMs: 10_000,
    });
    const found = topics[0]?.partitions[0];
    if (found?.errorCode === ErrorCode.NONE) return found.offset;
    throw new Error(`ListOffsets ${timestamp} of ${partitionName(of)}: ${found?.errorCode}`);
  };
  return { logStartOffset: await ask(EARLIEST), end: await ask(LATEST) };
}

/** Fetches once. */
export async function fetchOnce(
  connection: KafkaConnection,
  { topic, partition }: TopicPartition,
  fetchOffset: number,
): Promise<FetchAnswer> {
  const { responses } = await connection.request(fetchApi, VERSION, {
    clusterId: null,
    replicaId: -1,
    replicaState: null,
    maxWaitMs: 200,
    minBytes: 1,
    maxBytes: MAX_BYTES,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [
      {
        topic,
        topicId: ZERO_UUID,
        partitions: [
          {
            partition,
            currentLeaderEpoch: -1,
            fetchOffset,
            lastFetchedEpoch: -1,
            logStartOffset: -1,
            partitionMaxBytes: MAX_BYTES,
            replicaDirectoryId: ZERO_UUID,
          },
        ],
      },
    ],
    forgottenTopicsData: [],
    rackId: '',
  });
  const answer = responses[0]?.partitions[0];
  if (answer === undefined) throw new Error('the answer to a fetch lacks the partition');
  const { errorCode, highWatermark, logStartOffset } = answer;
  return { records: bytesOf(answer), errorCode, highWatermark, logStartOffset };
}

/**
 * Fetches from an offset on until there is something, as a client does: it asks again when an answer
 * is empty or says that the broker is not ready yet. The caller knows that something must be there.
 *
 * @returns `out-of-range` when the offset is not in the log
 * @throws Error for any other error, and when nothing has come by the deadline
 */
export async function fetchSome(
  connection: KafkaConnection,
  of: TopicPartition,
  offset: number,
  { deadlineMs = 20_000 }: { readonly deadlineMs?: number } = {},
): Promise<FetchedBatches | 'out-of-range'> {
  const startedMs = performance.now();
  for (;;) {
    const answer = await fetchOnce(connection, of, offset);
    if (answer.errorCode === ErrorCode.OFFSET_OUT_OF_RANGE) return 'out-of-range';
    const isNotReady = answer.errorCode === ErrorCode.REPLICA_NOT_AVAILABLE;
    if (answer.errorCode !== ErrorCode.NONE && !isNotReady) {
      throw new Error(`fetch of ${partitionName(of)} at ${offset}: error ${answer.errorCode}`);
    }
    if (answer.records.length > 0) return answer;
    if (performance.now() - startedMs > deadlineMs) {
      const { records: _, ...rest } = answer;
      const seen = JSON.stringify(rest);
      throw new Error(
        `nothing of ${partitionName(of)} at ${offset} in ${deadlineMs} ms; last answer: ${seen}`,
      );
    }
    await sleep(PAUSE_MS);
  }
}

function bytesOf({ records }: FetchResponsePartition): Buffer {
  if (records === null) return Buffer.alloc(0);
  return Buffer.isBuffer(records) ? records : Buffer.concat(records);
}
