export type { AppendOptions, AppendResult } from './append/log-appender.ts';
export type { LogErrorOptions } from './errors.ts';
export {
  BatchTooLargeError,
  FencedProducerEpochError,
  InvalidLogConfigError,
  InvalidPartitionError,
  LogClosedError,
  LogCorruptError,
  LogError,
  LogOffsetOutOfRangeError,
  LogStorageError,
  OutOfOrderSequenceError,
  StorageFullError,
} from './errors.ts';
export type { AbortedTransaction } from './index/transaction-index.ts';
export type { EpochEnd, LeaderEpoch } from './leader-epochs.ts';
export type { RecoveryReport } from './load/recovery-report.ts';
export type { LogConfig, LogConfigInput } from './log-config.ts';
export { DEFAULT_LOG_CONFIG, resolveLogConfig } from './log-config.ts';
export type { LogContext, LogStore } from './log-manager.ts';
export { LogManager } from './log-manager.ts';
export type { LogManagerConfigInput } from './log-manager-config.ts';
export type { LogChange } from './log-state.ts';
export type { LogStatistics } from './log-statistics.ts';
export type { LogLogger } from './logger.ts';
export { PartitionLog } from './partition-log.ts';
export type { LogSlice } from './read/log-slice.ts';
export type { ReadLimit, ReadOptions, ReadResult } from './read/read-result.ts';
export type { TimestampedOffset } from './read/timestamp-lookup.ts';
export type {
  DeleteReason,
  KeepReason,
  LocalRetention,
  RetentionFacts,
  RetentionPlan,
  RetentionSegment,
  RetentionVerdict,
} from './retention.ts';
export { localRetentionOf, planRetention } from './retention.ts';
export { isLegalTopicName } from './segment-files.ts';
export type { FileFacts, FileSystem, LogFile } from './store/file-system.ts';
export { MemoryFileSystem } from './store/memory-file-system.ts';
export { nodeFileSystem } from './store/node-file-system.ts';
export type { RolledSegment, RolledSegmentData, SegmentDataLease } from './tier/rolled-segment.ts';
export type { SegmentSource, SourceRange } from './tier/segment-source.ts';
export type { StartAtOptions } from './truncation.ts';
