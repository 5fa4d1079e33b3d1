/**
 * A Kafka UUID in its text form: the 16 bytes, big-endian, as unpadded base64url (22 characters).
 * The all-zero UUID, `AAAAAAAAAAAAAAAAAAAAAA`, means "none".
 */
export type Uuid = string;

/** A partition of a topic, named so that a re-created topic of the same name is another one. */
export interface TopicIdPartition {
  readonly topicId: Uuid;
  readonly topic: string;
  /** Partition number, >= 0. */
  readonly partition: number;
}

/** Identity of one copy of one segment. Every attempt to copy gets a new `id`, also for the same offsets. */
export interface RemoteLogSegmentId {
  readonly topicIdPartition: TopicIdPartition;
  readonly id: Uuid;
}

/** Where the copy of a segment stands (KIP-405); the numbers in the records are 0 to 3 in this order. */
export type RemoteLogSegmentState =
  | 'COPY_SEGMENT_STARTED'
  | 'COPY_SEGMENT_FINISHED'
  | 'DELETE_SEGMENT_STARTED'
  | 'DELETE_SEGMENT_FINISHED';

/** The first offset that a leader epoch has inside a segment. */
export interface SegmentLeaderEpoch {
  readonly epoch: number;
  /** For the segment's first entry: the segment's base offset, not the true start of the epoch. */
  readonly startOffset: number;
}

/** Opaque bytes by which a plugin finds its objects again; at most 128 bytes by default (`remote.log.metadata.custom.metadata.max.bytes`). */
export type CustomMetadata = Uint8Array;

/** What the catalogue knows of one copy of one segment, and what a plugin is given in every call. */
export interface RemoteLogSegmentMetadata {
  readonly remoteLogSegmentId: RemoteLogSegmentId;
  /** First offset of the segment. */
  readonly startOffset: number;
  /** Last offset of the segment, inclusive. */
  readonly endOffset: number;
  /** Largest record timestamp in ms, -1 when the segment has none. */
  readonly maxTimestampMs: number;
  /** The broker that made the latest event. */
  readonly brokerId: number;
  /** Wall-clock ms of the latest event. */
  readonly eventTimestampMs: number;
  /** Bytes of the `.log` file alone. */
  readonly segmentSizeInBytes: number;
  readonly customMetadata?: CustomMetadata | undefined;
  readonly state: RemoteLogSegmentState;
  /** Ascending by epoch, never empty. */
  readonly segmentLeaderEpochs: readonly SegmentLeaderEpoch[];
  /** Whether the transaction index is known to be empty; `false` means that it may exist. */
  readonly txnIdxEmpty: boolean;
}
