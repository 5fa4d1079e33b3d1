import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, int16, int32, int64, nullable, string } from '../schema/field-builders.ts';
import { type TopicPartitionIndexes, topicPartitionIndexes } from './shared-structs.ts';

/** A group whose offsets are wanted, from version 8 on. Null topics: all that it has. */
export interface OffsetFetchRequestGroup {
  groupId: string;
  memberId: string | null;
  memberEpoch: number;
  topics: TopicPartitionIndexes[] | null;
}

/** Asks for committed offsets: of one group, from version 8 on of a list of groups. */
export interface OffsetFetchRequest {
  groupId: string;
  topics: TopicPartitionIndexes[] | null;
  groups: OffsetFetchRequestGroup[];
  /** True: offsets of transactions that are not decided are an error rather than left out. */
  requireStable: boolean;
}

/** A committed offset; -1 when there is none. */
export interface OffsetFetchResponsePartition {
  partitionIndex: number;
  committedOffset: number;
  committedLeaderEpoch: number;
  metadata: string | null;
  errorCode: number;
}

/** The committed offsets of one topic. */
export interface OffsetFetchResponseTopic {
  name: string;
  partitions: OffsetFetchResponsePartition[];
}

/** The committed offsets of one group. */
export interface OffsetFetchResponseGroup {
  groupId: string;
  topics: OffsetFetchResponseTopic[];
  errorCode: number;
}

/** Committed offsets: in `topics` up to version 7, in `groups` from version 8 on. */
export interface OffsetFetchResponse {
  throttleTimeMs: number;
  topics: OffsetFetchResponseTopic[];
  errorCode: number;
  groups: OffsetFetchResponseGroup[];
}

const topicOffsets = struct<OffsetFetchResponseTopic>({
  name: string(),
  partitions: array(
    struct<OffsetFetchResponsePartition>({
      partitionIndex: int32(),
      committedOffset: int64(),
      committedLeaderEpoch: int32({ from: 5, default: -1 }),
      metadata: nullable(string()),
      errorCode: int16(),
    }),
  ),
});

/** OffsetFetch (9). */
export const offsetFetchApi: ApiDescription<OffsetFetchRequest, OffsetFetchResponse> = defineApi<
  OffsetFetchRequest,
  OffsetFetchResponse
>({
  key: 9,
  name: 'OffsetFetch',
  versions: [0, 9],
  flexibleFrom: 6,
  request: {
    groupId: string({ to: 7 }),
    topics: nullable(array(topicPartitionIndexes, { to: 7 }), 2),
    groups: array(
      struct<OffsetFetchRequestGroup>({
        groupId: string(),
        memberId: nullable(string({ from: 9 })),
        memberEpoch: int32({ from: 9, default: -1 }),
        topics: nullable(array(topicPartitionIndexes)),
      }),
      { from: 8 },
    ),
    requireStable: bool({ from: 7 }),
  },
  response: {
    throttleTimeMs: int32({ from: 3 }),
    topics: array(topicOffsets, { to: 7 }),
    errorCode: int16({ from: 2, to: 7 }),
    groups: array(
      struct<OffsetFetchResponseGroup>({
        groupId: string(),
        topics: array(topicOffsets),
        errorCode: int16(),
      }),
      { from: 8 },
    ),
  },
});
