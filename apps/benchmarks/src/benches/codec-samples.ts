import {
  type ApiVersionsRequest,
  type ApiVersionsResponse,
  type FetchRequest,
  type FetchResponse,
  type MetadataRequest,
  type MetadataResponse,
  type ProduceRequest,
  type ProduceResponse,
  ZERO_UUID,
} from '@logloft/protocol';

/** Partitions of the topic in the larger messages. */
const PARTITIONS = 100;
const TOPIC = 'orders';
const TOPIC_ID = 'AAAAAAAAQACAAAAAAAAAAA';
const API_COUNT = 45;
const MAX_BYTES = 1024 * 1024;

/** What a client sends first. */
export const apiVersionsRequest: ApiVersionsRequest = {
  clientSoftwareName: 'bench',
  clientSoftwareVersion: '1.0.0',
};

/** What a broker answers to it. */
export const apiVersionsResponse: ApiVersionsResponse = {
  errorCode: 0,
  apiKeys: Array.from({ length: API_COUNT }, (_, apiKey) => ({
    apiKey,
    minVersion: 0,
    maxVersion: 9,
  })),
  throttleTimeMs: 0,
  supportedFeatures: [],
  finalizedFeaturesEpoch: -1,
  finalizedFeatures: [],
  zkMigrationReady: false,
};

/** Asks about one topic. */
export const metadataRequest: MetadataRequest = {
  topics: [{ topicId: ZERO_UUID, name: TOPIC }],
  allowAutoTopicCreation: false,
  includeClusterAuthorizedOperations: false,
  includeTopicAuthorizedOperations: false,
};

/** One broker, one topic of 100 partitions. */
export const metadataResponse: MetadataResponse = {
  throttleTimeMs: 0,
  brokers: [{ nodeId: 0, host: '127.0.0.1', port: 9092, rack: null }],
  clusterId: 'bench',
  controllerId: 0,
  topics: [
    {
      errorCode: 0,
      name: TOPIC,
      topicId: TOPIC_ID,
      isInternal: false,
      partitions: Array.from({ length: PARTITIONS }, (_, partitionIndex) => ({
        errorCode: 0,
        partitionIndex,
        leaderId: 0,
        leaderEpoch: 0,
        replicaNodes: [0],
        isrNodes: [0],
        offlineReplicas: [],
      })),
      topicAuthorizedOperations: -2_147_483_648,
    },
  ],
  clusterAuthorizedOperations: -2_147_483_648,
};

/** One batch for one partition. */
export function produceRequest(records: Buffer): ProduceRequest {
  return {
    transactionalId: null,
    acks: 1,
    timeoutMs: 30_000,
    topicData: [{ name: TOPIC, partitionData: [{ index: 0, records }] }],
  };
}

/** The answer about one partition. */
export const produceResponse: ProduceResponse = {
  responses: [
    {
      name: TOPIC,
      partitionResponses: [
        {
          index: 0,
          errorCode: 0,
          baseOffset: 123_456,
          logAppendTimeMs: -1,
          logStartOffset: 0,
          recordErrors: [],
          errorMessage: null,
          currentLeader: null,
        },
      ],
    },
  ],
  throttleTimeMs: 0,
  nodeEndpoints: [],
};

/** Asks for one partition. */
export const fetchRequest: FetchRequest = {
  clusterId: null,
  replicaId: -1,
  replicaState: null,
  maxWaitMs: 500,
  minBytes: 1,
  maxBytes: MAX_BYTES,
  isolationLevel: 0,
  sessionId: 0,
  sessionEpoch: -1,
  topics: [
    {
      topic: TOPIC,
      topicId: TOPIC_ID,
      partitions: [
        {
          partition: 0,
          currentLeaderEpoch: -1,
          fetchOffset: 123_456,
          lastFetchedEpoch: -1,
          logStartOffset: -1,
          partitionMaxBytes: MAX_BYTES,
          replicaDirectoryId: ZERO_UUID,
        },
      ],
    },
  ],
  forgottenTopicsData: [],
  rackId: '',
};

/** One partition with `records`. */
export function fetchResponse(records: Buffer): FetchResponse {
  return {
    throttleTimeMs: 0,
    errorCode: 0,
    sessionId: 0,
    responses: [
      {
        topic: TOPIC,
        topicId: TOPIC_ID,
        partitions: [
          {
            partitionIndex: 0,
            errorCode: 0,
            highWatermark: 200_000,
            lastStableOffset: 200_000,
            logStartOffset: 0,
            divergingEpoch: null,
            currentLeader: null,
            snapshotId: null,
            abortedTransactions: null,
            preferredReadReplica: -1,
            records,
          },
        ],
      },
    ],
    nodeEndpoints: [],
  };
}
