import {
  LogClosedError,
  LogCorruptError,
  LogOffsetOutOfRangeError,
  LogStorageError,
} from '@logloft/log';
import { ErrorCode } from '@logloft/protocol';
import {
  CorruptBatchError,
  DecompressionLimitError,
  UnsupportedCompressionError,
} from '@logloft/records';

/**
 * The answer for what reading or changing a log threw; `undefined` for what neither a log nor its
 * batches can cause.
 */
export function logErrorCode(error: unknown): number | undefined {
  if (error instanceof LogStorageError) return ErrorCode.KAFKA_STORAGE_ERROR;
  // The topic was deleted while the request was under way.
  if (error instanceof LogClosedError) return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
  if (error instanceof LogOffsetOutOfRangeError) return ErrorCode.OFFSET_OUT_OF_RANGE;
  if (error instanceof UnsupportedCompressionError) return ErrorCode.UNSUPPORTED_COMPRESSION_TYPE;
  // A batch that grows without bound when it is unpacked is as unreadable as a damaged one.
  const isUnreadable =
    error instanceof CorruptBatchError ||
    error instanceof DecompressionLimitError ||
    error instanceof LogCorruptError;
  return isUnreadable ? ErrorCode.CORRUPT_MESSAGE : undefined;
}
