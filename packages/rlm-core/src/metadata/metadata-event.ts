import type {
  CustomMetadata,
  RemoteLogSegmentId,
  RemoteLogSegmentMetadata,
  RemoteLogSegmentState,
  TopicIdPartition,
} from '@logloft/remote-storage';

/** A change of the state of a segment that the catalogue knows already. */
export interface RemoteLogSegmentMetadataUpdate {
  readonly remoteLogSegmentId: RemoteLogSegmentId;
  readonly brokerId: number;
  /** Wall-clock ms of the event. */
  readonly eventTimestampMs: number;
  /** Replaces what was known, also by nothing: a deletion has to carry it along. */
  readonly customMetadata?: CustomMetadata | undefined;
  readonly state: RemoteLogSegmentState;
}

/** How far the deletion of a whole remote partition is; the numbers in the records are 0 to 2 in this order. */
export type RemotePartitionDeleteState =
  | 'DELETE_PARTITION_MARKED'
  | 'DELETE_PARTITION_STARTED'
  | 'DELETE_PARTITION_FINISHED';

/** A step in the deletion of a whole remote partition. */
export interface RemotePartitionDeleteMetadata {
  readonly topicIdPartition: TopicIdPartition;
  readonly brokerId: number;
  /** Wall-clock ms of the event. */
  readonly eventTimestampMs: number;
  readonly state: RemotePartitionDeleteState;
}

/** What the metadata log holds: one record an event. */
export type RemoteLogMetadataEvent =
  | { readonly type: 'segment'; readonly metadata: RemoteLogSegmentMetadata }
  | { readonly type: 'segment-update'; readonly update: RemoteLogSegmentMetadataUpdate }
  | { readonly type: 'partition-delete'; readonly deletion: RemotePartitionDeleteMetadata };

/** The partition that an event is about. */
export function partitionOf(event: RemoteLogMetadataEvent): TopicIdPartition {
  switch (event.type) {
    case 'segment':
      return event.metadata.remoteLogSegmentId.topicIdPartition;
    case 'segment-update':
      return event.update.remoteLogSegmentId.topicIdPartition;
    case 'partition-delete':
      return event.deletion.topicIdPartition;
  }
}
