import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import {
  array,
  bool,
  int16,
  int32,
  nullable,
  nullableStruct,
  string,
  uuid,
} from '../schema/field-builders.ts';
import { OPERATIONS_NOT_ASKED } from './metadata.ts';

/** A topic to be described. */
export interface DescribeTopicPartitionsRequestTopic {
  name: string;
}

/** Where to go on: the first partition that the last answer did not have. */
export interface DescribeTopicPartitionsCursor {
  topicName: string;
  partitionIndex: number;
}

/** Asks about topics, a number of partitions at a time; no topics: all. */
export interface DescribeTopicPartitionsRequest {
  topics: DescribeTopicPartitionsRequestTopic[];
  responsePartitionLimit: number;
  cursor: DescribeTopicPartitionsCursor | null;
}

/** A partition and the nodes that have it. */
export interface DescribeTopicPartitionsResponsePartition {
  errorCode: number;
  partitionIndex: number;
  leaderId: number;
  leaderEpoch: number;
  replicaNodes: number[];
  isrNodes: number[];
  eligibleLeaderReplicas: number[] | null;
  lastKnownElr: number[] | null;
  offlineReplicas: number[];
}

/** A topic and its partitions. */
export interface DescribeTopicPartitionsResponseTopic {
  errorCode: number;
  name: string | null;
  topicId: string;
  isInternal: boolean;
  partitions: DescribeTopicPartitionsResponsePartition[];
  topicAuthorizedOperations: number;
}

/** The topics, and where to go on when there is more. */
export interface DescribeTopicPartitionsResponse {
  throttleTimeMs: number;
  topics: DescribeTopicPartitionsResponseTopic[];
  nextCursor: DescribeTopicPartitionsCursor | null;
}

const cursor = struct<DescribeTopicPartitionsCursor>({
  topicName: string(),
  partitionIndex: int32(),
});

/** DescribeTopicPartitions (75). */
export const describeTopicPartitionsApi: ApiDescription<
  DescribeTopicPartitionsRequest,
  DescribeTopicPartitionsResponse
> = defineApi<DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse>({
  key: 75,
  name: 'DescribeTopicPartitions',
  versions: [0, 0],
  flexibleFrom: 0,
  request: {
    topics: array(struct<DescribeTopicPartitionsRequestTopic>({ name: string() })),
    responsePartitionLimit: int32({ default: 2000 }),
    cursor: nullableStruct(cursor),
  },
  response: {
    throttleTimeMs: int32(),
    topics: array(
      struct<DescribeTopicPartitionsResponseTopic>({
        errorCode: int16(),
        name: nullable(string()),
        topicId: uuid(),
        isInternal: bool(),
        partitions: array(
          struct<DescribeTopicPartitionsResponsePartition>({
            errorCode: int16(),
            partitionIndex: int32(),
            leaderId: int32(),
            leaderEpoch: int32({ default: -1 }),
            replicaNodes: array(int32()),
            isrNodes: array(int32()),
            eligibleLeaderReplicas: nullable(array(int32())),
            lastKnownElr: nullable(array(int32())),
            offlineReplicas: array(int32()),
          }),
        ),
        topicAuthorizedOperations: int32({ default: OPERATIONS_NOT_ASKED }),
      }),
    ),
    nextCursor: nullableStruct(cursor),
  },
});
