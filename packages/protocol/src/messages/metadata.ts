import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, int16, int32, nullable, string, uuid } from '../schema/field-builders.ts';
import { type NodeEndpoint, nodeEndpoint } from './shared-structs.ts';

/** The value of an authorized-operations field when it was not asked for. */
export const OPERATIONS_NOT_ASKED = -2_147_483_648;

/** A topic that a client asks about, by name or, from version 12 on, by id with a null name. */
export interface MetadataRequestTopic {
  topicId: string;
  name: string | null;
}

/** Asks about the cluster and topics. Null topics: all. In version 0 an empty list means all, too. */
export interface MetadataRequest {
  topics: MetadataRequestTopic[] | null;
  allowAutoTopicCreation: boolean;
  includeClusterAuthorizedOperations: boolean;
  includeTopicAuthorizedOperations: boolean;
}

/** A partition and the nodes that have it. */
export interface MetadataResponsePartition {
  errorCode: number;
  partitionIndex: number;
  leaderId: number;
  leaderEpoch: number;
  replicaNodes: number[];
  isrNodes: number[];
  offlineReplicas: number[];
}

/** A topic and its partitions. */
export interface MetadataResponseTopic {
  errorCode: number;
  name: string | null;
  topicId: string;
  isInternal: boolean;
  partitions: MetadataResponsePartition[];
  topicAuthorizedOperations: number;
}

/** The brokers as clients reach them, and the topics asked for. */
export interface MetadataResponse {
  throttleTimeMs: number;
  brokers: NodeEndpoint[];
  clusterId: string | null;
  controllerId: number;
  topics: MetadataResponseTopic[];
  clusterAuthorizedOperations: number;
}

/** Metadata (3). */
export const metadataApi: ApiDescription<MetadataRequest, MetadataResponse> = defineApi<
  MetadataRequest,
  MetadataResponse
>({
  key: 3,
  name: 'Metadata',
  versions: [0, 12],
  flexibleFrom: 9,
  request: {
    topics: nullable(
      array(
        struct<MetadataRequestTopic>({
          topicId: uuid({ from: 10 }),
          name: nullable(string(), 10),
        }),
      ),
      1,
    ),
    allowAutoTopicCreation: bool({ from: 4, default: true }),
    includeClusterAuthorizedOperations: bool({ from: 8, to: 10 }),
    includeTopicAuthorizedOperations: bool({ from: 8 }),
  },
  response: {
    throttleTimeMs: int32({ from: 3 }),
    brokers: array(
      struct<NodeEndpoint>({ ...nodeEndpoint.fields, rack: nullable(string({ from: 1 })) }),
    ),
    clusterId: nullable(string({ from: 2 })),
    controllerId: int32({ from: 1, default: -1 }),
    topics: array(
      struct<MetadataResponseTopic>({
        errorCode: int16(),
        name: nullable(string(), 12),
        topicId: uuid({ from: 10 }),
        isInternal: bool({ from: 1 }),
        partitions: array(
          struct<MetadataResponsePartition>({
            errorCode: int16(),
            partitionIndex: int32(),
            leaderId: int32(),
            leaderEpoch: int32({ from: 7, default: -1 }),
            replicaNodes: array(int32()),
            isrNodes: array(int32()),
            offlineReplicas: array(int32(), { from: 5 }),
          }),
        ),
        topicAuthorizedOperations: int32({ from: 8, default: OPERATIONS_NOT_ASKED }),
      }),
    ),
    clusterAuthorizedOperations: int32({ from: 8, to: 10, default: OPERATIONS_NOT_ASKED }),
  },
});
