import {
  type FetchRequest,
  type FetchRequestPartition,
  type FetchResponsePartition,
  fetchApi,
  type ListOffsetsResponsePartition,
  listOffsetsApi,
  type MetadataResponseTopic,
  metadataApi,
  type ProduceResponsePartition,
  produceApi,
  ZERO_UUID,
} from '@logloft/protocol';
import {
  BatchBuilder,
  type BatchBuilderOptions,
  BatchCursor,
  type DecodedRecord,
  type RecordInput,
  readRecords,
} from '@logloft/records';
import type { WireClient } from './wire-client.ts';

/** One batch of records with these values, at these times. */
export function batchOf(
  values: readonly (string | null)[],
  options: BatchBuilderOptions & { readonly timestamps?: readonly number[] } = {},
): Buffer {
  const { timestamps, ...builderOptions } = options;
  const builder = new BatchBuilder(builderOptions);
  values.forEach((value, index) => {
    const record: RecordInput = { timestamp: timestamps?.[index] ?? Date.now(), value };
    builder.append(record);
  });
  return builder.build();
}

/** Produces one batch; the answer of its partition. */
export async function produce(
  client: WireClient,
  topic: string,
  records: Buffer | null,
  options: { readonly partition?: number; readonly acks?: number; readonly version?: number } = {},
): Promise<ProduceResponsePartition> {
  const { partition = 0, acks = -1, version = 9 } = options;
  const response = await client.call(produceApi, version, {
    transactionalId: null,
    acks,
    timeoutMs: 1000,
    topicData: [{ name: topic, partitionData: [{ index: partition, records }] }],
  });
  const answer = response.responses[0]?.partitionResponses[0];
  if (answer === undefined) throw new Error('the answer lacks the partition');
  return answer;
}

/** A fetch of one partition by name, to be adapted. */
export function fetchRequest(
  topic: string,
  partition: Partial<FetchRequestPartition> = {},
  request: Partial<FetchRequest> = {},
): FetchRequest {
  return {
    clusterId: null,
    replicaId: -1,
    replicaState: null,
    maxWaitMs: 0,
    minBytes: 1,
    maxBytes: 50 * 1024 * 1024,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [{ topic, topicId: ZERO_UUID, partitions: [fetchPartition(partition)] }],
    forgottenTopicsData: [],
    rackId: '',
    ...request,
  };
}

/** A partition of a fetch, to be adapted. */
export function fetchPartition(
  partition: Partial<FetchRequestPartition> = {},
): FetchRequestPartition {
  return {
    partition: 0,
    currentLeaderEpoch: -1,
    fetchOffset: 0,
    lastFetchedEpoch: -1,
    logStartOffset: -1,
    partitionMaxBytes: 1024 * 1024,
    replicaDirectoryId: ZERO_UUID,
    ...partition,
  };
}

/** Fetches one partition; its answer. */
export async function fetch(
  client: WireClient,
  topic: string,
  partition: Partial<FetchRequestPartition> = {},
  request: Partial<FetchRequest> & { readonly version?: number } = {},
): Promise<FetchResponsePartition> {
  const { version = 12, ...rest } = request;
  const response = await client.call(fetchApi, version, fetchRequest(topic, partition, rest));
  const answer = response.responses[0]?.partitions[0];
  if (answer === undefined) throw new Error('the answer lacks the partition');
  return answer;
}

/** All records in the data of a fetch. */
export function recordsIn(answer: FetchResponsePartition): DecodedRecord[] {
  const { records } = answer;
  if (!Buffer.isBuffer(records)) throw new Error('expected bytes, never null');
  const cursor = new BatchCursor(records);
  const found: DecodedRecord[] = [];
  while (cursor.next()) found.push(...readRecords(records, cursor.position));
  if (cursor.tailBytes !== 0) throw new Error('a batch was cut');
  return found;
}

/** Looks an offset up by time. */
export async function listOffset(
  client: WireClient,
  topic: string,
  timestamp: number,
  options: {
    readonly partition?: number;
    readonly isolationLevel?: number;
    readonly currentLeaderEpoch?: number;
    readonly version?: number;
  } = {},
): Promise<ListOffsetsResponsePartition> {
  const { partition = 0, isolationLevel = 0, currentLeaderEpoch = -1, version = 9 } = options;
  const response = await client.call(listOffsetsApi, version, {
    replicaId: -1,
    isolationLevel,
    timeoutMs: 1000,
    topics: [
      {
        name: topic,
        partitions: [
          { partitionIndex: partition, currentLeaderEpoch, timestamp, maxNumOffsets: 1 },
        ],
      },
    ],
  });
  const answer = response.topics[0]?.partitions[0];
  if (answer === undefined) throw new Error('the answer lacks the partition');
  return answer;
}

/** Asks for one topic, by name. */
export async function topicMetadata(
  client: WireClient,
  name: string,
  options: { readonly allowAutoTopicCreation?: boolean; readonly version?: number } = {},
): Promise<MetadataResponseTopic> {
  const { allowAutoTopicCreation = true, version = 9 } = options;
  const response = await client.call(metadataApi, version, {
    topics: [{ name, topicId: ZERO_UUID }],
    allowAutoTopicCreation,
    includeClusterAuthorizedOperations: false,
    includeTopicAuthorizedOperations: false,
  });
  const topic = response.topics[0];
  if (topic === undefined) throw new Error('the answer lacks the topic');
  return topic;
}
