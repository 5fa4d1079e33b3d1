import {
  BatchTooLargeError,
  FencedProducerEpochError,
  OutOfOrderSequenceError,
} from '@logloft/log';
import { ErrorCode } from '@logloft/protocol';
import { InvalidBatchError, type InvalidBatchReason } from '@logloft/records';
import { logErrorCode } from '../log-error-code.ts';

/** What a client is told about a batch that was refused. */
export interface AppendRefusal {
  readonly errorCode: number;
  readonly message: string;
  /** Index in its batch of the record that was refused (KIP-467). */
  readonly recordIndex?: number | undefined;
}

const BY_REASON: ReadonlyMap<InvalidBatchReason, number> = new Map([
  ['too-large', ErrorCode.MESSAGE_TOO_LARGE],
  ['compression-type', ErrorCode.UNSUPPORTED_COMPRESSION_TYPE],
  ['timestamp-type', ErrorCode.INVALID_TIMESTAMP],
  ['timestamp', ErrorCode.INVALID_TIMESTAMP],
]);

/**
 * Turns what checking or appending a batch threw into an answer.
 *
 * @throws `error` itself when it is not one that a batch can cause
 */
export function refusalOf(error: unknown): AppendRefusal {
  if (error instanceof InvalidBatchError) {
    const errorCode = BY_REASON.get(error.reason) ?? ErrorCode.INVALID_RECORD;
    return { errorCode, message: error.message, recordIndex: error.recordIndex };
  }
  const errorCode = errorCodeOf(error);
  if (errorCode === undefined) throw error;
  return { errorCode, message: (error as Error).message };
}

function errorCodeOf(error: unknown): number | undefined {
  if (error instanceof OutOfOrderSequenceError) return ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER;
  if (error instanceof FencedProducerEpochError) return ErrorCode.INVALID_PRODUCER_EPOCH;
  if (error instanceof BatchTooLargeError) return ErrorCode.RECORD_LIST_TOO_LARGE;
  return logErrorCode(error);
}
