import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, int64, nullable, string } from '../schema/field-builders.ts';
import { type TopicPartitionIndexes, topicPartitionIndexes } from './shared-structs.ts';

/** Asks which producers are active in partitions. */
export interface DescribeProducersRequest {
  topics: TopicPartitionIndexes[];
}

/** A producer of which the log knows something. */
export interface DescribeProducersResponseProducer {
  producerId: number;
  producerEpoch: number;
  lastSequence: number;
  lastTimestamp: number;
  coordinatorEpoch: number;
  /** Where its open transaction begins, or -1. */
  currentTxnStartOffset: number;
}

/** The producers of one partition. */
export interface DescribeProducersResponsePartition {
  partitionIndex: number;
  errorCode: number;
  errorMessage: string | null;
  activeProducers: DescribeProducersResponseProducer[];
}

/** The producers of one topic. */
export interface DescribeProducersResponseTopic {
  name: string;
  partitions: DescribeProducersResponsePartition[];
}

/** The producers. */
export interface DescribeProducersResponse {
  throttleTimeMs: number;
  topics: DescribeProducersResponseTopic[];
}

/** DescribeProducers (61). */
export const describeProducersApi: ApiDescription<
  DescribeProducersRequest,
  DescribeProducersResponse
> = defineApi<DescribeProducersRequest, DescribeProducersResponse>({
  key: 61,
  name: 'DescribeProducers',
  versions: [0, 0],
  flexibleFrom: 0,
  request: { topics: array(topicPartitionIndexes) },
  response: {
    throttleTimeMs: int32(),
    topics: array(
      struct<DescribeProducersResponseTopic>({
        name: string(),
        partitions: array(
          struct<DescribeProducersResponsePartition>({
            partitionIndex: int32(),
            errorCode: int16(),
            errorMessage: nullable(string()),
            activeProducers: array(
              struct<DescribeProducersResponseProducer>({
                producerId: int64(),
                producerEpoch: int32(),
                lastSequence: int32({ default: -1 }),
                lastTimestamp: int64({ default: -1 }),
                coordinatorEpoch: int32(),
                currentTxnStartOffset: int64({ default: -1 }),
              }),
            ),
          }),
        ),
      }),
    ),
  },
});
