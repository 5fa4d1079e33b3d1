import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, int64, string } from '../schema/field-builders.ts';

/** A partition and the epoch whose end is wanted. */
export interface OffsetForLeaderEpochRequestPartition {
  partition: number;
  currentLeaderEpoch: number;
  leaderEpoch: number;
}

/** The partitions of one topic. */
export interface OffsetForLeaderEpochRequestTopic {
  topic: string;
  partitions: OffsetForLeaderEpochRequestPartition[];
}

/** Asks where leader epochs end (KIP-320). */
export interface OffsetForLeaderEpochRequest {
  /** -1: a consumer; -2 (before version 3): not said. */
  replicaId: number;
  topics: OffsetForLeaderEpochRequestTopic[];
}

/** The largest epoch not above the one asked for, and its end; -1 for both when unknown. */
export interface OffsetForLeaderEpochResponsePartition {
  errorCode: number;
  partition: number;
  leaderEpoch: number;
  endOffset: number;
}

/** The partitions of one topic. */
export interface OffsetForLeaderEpochResponseTopic {
  topic: string;
  partitions: OffsetForLeaderEpochResponsePartition[];
}

/** Where the epochs end. */
export interface OffsetForLeaderEpochResponse {
  throttleTimeMs: number;
  topics: OffsetForLeaderEpochResponseTopic[];
}

/** OffsetForLeaderEpoch (23). */
export const offsetForLeaderEpochApi: ApiDescription<
  OffsetForLeaderEpochRequest,
  OffsetForLeaderEpochResponse
> = defineApi<OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse>({
  key: 23,
  name: 'OffsetForLeaderEpoch',
  versions: [0, 4],
  flexibleFrom: 4,
  request: {
    replicaId: int32({ from: 3, default: -2 }),
    topics: array(
      struct<OffsetForLeaderEpochRequestTopic>({
        topic: string(),
        partitions: array(
          struct<OffsetForLeaderEpochRequestPartition>({
            partition: int32(),
            currentLeaderEpoch: int32({ from: 2, default: -1 }),
            leaderEpoch: int32(),
          }),
        ),
      }),
    ),
  },
  response: {
    throttleTimeMs: int32({ from: 2 }),
    topics: array(
      struct<OffsetForLeaderEpochResponseTopic>({
        topic: string(),
        partitions: array(
          struct<OffsetForLeaderEpochResponsePartition>({
            errorCode: int16(),
            partition: int32(),
            leaderEpoch: int32({ from: 1, default: -1 }),
            endOffset: int64({ default: -1 }),
          }),
        ),
      }),
    ),
  },
});
