import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int8, int16, int32, nullable, string } from '../schema/field-builders.ts';
import { type NamedTopicPartitions, namedTopicPartitions } from './shared-structs.ts';

/** Has leaders elected. Null partitions: all. */
export interface ElectLeadersRequest {
  /** 0: the preferred replica, 1: any, at the cost of records. */
  electionType: number;
  topicPartitions: NamedTopicPartitions[] | null;
  timeoutMs: number;
}

/** What happened to one partition. */
export interface ElectLeadersResponsePartition {
  partitionId: number;
  errorCode: number;
  errorMessage: string | null;
}

/** What happened to the partitions of one topic. */
export interface ElectLeadersResponseTopic {
  topic: string;
  partitionResult: ElectLeadersResponsePartition[];
}

/** What happened to the partitions. */
export interface ElectLeadersResponse {
  throttleTimeMs: number;
  errorCode: number;
  replicaElectionResults: ElectLeadersResponseTopic[];
}

/** ElectLeaders (43). */
export const electLeadersApi: ApiDescription<ElectLeadersRequest, ElectLeadersResponse> = defineApi<
  ElectLeadersRequest,
  ElectLeadersResponse
>({
  key: 43,
  name: 'ElectLeaders',
  versions: [0, 2],
  flexibleFrom: 2,
  request: {
    electionType: int8({ from: 1 }),
    topicPartitions: nullable(array(namedTopicPartitions)),
    timeoutMs: int32({ default: 60_000 }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16({ from: 1 }),
    replicaElectionResults: array(
      struct<ElectLeadersResponseTopic>({
        topic: string(),
        partitionResult: array(
          struct<ElectLeadersResponsePartition>({
            partitionId: int32(),
            errorCode: int16(),
            errorMessage: nullable(string()),
          }),
        ),
      }),
    ),
  },
});
