import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import {
  array,
  bool,
  int8,
  int16,
  int32,
  nullable,
  string,
  uuid,
} from '../schema/field-builders.ts';

/** The brokers that shall have one partition. */
export interface CreateTopicsRequestAssignment {
  partitionIndex: number;
  brokerIds: number[];
}

/** A setting of the new topic. */
export interface CreateTopicsRequestConfig {
  name: string;
  value: string | null;
}

/** A topic to be created. */
export interface CreateTopicsRequestTopic {
  name: string;
  /** -1: the broker's default, or as `assignments` say. */
  numPartitions: number;
  /** -1: the broker's default, or as `assignments` say. */
  replicationFactor: number;
  assignments: CreateTopicsRequestAssignment[];
  configs: CreateTopicsRequestConfig[];
}

/** Creates topics, or only checks whether they could be created. */
export interface CreateTopicsRequest {
  topics: CreateTopicsRequestTopic[];
  timeoutMs: number;
  validateOnly: boolean;
}

/** A setting that a topic was created with. */
export interface CreateTopicsResponseConfig {
  name: string;
  value: string | null;
  readOnly: boolean;
  configSource: number;
  isSensitive: boolean;
}

/** What happened to one topic. */
export interface CreateTopicsResponseTopic {
  name: string;
  topicId: string;
  errorCode: number;
  errorMessage: string | null;
  topicConfigErrorCode: number;
  numPartitions: number;
  replicationFactor: number;
  configs: CreateTopicsResponseConfig[] | null;
}

/** What happened to the topics. */
export interface CreateTopicsResponse {
  throttleTimeMs: number;
  topics: CreateTopicsResponseTopic[];
}

/** CreateTopics (19). */
export const createTopicsApi: ApiDescription<CreateTopicsRequest, CreateTopicsResponse> = defineApi<
  CreateTopicsRequest,
  CreateTopicsResponse
>({
  key: 19,
  name: 'CreateTopics',
  versions: [0, 7],
  flexibleFrom: 5,
  request: {
    topics: array(
      struct<CreateTopicsRequestTopic>({
        name: string(),
        numPartitions: int32(),
        replicationFactor: int16(),
        assignments: array(
          struct<CreateTopicsRequestAssignment>({
            partitionIndex: int32(),
            brokerIds: array(int32()),
          }),
        ),
        configs: array(
          struct<CreateTopicsRequestConfig>({ name: string(), value: nullable(string()) }),
        ),
      }),
    ),
    timeoutMs: int32({ default: 60_000 }),
    validateOnly: bool({ from: 1 }),
  },
  response: {
    throttleTimeMs: int32({ from: 2 }),
    topics: array(
      struct<CreateTopicsResponseTopic>({
        name: string(),
        topicId: uuid({ from: 7 }),
        errorCode: int16(),
        errorMessage: nullable(string({ from: 1 })),
        topicConfigErrorCode: int16({ from: 5, tag: 0 }),
        numPartitions: int32({ from: 5, default: -1 }),
        replicationFactor: int16({ from: 5, default: -1 }),
        configs: nullable(
          array(
            struct<CreateTopicsResponseConfig>({
              name: string(),
              value: nullable(string()),
              readOnly: bool(),
              configSource: int8({ default: -1 }),
              isSensitive: bool(),
            }),
            { from: 5 },
          ),
        ),
      }),
    ),
  },
});
