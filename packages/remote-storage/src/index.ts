export type { ByteRange } from './byte-range.ts';
export { clipByteRange } from './byte-range.ts';
export type { CallOptions, Pacer } from './call-options.ts';
export type { ObjectStoreCapabilities, RemoteStorageCapabilities } from './capabilities.ts';
export type {
  RemoteStorageErrorCode,
  RemoteStorageErrorKind,
  RemoteStorageErrorOptions,
} from './errors.ts';
export {
  isNotFound,
  isRemoteStorageError,
  RemoteResourceNotFoundError,
  RemoteStorageError,
} from './errors.ts';
export type { IndexType, LogSegmentData, SegmentSource } from './log-segment-data.ts';
export { INDEX_TYPES } from './log-segment-data.ts';
export type { ListOptions, ObjectHead, ObjectStore, PutOptions } from './object-store.ts';
export type {
  ObjectStoreFactory,
  PluginContext,
  PluginLogger,
  PluginModule,
  PluginOptions,
  RemoteStorageFactory,
} from './plugin.ts';
export type { RemoteStorageManager } from './remote-storage-manager.ts';
export type {
  CustomMetadata,
  RemoteLogSegmentId,
  RemoteLogSegmentMetadata,
  RemoteLogSegmentState,
  SegmentLeaderEpoch,
  TopicIdPartition,
  Uuid,
} from './segment-metadata.ts';
