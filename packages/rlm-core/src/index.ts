// The manager.

export type { CopyLagFigures } from './copy/copy-lag.ts';
export type { CopyOutcome, CopyTaskStatus } from './copy/copy-task.ts';
export type { NotCopiedReason } from './copy/eligible-segments.ts';
export type { RemoteLogErrorCode } from './errors.ts';
export { isRemoteLogError, RemoteLogError } from './errors.ts';
export type { EventSubscription, MetadataEventLog, StoredEvent } from './metadata/event-log.ts';
export { InMemoryEventLog } from './metadata/in-memory-event-log.ts';
export type {
  RemoteLogMetadataEvent,
  RemoteLogSegmentMetadataUpdate,
  RemotePartitionDeleteMetadata,
  RemotePartitionDeleteState,
} from './metadata/metadata-event.ts';
export type {
  MetadataManagerContext,
  MetadataManagerOptions,
} from './metadata/metadata-manager.ts';
export { RemoteLogMetadataManager } from './metadata/metadata-manager.ts';
export { metadataPartitionFor } from './metadata/partitioner.ts';
export { decodeMetadataEvent, encodeMetadataEvent } from './metadata/serde.ts';
export type { RemoteLogManagerOptions } from './options.ts';
export { optionsFromProperties } from './options-from-properties.ts';
export type {
  LeaderEpochEntry,
  LocalSegmentView,
  PartitionLogView,
  SegmentDataLease,
  TieredTopicConfig,
  TimestampAndOffset,
} from './partition-log-view.ts';
export type {
  ChoiceProperty,
  LimitProperty,
  NumberProperty,
  RemoteLogManagerProperty,
} from './properties.ts';
export { REMOTE_LOG_MANAGER_PROPERTIES } from './properties.ts';
export type { RemoteFetchRequest, RemoteFetchResult } from './read/remote-reader.ts';
export type { AbortedTransaction } from './read/segment-indexes.ts';
export type { OffsetAndEpoch } from './read/special-offsets.ts';
export {
  earliestLocalOffset,
  earliestOffset,
  earliestPendingUploadOffset,
  latestTieredOffset,
} from './read/special-offsets.ts';
export type {
  LeadershipChange,
  RemoteLogManagerContext,
  StopPartitionsOptions,
} from './remote-log-manager.ts';
export { RemoteLogManager } from './remote-log-manager.ts';
export type {
  RemoteLogStatus,
  RemoteQuotaStatus,
  SegmentPlace,
  SegmentStatus,
} from './remote-log-status.ts';
