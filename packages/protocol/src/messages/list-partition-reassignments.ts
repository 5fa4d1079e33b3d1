import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, nullable, string } from '../schema/field-builders.ts';
import { type TopicPartitionIndexes, topicPartitionIndexes } from './shared-structs.ts';

/** Asks which partitions are being moved. Null topics: all. */
export interface ListPartitionReassignmentsRequest {
  timeoutMs: number;
  topics: TopicPartitionIndexes[] | null;
}

/** A partition that is being moved. */
export interface ListPartitionReassignmentsResponsePartition {
  partitionIndex: number;
  replicas: number[];
  addingReplicas: number[];
  removingReplicas: number[];
}

/** The partitions of one topic. */
export interface ListPartitionReassignmentsResponseTopic {
  name: string;
  partitions: ListPartitionReassignmentsResponsePartition[];
}

/** The partitions that are being moved. */
export interface ListPartitionReassignmentsResponse {
  throttleTimeMs: number;
  errorCode: number;
  errorMessage: string | null;
  topics: ListPartitionReassignmentsResponseTopic[];
}

/** ListPartitionReassignments (46). */
export const listPartitionReassignmentsApi: ApiDescription<
  ListPartitionReassignmentsRequest,
  ListPartitionReassignmentsResponse
> = defineApi<ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse>({
  key: 46,
  name: 'ListPartitionReassignments',
  versions: [0, 0],
  flexibleFrom: 0,
  request: {
    timeoutMs: int32({ default: 60_000 }),
    topics: nullable(array(topicPartitionIndexes)),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: nullable(string()),
    topics: array(
      struct<ListPartitionReassignmentsResponseTopic>({
        name: string(),
        partitions: array(
          struct<ListPartitionReassignmentsResponsePartition>({
            partitionIndex: int32(),
            replicas: array(int32()),
            addingReplicas: array(int32()),
            removingReplicas: array(int32()),
          }),
        ),
      }),
    ),
  },
});
