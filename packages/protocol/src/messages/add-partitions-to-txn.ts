import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, int16, int32, int64, string } from '../schema/field-builders.ts';
import { type TopicPartitions, topicPartitions } from './shared-structs.ts';

/** A transaction and the partitions to be added, from version 4 on, which is for brokers. */
export interface AddPartitionsToTxnRequestTransaction {
  transactionalId: string;
  producerId: number;
  producerEpoch: number;
  verifyOnly: boolean;
  topics: TopicPartitions[];
}

/** Adds partitions to a transaction: up to version 3 to one, from version 4 on to a list of them. */
export interface AddPartitionsToTxnRequest {
  transactions: AddPartitionsToTxnRequestTransaction[];
  v3AndBelowTransactionalId: string;
  v3AndBelowProducerId: number;
  v3AndBelowProducerEpoch: number;
  v3AndBelowTopics: TopicPartitions[];
}

/** What happened to one partition. */
export interface AddPartitionsToTxnResponsePartition {
  partitionIndex: number;
  partitionErrorCode: number;
}

/** What happened to the partitions of one topic. */
export interface AddPartitionsToTxnResponseTopic {
  name: string;
  resultsByPartition: AddPartitionsToTxnResponsePartition[];
}

/** What happened to the partitions of one transaction. */
export interface AddPartitionsToTxnResponseTransaction {
  transactionalId: string;
  topicResults: AddPartitionsToTxnResponseTopic[];
}

/** What happened to the partitions. */
export interface AddPartitionsToTxnResponse {
  throttleTimeMs: number;
  errorCode: number;
  resultsByTransaction: AddPartitionsToTxnResponseTransaction[];
  resultsByTopicV3AndBelow: AddPartitionsToTxnResponseTopic[];
}

const topicResults = struct<AddPartitionsToTxnResponseTopic>({
  name: string(),
  resultsByPartition: array(
    struct<AddPartitionsToTxnResponsePartition>({
      partitionIndex: int32(),
      partitionErrorCode: int16(),
    }),
  ),
});

/** AddPartitionsToTxn (24). */
export const addPartitionsToTxnApi: ApiDescription<
  AddPartitionsToTxnRequest,
  AddPartitionsToTxnResponse
> = defineApi<AddPartitionsToTxnRequest, AddPartitionsToTxnResponse>({
  key: 24,
  name: 'AddPartitionsToTxn',
  versions: [0, 5],
  flexibleFrom: 3,
  request: {
    transactions: array(
      struct<AddPartitionsToTxnRequestTransaction>({
        transactionalId: string(),
        producerId: int64(),
        producerEpoch: int16(),
        verifyOnly: bool(),
        topics: array(topicPartitions),
      }),
      { from: 4 },
    ),
    v3AndBelowTransactionalId: string({ to: 3 }),
    v3AndBelowProducerId: int64({ to: 3 }),
    v3AndBelowProducerEpoch: int16({ to: 3 }),
    v3AndBelowTopics: array(topicPartitions, { to: 3 }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16({ from: 4 }),
    resultsByTransaction: array(
      struct<AddPartitionsToTxnResponseTransaction>({
        transactionalId: string(),
        topicResults: array(topicResults),
      }),
      { from: 4 },
    ),
    resultsByTopicV3AndBelow: array(topicResults, { to: 3 }),
  },
});
