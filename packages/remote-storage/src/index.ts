export { kindOfHttpStatus, parseRetryAfter } from './adapter/http-failure.ts';
export { type PartMemoryOptions, partMemory } from './adapter/part-memory.ts';
export type { PartUploadOptions, SentParts, UploadPart } from './adapter/part-upload.ts';
export { uploadParts } from './adapter/part-upload.ts';
export { Patience, type PatienceOptions } from './adapter/patience.ts';
export { RequestBrake, type RequestBrakeOptions } from './adapter/request-brake.ts';
export type { OpenedBody, ResumedBodyOptions } from './adapter/resumed-body.ts';
export { resumedBody } from './adapter/resumed-body.ts';
export { type ByteRange, clipByteRange } from './byte-range.ts';
export type { CacheOptions, ChunkCacheClass } from './cache/cache-options.ts';
export type { ChunkCacheStats } from './cache/chunk-cache.ts';
export type { ManifestCacheStats } from './cache/manifest-cache.ts';
export { type Flight, SingleFlight } from './cache/single-flight.ts';
export type { CallOptions, Pacer } from './call-options.ts';
export type { ObjectStoreCapabilities, RemoteStorageCapabilities } from './capabilities.ts';
export { collectBytes } from './collect-bytes.ts';
export { compareKeys } from './compare-keys.ts';
export { type DeadlineOptions, withDeadline } from './deadline.ts';
export type { RemoteStorageErrorCode, RemoteStorageErrorKind } from './errors.ts';
export {
  isNotFound,
  isRemoteStorageError,
  RemoteResourceNotFoundError,
  RemoteStorageError,
  type RemoteStorageErrorOptions,
} from './errors.ts';
export { type FileSourceOptions, fileSource } from './file-source.ts';
export { guardStream } from './guard-stream.ts';
export type {
  GuardedObjectStoreContext,
  GuardedObjectStoreOptions,
} from './guarded-object-store.ts';
export { GuardedObjectStore } from './guarded-object-store.ts';
export type { CustomMetadataField } from './layout/custom-metadata.ts';
export type { EncryptionOptions } from './layout/encryption-options.ts';
export { type LayoutOptions, readLayoutOptions } from './layout/layout-options.ts';
export { ObjectStoreRemoteStorage } from './layout/object-store-remote-storage.ts';
export type { RewrapFailure, RewrapOptions, RewrapReport } from './layout/rewrap-data-keys.ts';
export type { SegmentObjectSuffix } from './layout/segment-key.ts';
export type { ListedSegment } from './layout/segment-listing.ts';
export type { LogSegmentData, SegmentSource } from './log-segment-data.ts';
export { INDEX_TYPES, type IndexType } from './log-segment-data.ts';
export { memorySource } from './memory-source.ts';
export { assertObjectKey } from './object-key.ts';
export type {
  ListOptions,
  ObjectHead,
  ObjectStore,
  PutOptions,
  RemoveUnfinishedOptions,
} from './object-store.ts';
export { openRemoteStorage } from './open-remote-storage.ts';
export { pacedSlices, sourceSlices } from './paced-slices.ts';
export type {
  ObjectStoreFactory,
  PluginContext,
  PluginLogger,
  PluginModule,
  PluginOptions,
  RemoteStorageFactory,
} from './plugin.ts';
export type { OptionParser } from './plugin-option-parsers.ts';
export { flagOption, integerOption, namesOption, textOption } from './plugin-option-parsers.ts';
export type { CacheStats } from './read/cache-stats.ts';
export type { IndexReaderStats } from './read/index-reader.ts';
export type { ReadCounters } from './read/read-counters.ts';
export { type FilePiecesOptions, readFilePieces } from './read-file-pieces.ts';
export { type ParsedOptions, readPluginOptions } from './read-plugin-options.ts';
export { ReleasingStream, type ReleasingStreamOptions } from './releasing-stream.ts';
export type { RemoteStorageManager } from './remote-storage-manager.ts';
export { DEFAULT_RETRY_POLICY, type RetryOptions, type RetryPolicy, retry } from './retry.ts';
export type {
  CustomMetadata,
  RemoteLogSegmentId,
  RemoteLogSegmentMetadata,
  RemoteLogSegmentState,
  SegmentLeaderEpoch,
  TopicIdPartition,
  Uuid,
} from './segment-metadata.ts';
export { type FailedAction, toRemoteStorageError } from './to-remote-storage-error.ts';
export type { EncryptionKeyPair } from './transform/key-pair.ts';
export { type HasKeyPairs, loadKeyFiles } from './transform/load-key-files.ts';
export { Watchdog, type WatchdogOptions } from './watchdog.ts';
