export type { BatchHeader } from './batch-header.ts';
export {
  applyLogAppendTime,
  compressionOf,
  createBatchHeader,
  hasDeleteHorizon,
  hasProducerId,
  isControl,
  isLogAppendTime,
  isTransactional,
  lastOffsetOf,
  lastSequenceOf,
  nextOffsetOf,
  patchBaseOffset,
  patchLeaderEpoch,
  readBatchHeader,
} from './batch-header.ts';
export type { CompressionName } from './constants.ts';
export {
  BATCH_ATTRIBUTE,
  BATCH_FIELD,
  BATCH_HEADER_BYTES,
  COMPRESSION,
  CURRENT_MAGIC,
  LOG_OVERHEAD_BYTES,
  NONE,
} from './constants.ts';
export type { Crc32cImplementation } from './crc32c.ts';
export { crc32c, crc32cImplementation } from './crc32c.ts';
export type {
  CorruptBatchReason,
  InvalidBatchErrorOptions,
  InvalidBatchReason,
} from './errors.ts';
export {
  CorruptBatchError,
  DecompressionLimitError,
  InvalidBatchError,
  UnsupportedCompressionError,
} from './errors.ts';
export type { ValidateBatchOptions } from './validate-batch.ts';
export { validateBatch } from './validate-batch.ts';
