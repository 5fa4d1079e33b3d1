import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, int64, string } from '../schema/field-builders.ts';

/** A partition and its new first offset; -1: the high watermark. */
export interface DeleteRecordsRequestPartition {
  partitionIndex: number;
  offset: number;
}

/** The partitions of one topic. */
export interface DeleteRecordsRequestTopic {
  name: string;
  partitions: DeleteRecordsRequestPartition[];
}

/** Deletes the oldest records of partitions. */
export interface DeleteRecordsRequest {
  topics: DeleteRecordsRequestTopic[];
  timeoutMs: number;
}

/** The first offset that is left in one partition; -1 on error. */
export interface DeleteRecordsResponsePartition {
  partitionIndex: number;
  lowWatermark: number;
  errorCode: number;
}

/** The partitions of one topic. */
export interface DeleteRecordsResponseTopic {
  name: string;
  partitions: DeleteRecordsResponsePartition[];
}

/** What is left. */
export interface DeleteRecordsResponse {
  throttleTimeMs: number;
  topics: DeleteRecordsResponseTopic[];
}

/** DeleteRecords (21). */
export const deleteRecordsApi: ApiDescription<DeleteRecordsRequest, DeleteRecordsResponse> =
  defineApi<DeleteRecordsRequest, DeleteRecordsResponse>({
    key: 21,
    name: 'DeleteRecords',
    versions: [0, 2],
    flexibleFrom: 2,
    request: {
      topics: array(
        struct<DeleteRecordsRequestTopic>({
          name: string(),
          partitions: array(
            struct<DeleteRecordsRequestPartition>({ partitionIndex: int32(), offset: int64() }),
          ),
        }),
      ),
      timeoutMs: int32(),
    },
    response: {
      throttleTimeMs: int32(),
      topics: array(
        struct<DeleteRecordsResponseTopic>({
          name: string(),
          partitions: array(
            struct<DeleteRecordsResponsePartition>({
              partitionIndex: int32(),
              lowWatermark: int64(),
              errorCode: int16(),
            }),
          ),
        }),
      ),
    },
  });
