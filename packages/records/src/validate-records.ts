import { InvalidBatchError } from './errors.ts';
import { type ReadRecordsOptions, RecordCursor } from './record-cursor.ts';

/** What {@link validateRecords} demands of every record. */
export interface ValidateRecordsOptions extends ReadRecordsOptions {
  /** Whether a key is needed, as on compacted topics. Default: false. */
  readonly needsKey?: boolean | undefined;
  /** Least timestamp, in ms since the epoch. Default: any. */
  readonly minTimestampMs?: number | undefined;
  /** Greatest timestamp, in ms since the epoch. Default: any. */
  readonly maxTimestampMs?: number | undefined;
  /** Whether the offsets must follow one another without a gap. Default: true. */
  readonly needsDenseOffsets?: boolean | undefined;
}

/**
 * Decodes every record of the batch at `at`, and checks it. The dear part of validation: for topics
 * whose settings ask for it. `validateBatch` comes first.
 *
 * @throws InvalidBatchError with reason `key`, `timestamp` or `record-offset`, and `recordIndex`
 * @throws what {@link RecordCursor.open} and {@link RecordCursor.next} do
 */
export function validateRecords(bytes: Buffer, at = 0, options: ValidateRecordsOptions = {}): void {
  const cursor = new RecordCursor();
  cursor.open(bytes, at, options);
  while (cursor.next()) checkRecord(cursor, options);
}

function checkRecord(cursor: RecordCursor, options: ValidateRecordsOptions): void {
  const { needsKey = false, needsDenseOffsets = true } = options;
  const { minTimestampMs = Number.NEGATIVE_INFINITY } = options;
  const { maxTimestampMs = Number.POSITIVE_INFINITY } = options;
  const { index: recordIndex, offset, timestamp } = cursor;
  if (needsKey && !cursor.hasKey) {
    throw new InvalidBatchError('key', `Record ${recordIndex} has no key to be compacted by`, {
      recordIndex,
    });
  }
  if (timestamp < minTimestampMs || timestamp > maxTimestampMs) {
    throw new InvalidBatchError(
      'timestamp',
      `Record ${recordIndex} has timestamp ${timestamp}, ${minTimestampMs} to ${maxTimestampMs} are allowed`,
      { recordIndex },
    );
  }
  const expected = cursor.batch.baseOffset + recordIndex;
  if (needsDenseOffsets && offset !== expected) {
    throw new InvalidBatchError(
      'record-offset',
      `Record ${recordIndex} has offset ${offset}, expected ${expected}`,
      { recordIndex },
    );
  }
}
