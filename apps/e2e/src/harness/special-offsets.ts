import { ErrorCode, listOffsetsApi } from '@logloft/protocol';
import { KafkaConnection } from './kafka-connection.ts';

const LATEST = -1;
const EARLIEST = -2;
const EARLIEST_LOCAL = -4;
const LATEST_TIERED = -5;

/** Where the two tiers of a partition begin and end. */
export interface SpecialOffsets {
  readonly earliest: number;
  /** First offset that is on the local disk (KIP-405). */
  readonly earliestLocal: number;
  /** Last offset in the remote tier, -1 for none (KIP-1005). */
  readonly latestTiered: number;
  readonly latest: number;
}

/** Asks the broker by ListOffsets, as any client could. */
export async function specialOffsets(
  bootstrap: string,
  topic: string,
  partition: number,
): Promise<SpecialOffsets> {
  const connection = await KafkaConnection.open(bootstrap);
  try {
    const ask = async (timestamp: number): Promise<number> => {
      const { topics } = await connection.request(listOffsetsApi, 9, {
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
      if (found?.errorCode === ErrorCode.NONE) return found.offset;
      throw new Error(`ListOffsets ${timestamp} of ${topic}-${partition}: ${found?.errorCode}`);
    };
    return {
      earliest: await ask(EARLIEST),
      earliestLocal: await ask(EARLIEST_LOCAL),
      latestTiered: await ask(LATEST_TIERED),
      latest: await ask(LATEST),
    };
  } finally {
    connection.close();
  }
}
