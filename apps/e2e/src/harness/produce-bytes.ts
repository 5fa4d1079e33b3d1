import { randomBytes } from 'node:crypto';
import { ErrorCode, produceApi } from '@logloft/protocol';
import { BatchBuilder } from '@logloft/records';
import { KafkaConnection } from './kafka-connection.ts';

const RECORD_BYTES = 4096;
const RECORDS_IN_BATCH = 16;

/** What {@link produceBytes} sends. */
export interface BytesToProduce {
  readonly topic: string;
  readonly partitions: number;
  /** Bytes of values for each partition. */
  readonly bytes: number;
}

/**
 * Fills partitions with records that do not compress, in batches of 64 KiB, side by side.
 *
 * @throws Error when a batch is refused
 */
export async function produceBytes(
  bootstrap: string,
  { topic, partitions, bytes }: BytesToProduce,
): Promise<void> {
  const connection = await KafkaConnection.open(bootstrap);
  try {
    const rounds = Math.ceil(bytes / (RECORD_BYTES * RECORDS_IN_BATCH));
    for (let round = 0; round < rounds; round += 1) {
      const { responses } = await connection.request(produceApi, 9, {
        transactionalId: null,
        acks: -1,
        timeoutMs: 30_000,
        topicData: [
          {
            name: topic,
            partitionData: Array.from({ length: partitions }, (_, index) => ({
              index,
              records: batchOfRandomBytes(),
            })),
          },
        ],
      });
      for (const { index, errorCode } of responses[0]?.partitionResponses ?? []) {
        if (errorCode !== ErrorCode.NONE) {
          throw new Error(`producing to ${topic}-${index}: error ${errorCode}`);
        }
      }
    }
  } finally {
    connection.close();
  }
}

function batchOfRandomBytes(): Buffer {
  const builder = new BatchBuilder({ initialBytes: RECORD_BYTES * (RECORDS_IN_BATCH + 1) });
  for (let index = 0; index < RECORDS_IN_BATCH; index += 1) {
    builder.append({ timestamp: Date.now(), value: randomBytes(RECORD_BYTES) });
  }
  return builder.build();
}
