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
export type {
  LeaderEpochEntry,
  LocalSegmentView,
  PartitionLogView,
  SegmentDataLease,
  TieredTopicConfig,
  TimestampAndOffset,
} from './partition-log-view.ts';
