import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int8, int16, int32, int64, string } from '../schema/field-builders.ts';

/** A partition and the time for which an offset is wanted. */
export interface ListOffsetsRequestPartition {
  partitionIndex: number;
  currentLeaderEpoch: number;
  /**
   * In ms; or -1 latest, -2 earliest, -3 largest timestamp (version 7), -4 earliest local (8), -5
   * latest tiered (9), -6 earliest not yet tiered (11).
   */
  timestamp: number;
  maxNumOffsets: number;
}

/** The partitions of one topic. */
export interface ListOffsetsRequestTopic {
  name: string;
  partitions: ListOffsetsRequestPartition[];
}

/** Asks for offsets by time. */
export interface ListOffsetsRequest {
  replicaId: number;
  isolationLevel: number;
  topics: ListOffsetsRequestTopic[];
  timeoutMs: number;
}

/** The offset found in one partition; -1 for both when there is none. */
export interface ListOffsetsResponsePartition {
  partitionIndex: number;
  errorCode: number;
  /** Version 0 only. */
  oldStyleOffsets: number[];
  timestamp: number;
  offset: number;
  leaderEpoch: number;
}

/** The offsets found in one topic. */
export interface ListOffsetsResponseTopic {
  name: string;
  partitions: ListOffsetsResponsePartition[];
}

/** Offsets by time. */
export interface ListOffsetsResponse {
  throttleTimeMs: number;
  topics: ListOffsetsResponseTopic[];
}

/** ListOffsets (2). Version 11 has the bytes of version 10 and one more special timestamp. */
export const listOffsetsApi: ApiDescription<ListOffsetsRequest, ListOffsetsResponse> = defineApi<
  ListOffsetsRequest,
  ListOffsetsResponse
>({
  key: 2,
  name: 'ListOffsets',
  versions: [0, 11],
  flexibleFrom: 6,
  request: {
    replicaId: int32(),
    isolationLevel: int8({ from: 2 }),
    topics: array(
      struct<ListOffsetsRequestTopic>({
        name: string(),
        partitions: array(
          struct<ListOffsetsRequestPartition>({
            partitionIndex: int32(),
            currentLeaderEpoch: int32({ from: 4, default: -1 }),
            timestamp: int64(),
            maxNumOffsets: int32({ to: 0, default: 1 }),
          }),
        ),
      }),
    ),
    timeoutMs: int32({ from: 10 }),
  },
  response: {
    throttleTimeMs: int32({ from: 2 }),
    topics: array(
      struct<ListOffsetsResponseTopic>({
        name: string(),
        partitions: array(
          struct<ListOffsetsResponsePartition>({
            partitionIndex: int32(),
            errorCode: int16(),
            oldStyleOffsets: array(int64(), { to: 0 }),
            timestamp: int64({ from: 1, default: -1 }),
            offset: int64({ from: 1, default: -1 }),
            leaderEpoch: int32({ from: 4, default: -1 }),
          }),
        ),
      }),
    ),
  },
});
