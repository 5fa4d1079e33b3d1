import type { Clock, RandomSource } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import type { ByteLimit } from '@logloft/quota';
import type { PluginLogger, RemoteStorageManager, TopicIdPartition } from '@logloft/remote-storage';
import { RemoteLogError } from './errors.ts';
import { PartitionDeletions } from './expire/partition-deletions.ts';
import type { MetadataEventLog } from './metadata/event-log.ts';
import {
  type MetadataManagerOptions,
  RemoteLogMetadataManager,
} from './metadata/metadata-manager.ts';
import { partitionKey } from './metadata/partition-events.ts';
import { RemoteLogMetrics } from './metrics.ts';
import { type RemoteLogManagerOptions, resolveOptions } from './options.ts';
import type { PartitionLogView, TimestampAndOffset } from './partition-log-view.ts';
import { type PartitionRole, PartitionTasks } from './partition-tasks.ts';
import type { RemoteFetchRequest, RemoteFetchResult } from './read/remote-reader.ts';
import { RemoteReads } from './read/remote-reads.ts';
import type { RemoteLogStatus, RemoteQuotaStatus } from './remote-log-status.ts';
import { RemoteQuotas } from './remote-quotas.ts';
import { SlotPool } from './scheduling/slot-pool.ts';
import { SegmentsInFlight } from './segments-in-flight.ts';
import type { TieringContext } from './tiering-context.ts';

/** What a {@link RemoteLogManager} works with. It closes none of it. */
export interface RemoteLogManagerContext {
  readonly brokerId: number;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: PluginLogger;
  readonly metrics: MetricsRegistry;
  readonly store: RemoteStorageManager;
  readonly eventLog: MetadataEventLog;
}

/** Partitions whose leader this broker became, and whose follower. */
export interface LeadershipChange {
  readonly leaders?: Iterable<PartitionLogView> | undefined;
  readonly followers?: Iterable<PartitionLogView> | undefined;
}

/** How partitions are stopped. */
export interface StopPartitionsOptions {
  /** Whether everything of them is removed from the remote tier: only when the topic is deleted. */
  readonly deleteRemote?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The remote log manager of a broker: copies the segments of the partitions that it leads to a remote
 * store, expires them there, and reads them back, under the quotas of KIP-956.
 */
export class RemoteLogManager implements AsyncDisposable {
  /** The catalogue of what is in the remote tier. */
  readonly metadata: RemoteLogMetadataManager;
  readonly #context: TieringContext;
  readonly #quotas: RemoteQuotas;
  readonly #writers: SlotPool;
  readonly #expirers: SlotPool;
  readonly #reads: RemoteReads;
  readonly #deletions: PartitionDeletions;
  readonly #partitions = new Map<string, PartitionTasks>();
  readonly #closing = new AbortController();
  /** Changes of what is led, one after the other. */
  #changes: Promise<void> = Promise.resolve();
  #started = false;
  #closed: Promise<void> | undefined;

  /** @throws RemoteLogError `LOGLOFT_RLM_INVALID_OPTION`; what the quotas say of theirs */
  constructor(
    context: RemoteLogManagerContext,
    options: RemoteLogManagerOptions = {},
    metadataOptions: MetadataManagerOptions = {},
  ) {
    const { clock, logger, metrics: registry, eventLog, ...rest } = context;
    const resolved = resolveOptions(options);
    this.#quotas = new RemoteQuotas(resolved, { clock, logger, metrics: registry });
    this.#writers = new SlotPool({ size: resolved.copierThreads });
    this.#expirers = new SlotPool({ size: resolved.expirationThreads });
    this.metadata = new RemoteLogMetadataManager({ log: eventLog, clock, logger }, metadataOptions);
    this.#context = {
      ...rest,
      clock,
      logger,
      metrics: new RemoteLogMetrics(registry),
      metadata: this.metadata,
      inFlight: new SegmentsInFlight(),
      options: resolved,
      onSegmentDeleted: (segment) => this.#reads.indexes.forget([segment]),
    };
    this.#reads = new RemoteReads(this.#context, this.#quotas.read, this.#closing.signal);
    this.#deletions = new PartitionDeletions(this.#context, this.#expirers);
    this.#addGauges();
  }

  /**
   * Reads the whole catalogue, and goes on with deletions of partitions that an earlier life of this
   * broker did not finish. Without it, the catalogue is read as far as partitions need it. Further calls
   * have no effect.
   */
  start(): void {
    this.#mustBeOpen();
    if (this.#started) return;
    this.#started = true;
    this.metadata.onReady(() => this.#deletions.resume());
    this.metadata.followAll();
    this.#quotas.logWriteLimit();
  }

  /**
   * Takes partitions over. Those that this broker leads are copied and expired from now on; of those it
   * follows it learns what is copied. Logs without `remote.storage.enable` are passed over. A partition
   * that had the same role with the same log already goes on undisturbed.
   */
  onLeadershipChange(change: LeadershipChange): Promise<void> {
    return this.#serially(async () => {
      const leaders = tiered(change.leaders ?? []);
      const followers = tiered(change.followers ?? []);
      this.metadata.assign([...leaders, ...followers].map((log) => log.topicIdPartition));
      await Promise.all([
        ...followers.map((log) => this.#takeOver(log, 'follower')),
        ...leaders.map((log) => this.#takeOver(log, 'leader')),
      ]);
      this.#quotas.warnOfUnholdableLimit(this.#logs());
    });
  }

  /**
   * Lets go of partitions: what is under way for them is aborted, and has ended when this resolves.
   * With `deleteRemote` their deletion is durably intended then, and goes on in the background, over
   * restarts if need be.
   */
  async onStopPartitions(
    partitions: Iterable<TopicIdPartition>,
    options: StopPartitionsOptions = {},
  ): Promise<void> {
    const stopped = [...partitions];
    const { deleteRemote = false, signal } = options;
    await this.#serially(async () => {
      const reason = new RemoteLogError(
        'LOGLOFT_RLM_UNKNOWN_PARTITION',
        'The partition is stopped',
      );
      await Promise.all(stopped.map((partition) => this.#letGo(partition, reason)));
      if (deleteRemote) this.metadata.assign(stopped);
      else this.metadata.unassign(stopped);
    });
    if (!deleteRemote) return;
    // Not one of the changes: a catalogue that is not read yet must hold up nothing else.
    await Promise.all(stopped.map((partition) => this.#deletions.begin(partition, signal)));
  }

  /** Lets tasks of a partition run now instead of at their time, for example after a change of its settings. */
  hurry(partition: TopicIdPartition): void {
    this.#partitions.get(partitionKey(partition))?.hurry();
  }

  /**
   * Reads records from the remote tier.
   *
   * @throws RemoteLogError `LOGLOFT_RLM_UNKNOWN_PARTITION`, `LOGLOFT_RLM_CLOSED`, `LOGLOFT_RLM_OFFSET_OUT_OF_RANGE`,
   *   `LOGLOFT_RLM_READER_QUEUE_FULL`, `LOGLOFT_RLM_NOT_READY`, `LOGLOFT_RLM_CORRUPT_BATCH`,
   *   `LOGLOFT_RLM_CORRUPT_INDEX`, `LOGLOFT_RLM_STORE_TIMEOUT`; what the store throws; the reason of
   *   the signal
   */
  async fetch(
    partition: TopicIdPartition,
    request: RemoteFetchRequest,
  ): Promise<RemoteFetchResult> {
    return this.#reads.fetch(this.#tasksOf(partition).log, request);
  }

  /**
   * The first record with a timestamp at or after the given one, of what only the remote tier has.
   *
   * @returns `undefined` when there is none; the local log has to be searched then
   * @throws RemoteLogError as `fetch`
   */
  async offsetForTimestamp(
    partition: TopicIdPartition,
    timestampMs: number,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<TimestampAndOffset | undefined> {
    return this.#reads.offsetForTimestamp(this.#tasksOf(partition).log, timestampMs, options);
  }

  /**
   * The first record with the greatest timestamp, of what only the remote tier has; on a tie with the
   * local log it is the earlier one.
   *
   * @throws RemoteLogError as `fetch`
   */
  async maxTimestamp(
    partition: TopicIdPartition,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<TimestampAndOffset | undefined> {
    return this.#reads.maxTimestamp(this.#tasksOf(partition).log, options);
  }

  /**
   * How the tiering of a partition stands, segment by segment, and why what is not copied is not.
   *
   * @throws RemoteLogError `LOGLOFT_RLM_UNKNOWN_PARTITION`
   */
  status(partition: TopicIdPartition): RemoteLogStatus {
    return this.#tasksOf(partition).status;
  }

  /**
   * Whether the read quota has room now; a fetch would be answered as throttled if not. Each refusal
   * counts in the throttle times, as Kafka counts it.
   */
  get readsAllowed(): boolean {
    return this.#closing.signal.aborted || this.#quotas.readsAllowed;
  }

  /** How the quotas stand. */
  quotas(): RemoteQuotaStatus {
    return this.#quotas.status(this.#logs());
  }

  /** Partitions whose removal from the remote tier is under way. */
  pendingDeletions(): readonly TopicIdPartition[] {
    return this.#deletions.pending;
  }

  /** Changes `remote.log.manager.write.quota.default`. Copies that wait or are paced feel it at once. */
  updateWriteLimit(limit: ByteLimit): void {
    this.#quotas.write.updateLimit(limit);
    this.#quotas.warnOfUnholdableLimit(this.#logs());
  }

  /** Changes `remote.log.manager.read.quota.default`. */
  updateReadLimit(limit: ByteLimit): void {
    this.#quotas.read.updateLimit(limit);
  }

  /** Changes `remote.log.index.file.cache.total.size.bytes`. */
  updateIndexCacheBytes(maxBytes: number): void {
    const { indexCacheBytes } = resolveOptions({ indexCacheBytes: maxBytes });
    this.#reads.indexes.resize(indexCacheBytes);
  }

  /**
   * Ends all tasks and reads; what is under way is aborted and left as a crash would leave it. The
   * store and the event log stay open. Can be called again.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const reason = closedError();
    this.#closing.abort(reason);
    await this.#changes;
    const all = this.#logs().map((log) => log.topicIdPartition);
    await Promise.all(all.map((partition) => this.#letGo(partition, reason)));
    await this.#deletions.close(reason);
    await this.metadata.close();
    await this.#quotas.close();
    this.#context.metrics.close();
  }

  async #takeOver(log: PartitionLogView, role: PartitionRole): Promise<void> {
    const key = partitionKey(log.topicIdPartition);
    const known = this.#partitions.get(key);
    if (known?.role === role && known.log === log) return;
    const reason = new RemoteLogError(
      'LOGLOFT_RLM_UNKNOWN_PARTITION',
      `The partition has another log, or another role: ${role}`,
    );
    await this.#letGo(log.topicIdPartition, reason);
    if (this.#closing.signal.aborted) return;
    const tasks = new PartitionTasks(log, role, {
      context: this.#context,
      writers: this.#writers,
      expirers: this.#expirers,
      writeQuota: this.#quotas.write,
    });
    this.#partitions.set(key, tasks);
    tasks.start();
  }

  async #letGo(partition: TopicIdPartition, reason: unknown): Promise<void> {
    const key = partitionKey(partition);
    const known = this.#partitions.get(key);
    this.#partitions.delete(key);
    await known?.stop(reason);
  }

  /** Runs changes one after the other; one that fails does not keep the next from running. */
  #serially(change: () => Promise<void>): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(closedError());
    const done = this.#changes.then(change);
    this.#changes = done.catch(() => undefined);
    return done;
  }

  #tasksOf(partition: TopicIdPartition): PartitionTasks {
    this.#mustBeOpen();
    const tasks = this.#partitions.get(partitionKey(partition));
    if (tasks !== undefined) return tasks;
    throw new RemoteLogError(
      'LOGLOFT_RLM_UNKNOWN_PARTITION',
      `${partition.topic}-${partition.partition} (topic id ${partition.topicId}) is not tiered here`,
    );
  }

  #addGauges(): void {
    const { metrics } = this.#context;
    const gauge = (name: string, description: string, read: () => number): void =>
      metrics.addGauge({ name, group: 'RemoteLogManager', description }, read);
    gauge('RemoteLogManagerTasksAvgIdlePercent', 'share of copy slots that are free, 0 to 1', () =>
      idle(this.#writers),
    );
    gauge('RemoteLogReaderAvgIdlePercent', 'share of reader slots that are free, 0 to 1', () =>
      idle(this.#reads.slots),
    );
    gauge(
      'RemoteLogReaderTaskQueueSize',
      'remote reads that wait',
      () => this.#reads.slots.waiting,
    );
    gauge(
      'RemoteLogIndexCacheBytes',
      'bytes of indexes kept',
      () => this.#reads.indexes.statistics.bytes,
    );
    gauge('RemoteCopyOldestAgeMs', 'ms since the oldest copy under way began, 0 for none', () =>
      Math.max(0, ...[...this.#partitions.values()].map((tasks) => tasks.copyAgeMs)),
    );
  }

  #logs(): PartitionLogView[] {
    return [...this.#partitions.values()].map(({ log }) => log);
  }

  #mustBeOpen(): void {
    if (this.#closing.signal.aborted) throw closedError();
  }
}

function tiered(logs: Iterable<PartitionLogView>): PartitionLogView[] {
  return [...logs].filter((log) => log.config.remoteStorageEnable);
}

function idle(pool: SlotPool): number {
  return 1 - pool.busy / pool.size;
}

function closedError(): RemoteLogError {
  return new RemoteLogError('LOGLOFT_RLM_CLOSED', 'The remote log manager is closed');
}
