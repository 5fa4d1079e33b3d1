import type { Clock } from '@logloft/clock';
import type {
  PluginLogger,
  RemoteLogSegmentMetadata,
  TopicIdPartition,
} from '@logloft/remote-storage';
import { linkedController, raceAbort } from '../abort.ts';
import { RemoteLogError } from '../errors.ts';
import type { MetadataEventLog } from './event-log.ts';
import type { MetadataCache } from './metadata-cache.ts';
import {
  partitionOf,
  type RemoteLogMetadataEvent,
  type RemoteLogSegmentMetadataUpdate,
  type RemotePartitionDeleteMetadata,
  type RemotePartitionDeleteState,
} from './metadata-event.ts';
import { PartitionEvents, partitionKey } from './partition-events.ts';
import { metadataPartitionFor } from './partitioner.ts';
import { encodeMetadataEvent } from './serde.ts';

/** Settings of a {@link RemoteLogMetadataManager}. */
export interface MetadataManagerOptions {
  /**
   * `remote.log.metadata.consume.wait.ms`: how long an event that is stored may take to come back, in
   * ms. Default 120,000.
   */
  readonly consumeWaitMs?: number | undefined;
  /**
   * `remote.log.metadata.initialization.retry.interval.ms`: ms between attempts to read the log.
   * Default 100.
   */
  readonly retryIntervalMs?: number | undefined;
}

/** What a {@link RemoteLogMetadataManager} works with. */
export interface MetadataManagerContext {
  readonly log: MetadataEventLog;
  readonly clock: Clock;
  readonly logger: PluginLogger;
}

interface CallSignal {
  readonly signal?: AbortSignal | undefined;
}

/**
 * The catalogue of what is in the remote tier: events in a durable log, and a cache over them.
 *
 * Changes resolve when they are durable and visible to this instance's own look-ups. Look-ups answer at
 * once, from memory; as long as the events of a partition are not all read they throw
 * `LOGLOFT_RLM_NOT_READY`, which is retryable: an empty answer would make the reader believe that
 * nothing is tiered.
 */
export class RemoteLogMetadataManager implements AsyncDisposable {
  readonly #context: MetadataManagerContext;
  readonly #consumeWaitMs: number;
  readonly #retryIntervalMs: number;
  readonly #logs = new Map<number, PartitionEvents>();
  readonly #assigned = new Map<string, TopicIdPartition>();
  readonly #readyListeners = new Set<() => void>();
  #followsAll = false;
  #closed = false;

  constructor(context: MetadataManagerContext, options: MetadataManagerOptions = {}) {
    this.#context = context;
    this.#consumeWaitMs = options.consumeWaitMs ?? 120_000;
    this.#retryIntervalMs = options.retryIntervalMs ?? 100;
  }

  /** Begins to follow the events of these partitions. Those that are followed already stay so. */
  assign(partitions: Iterable<TopicIdPartition>): void {
    this.#mustBeOpen();
    for (const partition of partitions) {
      this.#assigned.set(partitionKey(partition), partition);
      this.#follow(this.#logPartitionOf(partition));
    }
  }

  /** Follows every partition of the metadata log, so that deletions left unfinished are found. */
  followAll(): void {
    this.#mustBeOpen();
    this.#followsAll = true;
    for (let at = 0; at < this.#context.log.partitionCount; at += 1) this.#follow(at);
  }

  /** Forgets these partitions. What nobody follows any more leaves memory. */
  unassign(partitions: Iterable<TopicIdPartition>): void {
    for (const partition of partitions) this.#assigned.delete(partitionKey(partition));
    if (this.#followsAll) return;
    const needed = new Set([...this.#assigned.values()].map((kept) => this.#logPartitionOf(kept)));
    for (const [at, events] of this.#logs) {
      if (needed.has(at)) continue;
      events.close();
      this.#logs.delete(at);
    }
  }

  /** Whether look-ups of this partition answer. */
  isReady(partition: TopicIdPartition): boolean {
    return this.#logs.get(this.#logPartitionOf(partition))?.ready === true;
  }

  /** Resolves when look-ups of this partition answer. */
  async whenReady(partition: TopicIdPartition, options: CallSignal = {}): Promise<void> {
    while (!this.isReady(partition)) {
      this.#mustBeOpen();
      const change = Promise.withResolvers<void>();
      this.#readyListeners.add(change.resolve);
      try {
        await raceAbort(change.promise, options.signal);
      } finally {
        this.#readyListeners.delete(change.resolve);
      }
    }
  }

  /**
   * Records that the copy of a segment begins.
   *
   * @throws RemoteLogError `LOGLOFT_RLM_INVALID_EVENT` when the state is not COPY_SEGMENT_STARTED;
   *   `LOGLOFT_RLM_METADATA_TIMEOUT` when the event did not come back in time
   */
  async addRemoteLogSegmentMetadata(
    metadata: RemoteLogSegmentMetadata,
    options: CallSignal = {},
  ): Promise<void> {
    if (metadata.state !== 'COPY_SEGMENT_STARTED') {
      throw invalidEvent(`A segment is added as COPY_SEGMENT_STARTED, not as ${metadata.state}`);
    }
    await this.#publish({ type: 'segment', metadata }, options.signal);
  }

  /**
   * Records a change of a segment that is known.
   *
   * @throws RemoteLogError as `addRemoteLogSegmentMetadata`; `LOGLOFT_RLM_INVALID_EVENT` also for a
   *   segment that is not known
   */
  async updateRemoteLogSegmentMetadata(
    update: RemoteLogSegmentMetadataUpdate,
    options: CallSignal = {},
  ): Promise<void> {
    const { topicIdPartition, id } = update.remoteLogSegmentId;
    if (update.state === 'COPY_SEGMENT_STARTED') {
      throw invalidEvent('An update never has the state COPY_SEGMENT_STARTED');
    }
    if (this.#cache(topicIdPartition).get(id) === undefined) {
      throw invalidEvent(`An update of segment ${id}, which is not known`);
    }
    await this.#publish({ type: 'segment-update', update }, options.signal);
  }

  /** Records a step in the deletion of a whole partition. @throws RemoteLogError as above */
  async putRemotePartitionDeleteMetadata(
    deletion: RemotePartitionDeleteMetadata,
    options: CallSignal = {},
  ): Promise<void> {
    await this.#publish({ type: 'partition-delete', deletion }, options.signal);
  }

  /**
   * The finished segment that holds `offset` as written in `epoch`.
   *
   * @throws RemoteLogError `LOGLOFT_RLM_NOT_READY`; so do all look-ups below
   */
  remoteLogSegmentMetadata(
    partition: TopicIdPartition,
    epoch: number,
    offset: number,
  ): RemoteLogSegmentMetadata | undefined {
    return this.#cache(partition).find(epoch, offset);
  }

  /** Highest offset (inclusive) that was ever finished in an epoch. Deletions do not lower it. */
  highestOffsetForEpoch(partition: TopicIdPartition, epoch: number): number | undefined {
    return this.#cache(partition).highestOffset(epoch);
  }

  /** All segments that are not deleted, in any order; of one epoch: ascending by start offset. */
  listRemoteLogSegments(partition: TopicIdPartition, epoch?: number): RemoteLogSegmentMetadata[] {
    return this.#cache(partition).list(epoch);
  }

  /** The next segment of an epoch at or after `offset` that may have aborted transactions. */
  nextSegmentWithTxnIndex(
    partition: TopicIdPartition,
    epoch: number,
    offset: number,
  ): RemoteLogSegmentMetadata | undefined {
    return this.#cache(partition).nextWithTxnIndex(epoch, offset);
  }

  /** A segment by its id, in whatever state. */
  segmentById(partition: TopicIdPartition, id: string): RemoteLogSegmentMetadata | undefined {
    return this.#cache(partition).get(id);
  }

  /** How far the deletion of a whole partition is; `undefined` when none was intended. */
  partitionDeleteState(partition: TopicIdPartition): RemotePartitionDeleteState | undefined {
    return this.#cache(partition).deletion?.state;
  }

  /** Deletions of whole partitions that were begun and not finished, as far as the log is read. */
  pendingPartitionDeletions(): RemotePartitionDeleteMetadata[] {
    const pending: RemotePartitionDeleteMetadata[] = [];
    for (const events of this.#logs.values()) {
      if (!events.ready) continue;
      for (const { deletion } of events.caches) {
        if (deletion !== undefined && deletion.state !== 'DELETE_PARTITION_FINISHED') {
          pending.push(deletion);
        }
      }
    }
    return pending;
  }

  /** Calls `listener` whenever more of the log has been read. @returns what ends that */
  onReady(listener: () => void): () => void {
    this.#readyListeners.add(listener);
    return () => void this.#readyListeners.delete(listener);
  }

  /** Stops following. Waiting changes reject with `LOGLOFT_RLM_CLOSED`. The event log stays open. */
  close(): Promise<void> {
    this.#closed = true;
    for (const events of this.#logs.values()) events.close();
    this.#logs.clear();
    this.#assigned.clear();
    this.#announce();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #publish(event: RemoteLogMetadataEvent, signal: AbortSignal | undefined): Promise<void> {
    const partition = partitionOf(event);
    this.#cache(partition);
    const at = this.#logPartitionOf(partition);
    const { controller, unlink } = linkedController([signal]);
    const timer = this.#context.clock.setTimer(this.#consumeWaitMs, () =>
      controller.abort(
        new RemoteLogError(
          'LOGLOFT_RLM_METADATA_TIMEOUT',
          `An event of ${partition.topic}-${partition.partition} was not stored and read back within ${this.#consumeWaitMs} ms`,
        ),
      ),
    );
    try {
      const appended = this.#context.log.append(at, encodeMetadataEvent(event), {
        signal: controller.signal,
      });
      const offset = await raceAbort(appended, controller.signal);
      await raceAbort(this.#follow(at).applied(offset), controller.signal);
    } finally {
      timer.cancel();
      unlink();
    }
  }

  #follow(at: number): PartitionEvents {
    const known = this.#logs.get(at);
    if (known !== undefined) return known;
    const { log, clock, logger } = this.#context;
    const onReady = (): void => this.#announce();
    const retryIntervalMs = this.#retryIntervalMs;
    const events = new PartitionEvents(at, { log, clock, logger, retryIntervalMs, onReady });
    this.#logs.set(at, events);
    events.start();
    return events;
  }

  #cache(partition: TopicIdPartition): MetadataCache {
    this.#mustBeOpen();
    const events = this.#logs.get(this.#logPartitionOf(partition));
    if (events?.ready === true) return events.cacheOf(partition);
    throw new RemoteLogError(
      'LOGLOFT_RLM_NOT_READY',
      `The remote log metadata of ${partition.topic}-${partition.partition} is still being read; try again`,
    );
  }

  #logPartitionOf(partition: TopicIdPartition): number {
    return metadataPartitionFor(partition, this.#context.log.partitionCount);
  }

  #announce(): void {
    for (const listener of [...this.#readyListeners]) listener();
  }

  #mustBeOpen(): void {
    if (this.#closed) {
      throw new RemoteLogError('LOGLOFT_RLM_CLOSED', 'The remote log metadata manager is closed');
    }
  }
}

function invalidEvent(message: string): RemoteLogError {
  return new RemoteLogError('LOGLOFT_RLM_INVALID_EVENT', message);
}
