import type { Clock, RandomSource } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import { ErrorCode } from '@logloft/protocol';
import type { RemoteStorageManager } from '@logloft/remote-storage';
import {
  isRemoteLogError,
  type MetadataEventLog,
  type MetadataManagerOptions,
  type RemoteFetchResult,
  RemoteLogManager,
  type RemoteLogManagerOptions,
  type RemoteLogStatus,
} from '@logloft/rlm-core';
import type { DeletedTopic } from '../cluster/cluster-state.ts';
import type { RemoteRead, RemoteReadResult, RemoteReads } from '../fetch/remote-reads.ts';
import type { BrokerLogger } from '../logger.ts';
import type { FoundOffset, RemoteOffsets } from '../offsets/remote-offsets.ts';
import type { Partition } from '../topics/partition.ts';
import type { TopicListener } from '../topics/topic-manager.ts';
import { remoteErrorCode } from './remote-error-code.ts';
import { TieredPartitions } from './tiered-partitions.ts';

/** What the remote tier of a broker works with. */
export interface RemoteTierContext {
  readonly brokerId: number;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: BrokerLogger;
  readonly metrics: MetricsRegistry;
  readonly store: RemoteStorageManager;
  readonly eventLog: MetadataEventLog;
  /** Makes log starts outlive a crash. */
  readonly checkpoint: () => Promise<void>;
}

/** Settings of a {@link RemoteTier}. */
export interface RemoteTierOptions {
  readonly manager: RemoteLogManagerOptions;
  readonly metadata: MetadataManagerOptions;
  /** `remote.fetch.max.wait.ms`, read at each use. */
  readonly fetchMaxWaitMs: () => number;
}

/** The remote log manager, as the rest of the broker sees it. */
export class RemoteTier implements RemoteReads, RemoteOffsets, TopicListener {
  readonly manager: RemoteLogManager;
  readonly storeName: string;
  readonly #context: RemoteTierContext;
  readonly #fetchMaxWaitMs: () => number;
  readonly #partitions: TieredPartitions;

  constructor(context: RemoteTierContext, options: RemoteTierOptions) {
    this.#context = context;
    this.#fetchMaxWaitMs = options.fetchMaxWaitMs;
    this.storeName = context.store.capabilities.name;
    const { checkpoint: _, ...managerContext } = context;
    this.manager = new RemoteLogManager(managerContext, options.manager, options.metadata);
    this.#partitions = new TieredPartitions(context, this.manager);
  }

  /** Reads the catalogue, and takes up what an earlier process left unfinished. */
  start(): void {
    this.manager.start();
  }

  get maxWaitMs(): number {
    return this.#fetchMaxWaitMs();
  }

  isAllowed(): boolean {
    return this.manager.readsAllowed;
  }

  async read(request: RemoteRead): Promise<RemoteReadResult> {
    const { partition, offset, maxBytes, minOneBatch, signal } = request;
    try {
      const result = await this.manager.fetch(this.#partitions.viewOf(partition).topicIdPartition, {
        offset,
        maxBytes,
        firstBatchAlways: minOneBatch,
        signal,
      });
      return readResult(result);
    } catch (error) {
      // Nobody waits any more, or not any longer: not a failure.
      if (signal.aborted) return { kind: 'nothing-yet' };
      return this.#failedRead(error, request);
    }
  }

  async firstAtOrAfter(
    partition: Partition,
    timestamp: number,
    signal?: AbortSignal,
  ): Promise<FoundOffset | undefined> {
    const { topicIdPartition } = this.#partitions.viewOf(partition);
    const { manager } = this;
    return foundOffset(await manager.offsetForTimestamp(topicIdPartition, timestamp, { signal }));
  }

  async maxTimestamp(partition: Partition, signal?: AbortSignal): Promise<FoundOffset | undefined> {
    const { topicIdPartition } = this.#partitions.viewOf(partition);
    return foundOffset(await this.manager.maxTimestamp(topicIdPartition, { signal }));
  }

  errorCodeOf(error: unknown): number | undefined {
    return remoteErrorCode(error);
  }

  /** How the tiers of a partition stand; `undefined` when it is not tiered. */
  statusOf(partition: Partition): RemoteLogStatus | undefined {
    try {
      return this.manager.status(this.#partitions.viewOf(partition).topicIdPartition);
    } catch (error) {
      if (isRemoteLogError(error, 'LOGLOFT_RLM_UNKNOWN_PARTITION')) return undefined;
      throw error;
    }
  }

  onPartitionsLed(partitions: readonly Partition[]): void {
    this.#partitions.onPartitionsLed(partitions);
  }

  onTopicDeleted(topic: DeletedTopic, present: readonly Partition[]): Promise<void> {
    return this.#partitions.onTopicDeleted(topic, present);
  }

  async close(): Promise<void> {
    this.#partitions.close();
    await this.manager.close();
    await this.#context.store[Symbol.asyncDispose]();
  }

  #failedRead(error: unknown, { partition, offset }: RemoteRead): RemoteReadResult {
    if (isRemoteLogError(error, 'LOGLOFT_RLM_READER_QUEUE_FULL')) return { kind: 'nothing-yet' };
    const errorCode = remoteErrorCode(error) ?? ErrorCode.UNKNOWN_SERVER_ERROR;
    this.#context.logger.warn('A read from the remote tier failed', {
      topic: partition.topic,
      partition: partition.index,
      offset,
      error,
    });
    return { kind: 'error', errorCode };
  }
}

function readResult(result: RemoteFetchResult): RemoteReadResult {
  return result.throttled ? { kind: 'nothing-yet' } : { kind: 'batches', records: result.records };
}

function foundOffset(
  found:
    | { readonly offset: number; readonly timestampMs: number; readonly leaderEpoch: number }
    | undefined,
): FoundOffset | undefined {
  if (found === undefined) return undefined;
  const { offset, timestampMs, leaderEpoch } = found;
  return { offset, timestamp: timestampMs, leaderEpoch };
}
