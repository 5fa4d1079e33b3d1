import type {
  RemoteLogSegmentMetadata,
  SegmentLeaderEpoch,
  TopicIdPartition,
} from '@logloft/remote-storage';

export const orders3: TopicIdPartition = {
  topicId: 'ASNFZ4mrze8BI0VniavN7w',
  topic: 'orders',
  partition: 3,
};

/** A name for a segment in a test, as an id of 22 characters. */
export function segmentId(name: string): string {
  return Buffer.alloc(16, name).toString('base64url');
}

export interface SegmentFacts {
  readonly epochs?: readonly SegmentLeaderEpoch[];
  readonly partition?: TopicIdPartition;
  readonly state?: RemoteLogSegmentMetadata['state'];
  readonly size?: number;
  readonly maxTimestampMs?: number;
  readonly txnIdxEmpty?: boolean;
  readonly brokerId?: number;
  readonly eventTimestampMs?: number;
}

/** A segment of offsets `start` to `end` inclusive, by default of epoch 0. */
export function segment(
  name: string,
  start: number,
  end: number,
  facts: SegmentFacts = {},
): RemoteLogSegmentMetadata {
  return {
    remoteLogSegmentId: { topicIdPartition: facts.partition ?? orders3, id: segmentId(name) },
    startOffset: start,
    endOffset: end,
    maxTimestampMs: facts.maxTimestampMs ?? 1_700_000_000_000,
    brokerId: facts.brokerId ?? 1,
    eventTimestampMs: facts.eventTimestampMs ?? 1_700_000_000_000,
    segmentSizeInBytes: facts.size ?? 1000,
    state: facts.state ?? 'COPY_SEGMENT_STARTED',
    segmentLeaderEpochs: facts.epochs ?? [{ epoch: 0, startOffset: start }],
    txnIdxEmpty: facts.txnIdxEmpty ?? true,
  };
}
