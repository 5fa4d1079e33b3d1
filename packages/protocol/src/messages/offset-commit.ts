import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int32, int64, nullable, string } from '../schema/field-builders.ts';
import { type TopicResult, topicResult } from './shared-structs.ts';

/** The offset from which a group goes on in one partition. */
export interface OffsetCommitRequestPartition {
  partitionIndex: number;
  committedOffset: number;
  committedLeaderEpoch: number;
  /** Version 1 only; -1: the time of arrival. */
  commitTimestamp: number;
  committedMetadata: string | null;
}

/** The offsets of one topic. */
export interface OffsetCommitRequestTopic {
  name: string;
  partitions: OffsetCommitRequestPartition[];
}

/** Stores offsets of a group. Generation -1 and an empty member id: from outside of the group. */
export interface OffsetCommitRequest {
  groupId: string;
  generationIdOrMemberEpoch: number;
  memberId: string;
  groupInstanceId: string | null;
  /** Versions 2 to 4 only; -1: as the broker is configured. */
  retentionTimeMs: number;
  topics: OffsetCommitRequestTopic[];
}

/** What happened to each offset. */
export interface OffsetCommitResponse {
  throttleTimeMs: number;
  topics: TopicResult[];
}

/** OffsetCommit (8). */
export const offsetCommitApi: ApiDescription<OffsetCommitRequest, OffsetCommitResponse> = defineApi<
  OffsetCommitRequest,
  OffsetCommitResponse
>({
  key: 8,
  name: 'OffsetCommit',
  versions: [0, 9],
  flexibleFrom: 8,
  request: {
    groupId: string(),
    generationIdOrMemberEpoch: int32({ from: 1, default: -1 }),
    memberId: string({ from: 1 }),
    groupInstanceId: nullable(string({ from: 7 })),
    retentionTimeMs: int64({ from: 2, to: 4, default: -1 }),
    topics: array(
      struct<OffsetCommitRequestTopic>({
        name: string(),
        partitions: array(
          struct<OffsetCommitRequestPartition>({
            partitionIndex: int32(),
            committedOffset: int64(),
            committedLeaderEpoch: int32({ from: 6, default: -1 }),
            commitTimestamp: int64({ from: 1, to: 1, default: -1 }),
            committedMetadata: nullable(string()),
          }),
        ),
      }),
    ),
  },
  response: {
    throttleTimeMs: int32({ from: 3 }),
    topics: array(topicResult),
  },
});
