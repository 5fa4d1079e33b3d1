import { BatchBuilder } from './batch-builder.ts';
import { CorruptBatchError } from './errors.ts';
import type { RecordCursor } from './record-cursor.ts';

/** Types of control records, as in the second int16 of their key. */
export const CONTROL_TYPE = { abort: 0, commit: 1 } as const;

/** How a transaction ended. */
export type TransactionOutcome = keyof typeof CONTROL_TYPE;

/** The batch that ends a transaction in a partition. */
export interface TransactionMarkerOptions {
  readonly outcome: TransactionOutcome;
  readonly producerId: number;
  readonly producerEpoch: number;
  /** Epoch of the transaction coordinator. */
  readonly coordinatorEpoch: number;
  /** Ms since the epoch. */
  readonly timestamp: number;
  /** Default: 0. */
  readonly baseOffset?: number | undefined;
  /** Default: -1, not known. */
  readonly partitionLeaderEpoch?: number | undefined;
}

/** What a control record says. */
export interface ControlRecord {
  /** See `CONTROL_TYPE`; others belong to Kafka's own metadata log. */
  readonly type: number;
  /** Epoch of the transaction coordinator, where the record ends a transaction. */
  readonly coordinatorEpoch: number | undefined;
}

const KEY_BYTES = 4;
const VALUE_BYTES = 6;
/** Initial size of the buffer: a marker has 78 bytes as long as its lengths take one byte each. */
const MARKER_BYTES = 78;

/**
 * Builds the control batch with the one record that commits or aborts a transaction. It takes one
 * offset, and consumers pass over it.
 *
 * @throws RangeError when an option is out of range
 */
export function buildTransactionMarker(options: TransactionMarkerOptions): Buffer {
  const { outcome, coordinatorEpoch, timestamp } = options;
  if (!Object.hasOwn(CONTROL_TYPE, outcome)) {
    throw new RangeError(`outcome must be abort or commit, got ${String(outcome)}`);
  }
  if ((coordinatorEpoch | 0) !== coordinatorEpoch) {
    throw new RangeError(`coordinatorEpoch must be an int32, got ${coordinatorEpoch}`);
  }
  // Both start with an int16 version, which is 0.
  const key = Buffer.alloc(KEY_BYTES);
  key.writeInt16BE(CONTROL_TYPE[outcome], 2);
  const value = Buffer.alloc(VALUE_BYTES);
  value.writeInt32BE(coordinatorEpoch, 2);

  const builder = new BatchBuilder({
    baseOffset: options.baseOffset,
    partitionLeaderEpoch: options.partitionLeaderEpoch,
    producerId: options.producerId,
    producerEpoch: options.producerEpoch,
    isTransactional: true,
    isControl: true,
    initialBytes: MARKER_BYTES,
  });
  builder.append({ timestamp, key, value });
  return builder.build();
}

/**
 * Decodes the control record at which a cursor is.
 *
 * @throws CorruptBatchError with reason `record` when its key or value is too short
 */
export function readControlRecord(cursor: RecordCursor): ControlRecord {
  const key = cursor.key;
  if (key === null || key.length < KEY_BYTES) {
    throw new CorruptBatchError(
      'record',
      `Expected the key of a control record to have ${KEY_BYTES} bytes, found ${key?.length ?? 'none'}`,
    );
  }
  const type = key.readInt16BE(2);
  const endsTransaction = type === CONTROL_TYPE.abort || type === CONTROL_TYPE.commit;
  if (!endsTransaction) return { type, coordinatorEpoch: undefined };
  const value = cursor.value;
  if (value === null || value.length < VALUE_BYTES) {
    throw new CorruptBatchError(
      'record',
      `Expected the value of a transaction marker to have ${VALUE_BYTES} bytes, found ${value?.length ?? 'none'}`,
    );
  }
  return { type, coordinatorEpoch: value.readInt32BE(2) };
}
