import { CONTROL_TYPE, RecordCursor, readControlRecord } from '@logloft/records';

/** The end of a transaction, as a control batch says it. */
export interface TransactionMarker {
  readonly aborted: boolean;
  readonly coordinatorEpoch: number;
}

/**
 * Reads the marker out of a whole control batch; undefined for other control records.
 *
 * @throws CorruptBatchError when its record cannot be decoded
 */
export function readTransactionMarker(batch: Buffer): TransactionMarker | undefined {
  const cursor = new RecordCursor();
  cursor.open(batch, 0);
  if (!cursor.next()) return undefined;
  const { type, coordinatorEpoch } = readControlRecord(cursor);
  if (coordinatorEpoch === undefined) return undefined;
  return { aborted: type === CONTROL_TYPE.abort, coordinatorEpoch };
}
