import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import {
  array,
  int16,
  int32,
  int64,
  nullable,
  records,
  string,
  taggedStruct,
} from '../schema/field-builders.ts';
import {
  type LeaderIdAndEpoch,
  leaderIdAndEpoch,
  type NodeEndpoint,
  nodeEndpoint,
} from './shared-structs.ts';

/** The record batches for one partition: opaque here, a view of the frame. */
export interface ProduceRequestPartition {
  index: number;
  records: Buffer | null;
}

/** The record batches for one topic. */
export interface ProduceRequestTopic {
  name: string;
  partitionData: ProduceRequestPartition[];
}

/** Brings record batches. With `acks` 0 there is no response at all. */
export interface ProduceRequest {
  transactionalId: string | null;
  /** -1 (all in-sync replicas), 0 (none) or 1 (the leader). */
  acks: number;
  timeoutMs: number;
  topicData: ProduceRequestTopic[];
}

/** A record that made its batch be refused (KIP-467). */
export interface ProduceResponseRecordError {
  batchIndex: number;
  batchIndexErrorMessage: string | null;
}

/** What became of the batches of one partition. */
export interface ProduceResponsePartition {
  index: number;
  errorCode: number;
  /** Offset of the first record appended; -1 on error. */
  baseOffset: number;
  /** Time of the append in ms, or -1 when the topic keeps the producers' times. */
  logAppendTimeMs: number;
  logStartOffset: number;
  recordErrors: ProduceResponseRecordError[];
  errorMessage: string | null;
  /** Given when this node does not lead the partition; null: left out. */
  currentLeader: LeaderIdAndEpoch | null;
}

/** What became of the batches of one topic. */
export interface ProduceResponseTopic {
  name: string;
  partitionResponses: ProduceResponsePartition[];
}

/** What became of the batches. */
export interface ProduceResponse {
  responses: ProduceResponseTopic[];
  throttleTimeMs: number;
  nodeEndpoints: NodeEndpoint[];
}

/**
 * Produce (0). Versions 0 to 2 carry message sets of the old formats. Decoding never looks into the
 * records.
 */
export const produceApi: ApiDescription<ProduceRequest, ProduceResponse> = defineApi<
  ProduceRequest,
  ProduceResponse
>({
  key: 0,
  name: 'Produce',
  versions: [0, 11],
  flexibleFrom: 9,
  request: {
    transactionalId: nullable(string({ from: 3 })),
    acks: int16(),
    timeoutMs: int32(),
    topicData: array(
      struct<ProduceRequestTopic>({
        name: string(),
        partitionData: array(
          struct<ProduceRequestPartition>({ index: int32(), records: nullable(records()) }),
        ),
      }),
    ),
  },
  response: {
    responses: array(
      struct<ProduceResponseTopic>({
        name: string(),
        partitionResponses: array(
          struct<ProduceResponsePartition>({
            index: int32(),
            errorCode: int16(),
            baseOffset: int64(),
            logAppendTimeMs: int64({ from: 2, default: -1 }),
            logStartOffset: int64({ from: 5, default: -1 }),
            recordErrors: array(
              struct<ProduceResponseRecordError>({
                batchIndex: int32(),
                batchIndexErrorMessage: nullable(string()),
              }),
              { from: 8 },
            ),
            errorMessage: nullable(string({ from: 8 })),
            currentLeader: taggedStruct(leaderIdAndEpoch, { from: 10, tag: 0 }),
          }),
        ),
      }),
    ),
    throttleTimeMs: int32({ from: 1 }),
    nodeEndpoints: array(nodeEndpoint, { from: 10, tag: 0 }),
  },
});
