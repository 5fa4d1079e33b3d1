export { BatchBuilder } from './batch-builder.ts';
export { BatchCursor, type BatchCursorOptions } from './batch-cursor.ts';
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
export type { BatchBuilderOptions } from './batch-options.ts';
export { getInt64, setInt64 } from './byte-view.ts';
export type { CompressionCodec, CompressOptions } from './compression/codec.ts';
export { codecOf, compressionName, writableCompressions } from './compression/registry.ts';
export type { CompressionName } from './constants.ts';
export {
  BATCH_ATTRIBUTE,
  BATCH_FIELD,
  BATCH_HEADER_BYTES,
  COMPRESSION,
  CURRENT_MAGIC,
  LOG_OVERHEAD_BYTES,
} from './constants.ts';
export { type Crc32cImplementation, crc32c, crc32cImplementation } from './crc32c.ts';
export { crc32cFallback } from './crc32c-fallback.ts';
export type { CorruptBatchReason, InvalidBatchErrorOptions, InvalidBatchReason } from './errors.ts';
export {
  CorruptBatchError,
  DecompressionLimitError,
  InvalidBatchError,
  UnsupportedCompressionError,
} from './errors.ts';
export type { FindRecordOptions, RecordPosition } from './find-record.ts';
export { findFirstAtOrAfter, findMaxTimestamp } from './find-record.ts';
export { type DecodedRecord, readRecords } from './read-records.ts';
export type { ReadRecordsOptions, RecordHeader } from './record-cursor.ts';
export { DEFAULT_MAX_DECOMPRESSED_BYTES, RecordCursor } from './record-cursor.ts';
export type { FieldInput, RecordHeaderInput, RecordInput } from './record-input.ts';
export type {
  ControlRecord,
  TransactionMarkerOptions,
  TransactionOutcome,
} from './transaction-marker.ts';
export { buildTransactionMarker, CONTROL_TYPE, readControlRecord } from './transaction-marker.ts';
export { type ValidateBatchOptions, validateBatch } from './validate-batch.ts';
export { type ValidateRecordsOptions, validateRecords } from './validate-records.ts';
export { VarintReader, varintBytes, varlongBytes, writeVarint, writeVarlong } from './varint.ts';
