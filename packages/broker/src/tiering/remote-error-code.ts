import { ErrorCode } from '@logloft/protocol';
import { isRemoteStorageError } from '@logloft/remote-storage';
import { isRemoteLogError, type RemoteLogErrorCode } from '@logloft/rlm-core';

const BY_CODE: ReadonlyMap<RemoteLogErrorCode, number> = new Map([
  ['LOGLOFT_RLM_OFFSET_OUT_OF_RANGE', ErrorCode.OFFSET_OUT_OF_RANGE],
  ['LOGLOFT_RLM_CORRUPT_BATCH', ErrorCode.CORRUPT_MESSAGE],
  // The catalogue is being read, or the partition was taken over a moment ago: clients ask again.
  ['LOGLOFT_RLM_NOT_READY', ErrorCode.REPLICA_NOT_AVAILABLE],
  ['LOGLOFT_RLM_UNKNOWN_PARTITION', ErrorCode.REPLICA_NOT_AVAILABLE],
  ['LOGLOFT_RLM_CLOSED', ErrorCode.REPLICA_NOT_AVAILABLE],
]);

/**
 * The answer for what a look-up or read in the remote tier threw; `undefined` for what neither the
 * remote log manager nor a store throws.
 */
export function remoteErrorCode(error: unknown): number | undefined {
  if (isRemoteLogError(error)) return BY_CODE.get(error.code) ?? ErrorCode.KAFKA_STORAGE_ERROR;
  return isRemoteStorageError(error) ? ErrorCode.KAFKA_STORAGE_ERROR : undefined;
}
