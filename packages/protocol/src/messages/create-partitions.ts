import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, int16, int32, nullable, string } from '../schema/field-builders.ts';

/** The brokers that shall have one new partition. */
export interface CreatePartitionsRequestAssignment {
  brokerIds: number[];
}

/** A topic and how many partitions it shall have in all. */
export interface CreatePartitionsRequestTopic {
  name: string;
  count: number;
  assignments: CreatePartitionsRequestAssignment[] | null;
}

/** Adds partitions to topics. */
export interface CreatePartitionsRequest {
  topics: CreatePartitionsRequestTopic[];
  timeoutMs: number;
  validateOnly: boolean;
}

/** What happened to one topic. */
export interface CreatePartitionsResponseResult {
  name: string;
  errorCode: number;
  errorMessage: string | null;
}

/** What happened to the topics. */
export interface CreatePartitionsResponse {
  throttleTimeMs: number;
  results: CreatePartitionsResponseResult[];
}

/** CreatePartitions (37). */
export const createPartitionsApi: ApiDescription<
  CreatePartitionsRequest,
  CreatePartitionsResponse
> = defineApi<CreatePartitionsRequest, CreatePartitionsResponse>({
  key: 37,
  name: 'CreatePartitions',
  versions: [0, 3],
  flexibleFrom: 2,
  request: {
    topics: array(
      struct<CreatePartitionsRequestTopic>({
        name: string(),
        count: int32(),
        assignments: nullable(
          array(struct<CreatePartitionsRequestAssignment>({ brokerIds: array(int32()) })),
        ),
      }),
    ),
    timeoutMs: int32(),
    validateOnly: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    results: array(
      struct<CreatePartitionsResponseResult>({
        name: string(),
        errorCode: int16(),
        errorMessage: nullable(string()),
      }),
    ),
  },
});
