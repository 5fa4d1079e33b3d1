import {
  LogClosedError,
  type LogSlice,
  LogStorageError,
  type ReadLimit,
  type ReadResult,
} from '@logloft/log';
import type { FetchRequestPartition } from '@logloft/protocol';
import { ErrorCode } from '@logloft/protocol';
import { checkLeaderEpoch } from '../topics/leader-epoch.ts';
import type { Partition } from '../topics/partition.ts';

/** One partition of a fetch, and the partition that it asks for where there is one. */
export interface FetchTarget {
  readonly request: FetchRequestPartition;
  readonly partition: Partition | undefined;
  /** What is answered when there is no such partition. */
  readonly missingErrorCode: number;
}

/** Where the data of one partition comes from. */
export type PartitionPlan =
  | { readonly kind: 'error'; readonly errorCode: number }
  /** The client's log and ours part before its offset (KIP-595). */
  | { readonly kind: 'diverging'; readonly epoch: number; readonly endOffset: number }
  | { readonly kind: 'local'; readonly slice: LogSlice }
  /** Only in the remote tier. */
  | { readonly kind: 'remote'; readonly maxBytes: number; readonly minOneBatch: boolean }
  /** Only in the remote tier, whose read quota is exhausted: empty and without error for now. */
  | { readonly kind: 'throttled' }
  /** The response has no room left for it: nothing is read, and the client asks again. */
  | { readonly kind: 'no-room' };

/** What a fetch may carry. */
export interface FetchBounds {
  /** Most bytes of batches over all partitions. */
  readonly maxBytes: number;
  readonly limit: ReadLimit;
  /** Whether reads from the remote tier may go on now; asked at most once a plan. */
  readonly remoteReadsAllowed: () => boolean;
}

/** What a fetch would answer now. Nothing is read yet; slices have to be released. */
export interface FetchPlan {
  readonly partitions: readonly PartitionPlan[];
  /** Bytes of local batches. */
  readonly localBytes: number;
  readonly hasError: boolean;
  readonly needsRemote: boolean;
}

/**
 * Decides for each partition, in the order of the request, what it can be given within the bounds. The
 * first batch of the first partition that has data is given whole, whatever its size (KIP-74).
 */
export function planFetch(targets: readonly FetchTarget[], bounds: FetchBounds): FetchPlan {
  const planner = new Planner(bounds);
  const partitions: PartitionPlan[] = [];
  try {
    for (const target of targets) partitions.push(planner.plan(target));
  } catch (error) {
    releaseAll(partitions);
    throw error;
  }
  return {
    partitions,
    localBytes: planner.localBytes,
    hasError: planner.hasError,
    needsRemote: planner.needsRemote,
  };
}

/** Lets go of everything that a plan holds. */
export function releasePlan(plan: FetchPlan): void {
  releaseAll(plan.partitions);
}

function releaseAll(partitions: readonly PartitionPlan[]): void {
  for (const partition of partitions) {
    if (partition.kind === 'local') partition.slice.release();
  }
}

const NO_ROOM: PartitionPlan = Object.freeze({ kind: 'no-room' });

class Planner {
  localBytes = 0;
  hasError = false;
  needsRemote = false;
  readonly #bounds: FetchBounds;
  #remaining: number;
  #isFirst = true;
  #remoteAllowed: boolean | undefined;

  constructor(bounds: FetchBounds) {
    this.#bounds = bounds;
    this.#remaining = bounds.maxBytes;
  }

  plan({ request, partition, missingErrorCode }: FetchTarget): PartitionPlan {
    if (partition === undefined) return this.#error(missingErrorCode);
    const epochError = checkLeaderEpoch(partition, request.currentLeaderEpoch);
    if (epochError !== ErrorCode.NONE) return this.#error(epochError);
    const diverging = findDivergence(partition, request);
    if (diverging !== undefined) {
      this.hasError = true;
      return diverging;
    }
    return this.#read(partition, { request, missingErrorCode });
  }

  #read(
    partition: Partition,
    { request, missingErrorCode }: Omit<FetchTarget, 'partition'>,
  ): PartitionPlan {
    const maxBytes = Math.max(0, Math.min(request.partitionMaxBytes, this.#remaining));
    const minOneBatch = this.#isFirst;
    const { limit } = this.#bounds;
    const result = readLog(partition, request.fetchOffset, { maxBytes, minOneBatch, limit });
    // The topic was deleted while the request was under way.
    if (result === 'closed') return this.#error(missingErrorCode);
    if (result === 'failed') return this.#error(ErrorCode.KAFKA_STORAGE_ERROR);
    const hasRoom = maxBytes > 0 || minOneBatch;
    switch (result.kind) {
      case 'slice':
        return this.#local(result.slice, hasRoom);
      case 'out-of-range':
        return this.#error(ErrorCode.OFFSET_OUT_OF_RANGE);
      case 'below-local':
        return hasRoom ? this.#remote(maxBytes, minOneBatch) : NO_ROOM;
    }
  }

  #local(slice: LogSlice, hasRoom: boolean): PartitionPlan {
    // A cold slice is bounded by the sparse index, so that it has bytes though none may be given.
    if (!hasRoom) {
      slice.release();
      return NO_ROOM;
    }
    if (slice.sizeInBytes > 0) {
      this.#isFirst = false;
      this.#remaining -= slice.sizeInBytes;
      this.localBytes += slice.sizeInBytes;
    }
    return { kind: 'local', slice };
  }

  #remote(maxBytes: number, minOneBatch: boolean): PartitionPlan {
    this.#remoteAllowed ??= this.#bounds.remoteReadsAllowed();
    if (!this.#remoteAllowed) return { kind: 'throttled' };
    this.needsRemote = true;
    this.#isFirst = false;
    // The budget is taken as if all of it came, so that a response keeps to its size (KAFKA-19462).
    this.#remaining -= maxBytes;
    return { kind: 'remote', maxBytes, minOneBatch };
  }

  #error(errorCode: number): PartitionPlan {
    this.hasError = true;
    return { kind: 'error', errorCode };
  }
}

function findDivergence(
  partition: Partition,
  request: FetchRequestPartition,
): PartitionPlan | undefined {
  const { lastFetchedEpoch, fetchOffset } = request;
  if (lastFetchedEpoch < 0) return undefined;
  const { epoch, endOffset } = partition.log.endOffsetForEpoch(lastFetchedEpoch);
  if (epoch < 0 || (epoch === lastFetchedEpoch && fetchOffset <= endOffset)) return undefined;
  return { kind: 'diverging', epoch, endOffset };
}

function readLog(
  { log }: Partition,
  offset: number,
  options: Parameters<Partition['log']['read']>[1],
): ReadResult | 'closed' | 'failed' {
  try {
    return log.read(offset, options);
  } catch (error) {
    if (error instanceof LogClosedError) return 'closed';
    if (error instanceof LogStorageError) return 'failed';
    throw error;
  }
}
