import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import {
  array,
  int16,
  int32,
  nullable,
  nullableStruct,
  string,
  uuid,
} from '../schema/field-builders.ts';

/** Partitions of a topic by its id. */
export interface ConsumerGroupHeartbeatTopicPartitions {
  topicId: string;
  partitions: number[];
}

/**
 * Joins, stays in, or leaves a group of the consumer protocol (KIP-848). What has not changed since
 * the last one is null or -1.
 */
export interface ConsumerGroupHeartbeatRequest {
  groupId: string;
  memberId: string;
  /** 0: join, -1: leave, -2: a static member leaves for a while. */
  memberEpoch: number;
  instanceId: string | null;
  rackId: string | null;
  rebalanceTimeoutMs: number;
  subscribedTopicNames: string[] | null;
  subscribedTopicRegex: string | null;
  serverAssignor: string | null;
  topicPartitions: ConsumerGroupHeartbeatTopicPartitions[] | null;
}

/** The partitions that the member shall have. */
export interface ConsumerGroupHeartbeatResponseAssignment {
  topicPartitions: ConsumerGroupHeartbeatTopicPartitions[];
}

/** What the coordinator says; null assignment: as before. */
export interface ConsumerGroupHeartbeatResponse {
  throttleTimeMs: number;
  errorCode: number;
  errorMessage: string | null;
  memberId: string | null;
  memberEpoch: number;
  heartbeatIntervalMs: number;
  assignment: ConsumerGroupHeartbeatResponseAssignment | null;
}

const topicPartitionsById = struct<ConsumerGroupHeartbeatTopicPartitions>({
  topicId: uuid(),
  partitions: array(int32()),
});

/** ConsumerGroupHeartbeat (68). */
export const consumerGroupHeartbeatApi: ApiDescription<
  ConsumerGroupHeartbeatRequest,
  ConsumerGroupHeartbeatResponse
> = defineApi<ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse>({
  key: 68,
  name: 'ConsumerGroupHeartbeat',
  versions: [0, 1],
  flexibleFrom: 0,
  request: {
    groupId: string(),
    memberId: string(),
    memberEpoch: int32(),
    instanceId: nullable(string()),
    rackId: nullable(string()),
    rebalanceTimeoutMs: int32({ default: -1 }),
    subscribedTopicNames: nullable(array(string())),
    subscribedTopicRegex: nullable(string({ from: 1 })),
    serverAssignor: nullable(string()),
    topicPartitions: nullable(array(topicPartitionsById)),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: nullable(string()),
    memberId: nullable(string()),
    memberEpoch: int32(),
    heartbeatIntervalMs: int32(),
    assignment: nullableStruct(
      struct<ConsumerGroupHeartbeatResponseAssignment>({
        topicPartitions: array(topicPartitionsById),
      }),
    ),
  },
});
