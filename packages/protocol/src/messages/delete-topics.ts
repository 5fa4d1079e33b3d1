import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, nullable, string, uuid } from '../schema/field-builders.ts';

/** A topic to be deleted, by name or by id, from version 6 on. */
export interface DeleteTopicsRequestTopic {
  name: string | null;
  topicId: string;
}

/** Deletes topics: by name up to version 5, from version 6 on by name or id. */
export interface DeleteTopicsRequest {
  topics: DeleteTopicsRequestTopic[];
  topicNames: string[];
  timeoutMs: number;
}

/** What happened to one topic. */
export interface DeleteTopicsResponseTopic {
  name: string | null;
  topicId: string;
  errorCode: number;
  errorMessage: string | null;
}

/** What happened to the topics. */
export interface DeleteTopicsResponse {
  throttleTimeMs: number;
  responses: DeleteTopicsResponseTopic[];
}

/** DeleteTopics (20). */
export const deleteTopicsApi: ApiDescription<DeleteTopicsRequest, DeleteTopicsResponse> = defineApi<
  DeleteTopicsRequest,
  DeleteTopicsResponse
>({
  key: 20,
  name: 'DeleteTopics',
  versions: [0, 6],
  flexibleFrom: 4,
  request: {
    topics: array(struct<DeleteTopicsRequestTopic>({ name: nullable(string()), topicId: uuid() }), {
      from: 6,
    }),
    topicNames: array(string(), { to: 5 }),
    timeoutMs: int32(),
  },
  response: {
    throttleTimeMs: int32({ from: 1 }),
    responses: array(
      struct<DeleteTopicsResponseTopic>({
        name: nullable(string(), 6),
        topicId: uuid({ from: 6 }),
        errorCode: int16(),
        errorMessage: nullable(string({ from: 5 })),
      }),
    ),
  },
});
