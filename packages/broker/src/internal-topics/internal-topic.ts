import type { Clock } from '@logloft/clock';
import type { PartitionLog } from '@logloft/log';
import { BatchBuilder, BatchCursor, type DecodedRecord, readRecords } from '@logloft/records';
import type { Partition } from '../topics/partition.ts';
import type { Topic } from '../topics/topic.ts';

/** A record of an internal topic. */
export interface InternalRecord {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}

/** A record as it stands in the log; views of a buffer that is used again. */
export type StoredRecord = Pick<DecodedRecord, 'offset' | 'key' | 'value'>;

const READ_BYTES = 1024 * 1024;

/** A topic that the broker writes itself: appends records, and reads them all back. */
export class InternalTopic {
  readonly #topic: () => Topic;
  readonly #clock: Clock;

  /** @param topic the topic as it is now: partitions may be added to it */
  constructor(topic: () => Topic, clock: Clock) {
    this.#topic = topic;
    this.#clock = clock;
  }

  /** Number of partitions. */
  get partitionCount(): number {
    return this.#topic().partitions.length;
  }

  /** Bytes of all partitions on disk. */
  get sizeInBytes(): number {
    return this.#topic().partitions.reduce((sum, { log }) => sum + log.sizeInBytes, 0);
  }

  /**
   * Appends records as one batch.
   *
   * @returns offset of the last one, when they are as durable as the topic's flush policy promises
   * @throws LogStorageError when they could not be written
   */
  async append(partition: number, records: readonly InternalRecord[]): Promise<number> {
    const { log, leaderEpoch } = this.partition(partition);
    const timestamp = this.#clock.now();
    const builder = new BatchBuilder();
    for (const { key, value } of records) builder.append({ timestamp, key, value });
    const { lastOffset, written } = log.append(builder.build(), { leaderEpoch });
    await written;
    return lastOffset;
  }

  /** Every record of a partition from the first one that is kept. */
  readAll(partition: number): AsyncGenerator<StoredRecord> {
    const { log } = this.partition(partition);
    return readLog(log, log.logStartOffset);
  }

  /** The partition itself. @throws RangeError when there is none of that number */
  partition(index: number): Partition {
    const partition = this.#topic().partitions[index];
    if (partition === undefined) {
      throw new RangeError(`Topic ${this.#topic().name} has no partition ${index}`);
    }
    return partition;
  }
}

/**
 * The visible records of a log from `fromOffset` on, batch by batch; ends at the end that the log has
 * when it gets there. A record is valid until the next one is asked for.
 */
export async function* readLog(
  log: PartitionLog,
  fromOffset: number,
): AsyncGenerator<StoredRecord, void, undefined> {
  let buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  let next = fromOffset;
  while (next < log.highWatermark) {
    const found = log.read(next, {
      maxBytes: READ_BYTES,
      minOneBatch: true,
      limit: 'high-watermark',
    });
    if (found.kind !== 'slice') return;
    const { slice } = found;
    try {
      if (slice.sizeInBytes === 0) return;
      if (slice.sizeInBytes > buffer.length) buffer = Buffer.allocUnsafeSlow(slice.sizeInBytes);
      const length = await slice.readIntoAsync(buffer);
      yield* recordsOf(buffer.subarray(0, length), next);
      if (slice.nextOffset === undefined || slice.nextOffset <= next) return;
      next = slice.nextOffset;
    } finally {
      slice.release();
    }
  }
}

function* recordsOf(bytes: Buffer, fromOffset: number): Generator<StoredRecord> {
  const batches = new BatchCursor(bytes);
  while (batches.next()) {
    for (const record of readRecords(bytes, batches.position)) {
      if (record.offset >= fromOffset) yield record;
    }
  }
}
