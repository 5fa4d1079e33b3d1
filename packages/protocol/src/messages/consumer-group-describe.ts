import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import {
  array,
  bool,
  int16,
  int32,
  nested,
  nullable,
  string,
  uuid,
} from '../schema/field-builders.ts';
import { OPERATIONS_NOT_ASKED } from './metadata.ts';

/** Asks about groups of the consumer protocol (KIP-848). */
export interface ConsumerGroupDescribeRequest {
  groupIds: string[];
  includeAuthorizedOperations: boolean;
}

/** Partitions of a topic by its id and name. */
export interface ConsumerGroupDescribeResponseTopicPartitions {
  topicId: string;
  topicName: string;
  partitions: number[];
}

/** The partitions that a member has, or shall have. */
export interface ConsumerGroupDescribeResponseAssignment {
  topicPartitions: ConsumerGroupDescribeResponseTopicPartitions[];
}

/** A member of a group. */
export interface ConsumerGroupDescribeResponseMember {
  memberId: string;
  instanceId: string | null;
  rackId: string | null;
  memberEpoch: number;
  clientId: string;
  clientHost: string;
  subscribedTopicNames: string[];
  subscribedTopicRegex: string | null;
  assignment: ConsumerGroupDescribeResponseAssignment;
  targetAssignment: ConsumerGroupDescribeResponseAssignment;
}

/** A group. */
export interface ConsumerGroupDescribeResponseGroup {
  errorCode: number;
  errorMessage: string | null;
  groupId: string;
  groupState: string;
  groupEpoch: number;
  assignmentEpoch: number;
  assignorName: string;
  members: ConsumerGroupDescribeResponseMember[];
  authorizedOperations: number;
}

/** The groups. */
export interface ConsumerGroupDescribeResponse {
  throttleTimeMs: number;
  groups: ConsumerGroupDescribeResponseGroup[];
}

const assignment = struct<ConsumerGroupDescribeResponseAssignment>({
  topicPartitions: array(
    struct<ConsumerGroupDescribeResponseTopicPartitions>({
      topicId: uuid(),
      topicName: string(),
      partitions: array(int32()),
    }),
  ),
});

/** ConsumerGroupDescribe (69). */
export const consumerGroupDescribeApi: ApiDescription<
  ConsumerGroupDescribeRequest,
  ConsumerGroupDescribeResponse
> = defineApi<ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse>({
  key: 69,
  name: 'ConsumerGroupDescribe',
  versions: [0, 0],
  flexibleFrom: 0,
  request: {
    groupIds: array(string()),
    includeAuthorizedOperations: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    groups: array(
      struct<ConsumerGroupDescribeResponseGroup>({
        errorCode: int16(),
        errorMessage: nullable(string()),
        groupId: string(),
        groupState: string(),
        groupEpoch: int32(),
        assignmentEpoch: int32(),
        assignorName: string(),
        members: array(
          struct<ConsumerGroupDescribeResponseMember>({
            memberId: string(),
            instanceId: nullable(string()),
            rackId: nullable(string()),
            memberEpoch: int32(),
            clientId: string(),
            clientHost: string(),
            subscribedTopicNames: array(string()),
            subscribedTopicRegex: nullable(string()),
            assignment: nested(assignment),
            targetAssignment: nested(assignment),
          }),
        ),
        authorizedOperations: int32({ default: OPERATIONS_NOT_ASKED }),
      }),
    ),
  },
});
