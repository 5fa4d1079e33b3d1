import { type ReadRecordsOptions, RecordCursor, type RecordHeader } from './record-cursor.ts';

/** A record, decoded. */
export interface DecodedRecord {
  readonly offset: number;
  /** Ms since the epoch. */
  readonly timestamp: number;
  /** Null and empty are not the same. */
  readonly key: Buffer | null;
  /** Null (a tombstone) and empty are not the same. */
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

/**
 * The records of the batch at `at`, decoded one by one as they are asked for. The convenient way;
 * {@link RecordCursor} is the one without an object for each record, and lists the errors.
 */
export function* readRecords(
  bytes: Buffer,
  at = 0,
  options: ReadRecordsOptions = {},
): Generator<DecodedRecord, void, undefined> {
  const cursor = new RecordCursor();
  cursor.open(bytes, at, options);
  while (cursor.next()) {
    yield {
      offset: cursor.offset,
      timestamp: cursor.timestamp,
      key: cursor.key,
      value: cursor.value,
      headers: cursor.headers(),
    };
  }
}
