import { LogError } from '@logloft/log';
import {
  ErrorCode,
  type ListOffsetsRequest,
  type ListOffsetsRequestPartition,
  type ListOffsetsResponse,
  type ListOffsetsResponsePartition,
  listOffsetsApi,
} from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import { logErrorCode } from '../log-error-code.ts';
import { findOffset, isKnownTimestamp } from '../offsets/find-offset.ts';
import type { FoundOffset, RemoteOffsets } from '../offsets/remote-offsets.ts';
import { TimedLookups } from '../offsets/timed-lookups.ts';
import type { DeadlineQueue } from '../purgatory/deadline-queue.ts';
import { checkLeaderEpoch } from '../topics/leader-epoch.ts';
import type { Partition } from '../topics/partition.ts';
import { unlessGone } from './unless-gone.ts';
import { advertisedVersions } from './versions.ts';

const READ_COMMITTED = 1;

/** First version that says how long it may take (KIP-1075). */
const FIRST_TIMEOUT = 10;

/** What the handler needs. */
export interface ListOffsetsServices {
  readonly remote: RemoteOffsets;
  readonly deadlines: DeadlineQueue;
  /** `remote.list.offsets.request.timeout.ms`, read at each use. */
  readonly remoteTimeoutMs: () => number;
  findPartition(topic: string, index: number): Partition | undefined;
}

/** Finds offsets by time, over both tiers. */
export function listOffsetsHandler(services: ListOffsetsServices): Handler {
  return defineHandler({
    api: listOffsetsApi,
    versions: advertisedVersions(listOffsetsApi),
    async handle(request, { apiVersion, client }): Promise<ListOffsetsResponse | undefined> {
      const hasTimeout = apiVersion >= FIRST_TIMEOUT && request.timeoutMs > 0;
      const remote = new TimedLookups(services.remote, {
        deadlines: services.deadlines,
        timeoutMs: hasTimeout ? request.timeoutMs : services.remoteTimeoutMs(),
        gone: client.gone,
      });
      try {
        return await unlessGone(client, () => lookUpAll({ request, apiVersion, remote, services }));
      } finally {
        remote.end();
      }
    },
  });
}

async function lookUpAll(lookup: Omit<Lookup, 'topic'>): Promise<ListOffsetsResponse> {
  const { request } = lookup;
  const repeated = repeatedPartitions(request);
  const answer = (topic: string) => (wanted: ListOffsetsRequestPartition) =>
    repeated.has(`${topic}-${wanted.partitionIndex}`)
      ? failed(wanted.partitionIndex, ErrorCode.INVALID_REQUEST)
      : lookUp(wanted, { ...lookup, topic });
  const topics = request.topics.map(async ({ name, partitions }) => ({
    name,
    partitions: await Promise.all(partitions.map(answer(name))),
  }));
  return { throttleTimeMs: 0, topics: await Promise.all(topics) };
}

interface Lookup {
  readonly topic: string;
  readonly request: ListOffsetsRequest;
  readonly apiVersion: number;
  readonly remote: TimedLookups;
  readonly services: ListOffsetsServices;
}

async function lookUp(
  wanted: ListOffsetsRequestPartition,
  { topic, request, apiVersion, remote, services }: Lookup,
): Promise<ListOffsetsResponsePartition> {
  const { partitionIndex, timestamp, currentLeaderEpoch } = wanted;
  const partition = services.findPartition(topic, partitionIndex);
  if (partition === undefined) return failed(partitionIndex, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  const epochError = checkLeaderEpoch(partition, currentLeaderEpoch);
  if (epochError !== ErrorCode.NONE) return failed(partitionIndex, epochError);
  if (!isKnownTimestamp(timestamp, apiVersion)) {
    return failed(partitionIndex, ErrorCode.UNSUPPORTED_VERSION);
  }
  const limit = request.isolationLevel === READ_COMMITTED ? 'last-stable' : 'high-watermark';
  try {
    const found = await findOffset(partition, timestamp, { limit, remote });
    return foundAt(partitionIndex, found);
  } catch (error) {
    const isOverdue = remote.isOverdue && !(error instanceof LogError);
    return failed(
      partitionIndex,
      isOverdue ? ErrorCode.REQUEST_TIMED_OUT : errorCodeOf(error, remote),
    );
  }
}

/** @throws `error` itself when it is not one that a look-up can cause */
function errorCodeOf(error: unknown, remote: RemoteOffsets): number {
  const errorCode = logErrorCode(error) ?? remote.errorCodeOf(error);
  if (errorCode === undefined) throw error;
  return errorCode;
}

function foundAt(partitionIndex: number, found: FoundOffset): ListOffsetsResponsePartition {
  const { offset, timestamp, leaderEpoch } = found;
  return {
    partitionIndex,
    errorCode: ErrorCode.NONE,
    oldStyleOffsets: [],
    timestamp,
    offset,
    leaderEpoch,
  };
}

function failed(partitionIndex: number, errorCode: number): ListOffsetsResponsePartition {
  return {
    partitionIndex,
    errorCode,
    oldStyleOffsets: [],
    timestamp: -1,
    offset: -1,
    leaderEpoch: -1,
  };
}

function repeatedPartitions(request: ListOffsetsRequest): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { name, partitions } of request.topics) {
    for (const { partitionIndex } of partitions) {
      const key = `${name}-${partitionIndex}`;
      if (seen.has(key)) repeated.add(key);
      seen.add(key);
    }
  }
  return repeated;
}
