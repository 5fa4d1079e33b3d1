import { createBatchHeader, isLogAppendTime, readBatchHeader } from './batch-header.ts';
import { type ReadRecordsOptions, RecordCursor } from './record-cursor.ts';

/** A record found by its time. */
export interface RecordPosition {
  readonly offset: number;
  /** Ms since the epoch. */
  readonly timestamp: number;
}

/** Where and how to look. */
export interface FindRecordOptions extends ReadRecordsOptions {
  /** Records before this offset do not count. Default: all do. */
  readonly minOffset?: number | undefined;
}

/**
 * The first record of the batch at `at` whose time is `timestamp` or later, as ListOffsets wants it.
 * The batch is decompressed only if its max timestamp promises such a record.
 *
 * @param timestamp ms since the epoch
 * @returns undefined when the batch has none
 * @throws what {@link RecordCursor.open} and {@link RecordCursor.next} do
 */
export function findFirstAtOrAfter(
  bytes: Buffer,
  at: number,
  timestamp: number,
  options: FindRecordOptions = {},
): RecordPosition | undefined {
  const { minOffset = 0 } = options;
  const header = createBatchHeader();
  // What is wrong with a batch that has no whole header is for the cursor to say.
  if (readBatchHeader(bytes, at, header) && header.maxTimestamp < timestamp) return undefined;
  const cursor = new RecordCursor();
  cursor.open(bytes, at, options);
  while (cursor.next()) {
    if (cursor.timestamp >= timestamp && cursor.offset >= minOffset) {
      return { offset: cursor.offset, timestamp: cursor.timestamp };
    }
  }
  return undefined;
}

/**
 * The first of the records with the greatest time in the batch at `at` (ListOffsets with timestamp
 * -3, KIP-734).
 *
 * @returns undefined when the batch has no records
 * @throws what {@link RecordCursor.open} and {@link RecordCursor.next} do
 */
export function findMaxTimestamp(
  bytes: Buffer,
  at: number,
  options: FindRecordOptions = {},
): RecordPosition | undefined {
  const { minOffset = 0 } = options;
  const cursor = new RecordCursor();
  cursor.open(bytes, at, options);
  const { maxTimestamp } = cursor.batch;
  let found: RecordPosition | undefined;
  while (cursor.next()) {
    if (cursor.offset < minOffset) continue;
    if (found === undefined || cursor.timestamp > found.timestamp) {
      found = { offset: cursor.offset, timestamp: cursor.timestamp };
      // No record can have a greater one, with LogAppendTime least of all.
      if (found.timestamp === maxTimestamp || isLogAppendTime(cursor.batch)) break;
    }
  }
  return found;
}
