import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, string } from '../schema/field-builders.ts';
import { type TopicResult, topicResult } from './shared-structs.ts';

/** A partition whose committed offset shall go. */
export interface OffsetDeleteRequestPartition {
  partitionIndex: number;
}

/** The partitions of one topic. */
export interface OffsetDeleteRequestTopic {
  name: string;
  partitions: OffsetDeleteRequestPartition[];
}

/** Deletes committed offsets of a group. */
export interface OffsetDeleteRequest {
  groupId: string;
  topics: OffsetDeleteRequestTopic[];
}

/** What happened to each offset. */
export interface OffsetDeleteResponse {
  errorCode: number;
  throttleTimeMs: number;
  topics: TopicResult[];
}

/** OffsetDelete (47). */
export const offsetDeleteApi: ApiDescription<OffsetDeleteRequest, OffsetDeleteResponse> = defineApi<
  OffsetDeleteRequest,
  OffsetDeleteResponse
>({
  key: 47,
  name: 'OffsetDelete',
  versions: [0, 0],
  request: {
    groupId: string(),
    topics: array(
      struct<OffsetDeleteRequestTopic>({
        name: string(),
        partitions: array(struct<OffsetDeleteRequestPartition>({ partitionIndex: int32() })),
      }),
    ),
  },
  response: {
    errorCode: int16(),
    throttleTimeMs: int32(),
    topics: array(topicResult),
  },
});
