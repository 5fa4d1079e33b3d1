import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, int64, nullable, string } from '../schema/field-builders.ts';
import { type TopicResult, topicResult } from './shared-structs.ts';

/** The offset from which the group goes on in one partition, once the transaction is committed. */
export interface TxnOffsetCommitRequestPartition {
  partitionIndex: number;
  committedOffset: number;
  committedLeaderEpoch: number;
  committedMetadata: string | null;
}

/** The offsets of one topic. */
export interface TxnOffsetCommitRequestTopic {
  name: string;
  partitions: TxnOffsetCommitRequestPartition[];
}

/** Commits offsets of a group as part of a transaction. */
export interface TxnOffsetCommitRequest {
  transactionalId: string;
  groupId: string;
  producerId: number;
  producerEpoch: number;
  /** -1: the group's generation is not to be checked. */
  generationId: number;
  memberId: string;
  groupInstanceId: string | null;
  topics: TxnOffsetCommitRequestTopic[];
}

/** What happened to each offset. */
export interface TxnOffsetCommitResponse {
  throttleTimeMs: number;
  topics: TopicResult[];
}

/** TxnOffsetCommit (28). */
export const txnOffsetCommitApi: ApiDescription<TxnOffsetCommitRequest, TxnOffsetCommitResponse> =
  defineApi<TxnOffsetCommitRequest, TxnOffsetCommitResponse>({
    key: 28,
    name: 'TxnOffsetCommit',
    versions: [0, 4],
    flexibleFrom: 3,
    request: {
      transactionalId: string(),
      groupId: string(),
      producerId: int64(),
      producerEpoch: int16(),
      generationId: int32({ from: 3, default: -1 }),
      memberId: string({ from: 3 }),
      groupInstanceId: nullable(string({ from: 3 })),
      topics: array(
        struct<TxnOffsetCommitRequestTopic>({
          name: string(),
          partitions: array(
            struct<TxnOffsetCommitRequestPartition>({
              partitionIndex: int32(),
              committedOffset: int64(),
              committedLeaderEpoch: int32({ from: 2, default: -1 }),
              committedMetadata: nullable(string()),
            }),
          ),
        }),
      ),
    },
    response: { throttleTimeMs: int32(), topics: array(topicResult) },
  });
