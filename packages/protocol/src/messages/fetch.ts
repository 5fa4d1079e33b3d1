import type { RecordsPayload } from '../byte-writer.ts';
import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import {
  array,
  gatheredRecords,
  int8,
  int16,
  int32,
  int64,
  nullable,
  string,
  taggedStruct,
  uuid,
} from '../schema/field-builders.ts';
import {
  type LeaderIdAndEpoch,
  leaderIdAndEpoch,
  type NodeEndpoint,
  nodeEndpoint,
} from './shared-structs.ts';

/** The follower that fetches; clients leave it out. */
export interface FetchRequestReplicaState {
  replicaId: number;
  replicaEpoch: number;
}

/** From where on and how much of one partition is wanted. */
export interface FetchRequestPartition {
  partition: number;
  /** The leader epoch that the client knows; -1: not to be checked. */
  currentLeaderEpoch: number;
  fetchOffset: number;
  lastFetchedEpoch: number;
  logStartOffset: number;
  partitionMaxBytes: number;
  replicaDirectoryId: string;
}

/** A topic to fetch from: by name up to version 12, by id from version 13 on. */
export interface FetchRequestTopic {
  topic: string;
  topicId: string;
  partitions: FetchRequestPartition[];
}

/** Partitions that leave the fetch session. */
export interface FetchRequestForgottenTopic {
  topic: string;
  topicId: string;
  partitions: number[];
}

/** Asks for record batches. */
export interface FetchRequest {
  clusterId: string | null;
  /** -1 for consumers; from version 15 on in `replicaState`. */
  replicaId: number;
  replicaState: FetchRequestReplicaState | null;
  /** How long to wait for `minBytes`, in ms. */
  maxWaitMs: number;
  minBytes: number;
  maxBytes: number;
  /** 0: up to the high watermark, 1: up to the last stable offset. */
  isolationLevel: number;
  sessionId: number;
  sessionEpoch: number;
  topics: FetchRequestTopic[];
  forgottenTopicsData: FetchRequestForgottenTopic[];
  rackId: string;
}

/** Where the logs of a follower and its leader part (KIP-595). */
export interface FetchResponseDivergingEpoch {
  epoch: number;
  endOffset: number;
}

/** A snapshot that a follower has to load first; never for clients. */
export interface FetchResponseSnapshotId {
  endOffset: number;
  epoch: number;
}

/** A producer whose records from `firstOffset` on were aborted. */
export interface FetchResponseAbortedTransaction {
  producerId: number;
  firstOffset: number;
}

/** Record batches of one partition. */
export interface FetchResponsePartition {
  partitionIndex: number;
  errorCode: number;
  highWatermark: number;
  lastStableOffset: number;
  logStartOffset: number;
  divergingEpoch: FetchResponseDivergingEpoch | null;
  currentLeader: LeaderIdAndEpoch | null;
  snapshotId: FetchResponseSnapshotId | null;
  abortedTransactions: FetchResponseAbortedTransaction[] | null;
  preferredReadReplica: number;
  /**
   * Whole batches in one or several pieces; decoding gives one piece. Successful answers should have
   * empty bytes rather than null, at which some clients stumble.
   */
  records: RecordsPayload | null;
}

/** Record batches of one topic: by name up to version 12, by id from version 13 on. */
export interface FetchResponseTopic {
  topic: string;
  topicId: string;
  partitions: FetchResponsePartition[];
}

/** Record batches. Encoding refers to the batches, it does not copy them. */
export interface FetchResponse {
  throttleTimeMs: number;
  errorCode: number;
  sessionId: number;
  responses: FetchResponseTopic[];
  nodeEndpoints: NodeEndpoint[];
}

/** Fetch (1). */
export const fetchApi: ApiDescription<FetchRequest, FetchResponse> = defineApi<
  FetchRequest,
  FetchResponse
>({
  key: 1,
  name: 'Fetch',
  versions: [0, 17],
  flexibleFrom: 12,
  request: {
    clusterId: nullable(string({ from: 12, tag: 0 })),
    replicaId: int32({ to: 14, default: -1 }),
    replicaState: taggedStruct(
      struct<FetchRequestReplicaState>({
        replicaId: int32({ default: -1 }),
        replicaEpoch: int64({ default: -1 }),
      }),
      { from: 15, tag: 1 },
    ),
    maxWaitMs: int32(),
    minBytes: int32(),
    maxBytes: int32({ from: 3, default: 0x7fff_ffff }),
    isolationLevel: int8({ from: 4 }),
    sessionId: int32({ from: 7 }),
    sessionEpoch: int32({ from: 7, default: -1 }),
    topics: array(
      struct<FetchRequestTopic>({
        topic: string({ to: 12 }),
        topicId: uuid({ from: 13 }),
        partitions: array(
          struct<FetchRequestPartition>({
            partition: int32(),
            currentLeaderEpoch: int32({ from: 9, default: -1 }),
            fetchOffset: int64(),
            lastFetchedEpoch: int32({ from: 12, default: -1 }),
            logStartOffset: int64({ from: 5, default: -1 }),
            partitionMaxBytes: int32(),
            replicaDirectoryId: uuid({ from: 17, tag: 0 }),
          }),
        ),
      }),
    ),
    forgottenTopicsData: array(
      struct<FetchRequestForgottenTopic>({
        topic: string({ to: 12 }),
        topicId: uuid({ from: 13 }),
        partitions: array(int32()),
      }),
      { from: 7 },
    ),
    rackId: string({ from: 11 }),
  },
  response: {
    throttleTimeMs: int32({ from: 1 }),
    errorCode: int16({ from: 7 }),
    sessionId: int32({ from: 7 }),
    responses: array(
      struct<FetchResponseTopic>({
        topic: string({ to: 12 }),
        topicId: uuid({ from: 13 }),
        partitions: array(
          struct<FetchResponsePartition>({
            partitionIndex: int32(),
            errorCode: int16(),
            highWatermark: int64(),
            lastStableOffset: int64({ from: 4, default: -1 }),
            logStartOffset: int64({ from: 5, default: -1 }),
            divergingEpoch: taggedStruct(
              struct<FetchResponseDivergingEpoch>({
                epoch: int32({ default: -1 }),
                endOffset: int64({ default: -1 }),
              }),
              { from: 12, tag: 0 },
            ),
            currentLeader: taggedStruct(leaderIdAndEpoch, { from: 12, tag: 1 }),
            snapshotId: taggedStruct(
              struct<FetchResponseSnapshotId>({
                endOffset: int64({ default: -1 }),
                epoch: int32({ default: -1 }),
              }),
              { from: 12, tag: 2 },
            ),
            abortedTransactions: nullable(
              array(
                struct<FetchResponseAbortedTransaction>({
                  producerId: int64(),
                  firstOffset: int64(),
                }),
                { from: 4 },
              ),
            ),
            preferredReadReplica: int32({ from: 11, default: -1 }),
            records: nullable(gatheredRecords()),
          }),
        ),
      }),
    ),
    nodeEndpoints: array(nodeEndpoint, { from: 16, tag: 0 }),
  },
});
