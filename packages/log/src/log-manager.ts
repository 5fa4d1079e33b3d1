import { join } from 'node:path';
import type { Clock, RandomSource, Timer } from '@logloft/clock';
import { systemRandom } from '@logloft/clock';
import { InvalidPartitionError, LogClosedError, LogError, storageErrorOf } from './errors.ts';
import { findPartitions } from './load/find-partitions.ts';
import { loadLog } from './load/log-loader.ts';
import type { RecoveryReport } from './load/recovery-report.ts';
import { LogCheckpoints } from './log-checkpoints.ts';
import { type LogConfigInput, resolveLogConfig } from './log-config.ts';
import {
  type LogManagerConfig,
  type LogManagerConfigInput,
  resolveLogManagerConfig,
} from './log-manager-config.ts';
import { type LogIdentity, type LogRuntime, LogState } from './log-state.ts';
import { LogStatistics } from './log-statistics.ts';
import { type LogLogger, silentLogger } from './logger.ts';
import { PartitionLog } from './partition-log.ts';
import {
  isTopicId,
  PARTITION_METADATA_FILE,
  printPartitionMetadata,
} from './partition-metadata.ts';
import { PartitionTrash } from './partition-trash.ts';
import { SegmentCache } from './segment-cache.ts';
import { SegmentDisposal } from './segment-disposal.ts';
import { isLegalTopicName, partitionDirectoryName } from './segment-files.ts';
import type { FileSystem } from './store/file-system.ts';
import { MemoryFileSystem } from './store/memory-file-system.ts';
import { nodeFileSystem } from './store/node-file-system.ts';
import { TurnScheduler } from './turn-scheduler.ts';
import { WorkLimiter } from './work-limiter.ts';

/** Where logs live: in a directory, or in so many bytes of memory. */
export type LogStore =
  | {
      readonly directory: string;
      /** Default: the disk. */
      readonly fileSystem?: FileSystem | undefined;
    }
  | { readonly memoryBytes: number };

/** What a `LogManager` needs of its surroundings. */
export interface LogContext {
  readonly clock: Clock;
  /** Default: the system's. */
  readonly random?: RandomSource | undefined;
  /** Default: silent. */
  readonly logger?: LogLogger | undefined;
}

const FLUSHES_AT_ONCE = 2;
const COLD_READS_AT_ONCE = 3;
const MEMORY_DIRECTORY = 'memory';

/** All partition logs of a broker, in one directory or in memory. */
export class LogManager {
  /** Plain counters, to be read at any time. */
  readonly statistics: LogStatistics = new LogStatistics();
  readonly #fs: FileSystem;
  readonly #directory: string;
  readonly #config: LogManagerConfig;
  readonly #clock: Clock;
  readonly #logger: LogLogger;
  readonly #runtime: LogRuntime;
  readonly #checkpoints: LogCheckpoints;
  readonly #trash: PartitionTrash;
  readonly #topics = new Map<string, Map<number, PartitionLog>>();
  /** Names of directories that are about to get another one. */
  readonly #deleting = new Set<string>();
  readonly #reports: RecoveryReport[] = [];
  readonly #timers = new Map<string, Timer>();
  #closing: Promise<void> | undefined;

  private constructor(store: LogStore, config: LogManagerConfig, context: LogContext) {
    const { clock } = context;
    const isMemory = 'memoryBytes' in store;
    this.#fs = isMemory
      ? new MemoryFileSystem({ limitBytes: store.memoryBytes, clock })
      : (store.fileSystem ?? nodeFileSystem);
    this.#directory = isMemory ? MEMORY_DIRECTORY : store.directory;
    this.#config = config;
    this.#clock = clock;
    this.#logger = context.logger ?? silentLogger;
    this.#checkpoints = new LogCheckpoints(this.#fs, this.#directory, this.#logger);
    this.#runtime = this.#createRuntime(context.random ?? systemRandom);
    this.#trash = new PartitionTrash(this.#directory, this.#runtime);
  }

  /**
   * Opens the logs of a directory, which is made where there is none: after a clean stop at once,
   * otherwise with a check of what follows the recovery points. Reads synchronously, and lets the
   * event loop turn between two logs.
   *
   * @throws InvalidLogConfigError for a setting out of range
   * @throws LogStorageError when the file system refuses
   */
  static async open(
    store: LogStore,
    config: LogManagerConfigInput,
    context: LogContext,
  ): Promise<LogManager> {
    const manager = new LogManager(store, resolveLogManagerConfig(config), context);
    try {
      await manager.#load();
    } catch (error) {
      await manager.#closeLogs();
      throw error instanceof LogError ? error : storageErrorOf(error, 'opening the logs');
    }
    manager.#startTimers();
    return manager;
  }

  /** What was found when the logs were opened, one report each. */
  get recoveryReports(): readonly RecoveryReport[] {
    return this.#reports;
  }

  /** The log of a partition, if there is one. */
  get(topic: string, partition: number): PartitionLog | undefined {
    return this.#topics.get(topic)?.get(partition);
  }

  /** All logs. */
  list(): PartitionLog[] {
    return [...this.#topics.values()].flatMap((partitions) => [...partitions.values()]);
  }

  /**
   * Makes the log of a partition. A directory that is there without a whole `partition.metadata` is
   * taken over with what is sound in it; one of another topic with that name is removed.
   *
   * @param topicId 22 characters of base64url
   * @throws InvalidPartitionError for a name or number that Kafka does not allow, or one in use
   * @throws LogStorageError when the file system refuses; what this made is gone then, what was there
   *   before stays
   */
  create(
    topic: string,
    partition: number,
    topicId: string,
    config: LogConfigInput = {},
  ): PartitionLog {
    if (this.#closing !== undefined) throw new LogClosedError('The log manager is closed');
    this.#checkNew(topic, partition, topicId);
    const resolved = resolveLogConfig(config, this.#config.defaults);
    const directory = join(this.#directory, partitionDirectoryName(topic, partition));
    const state = new LogState({ topic, partition, topicId, directory }, resolved, this.#runtime);
    let isNew = false;
    try {
      this.#trash.removeOther(state);
      isNew = this.#fs.statSync(directory) === undefined;
      this.#fs.makeDirectorySync(directory);
      this.#fs.writeFileSync(
        join(directory, PARTITION_METADATA_FILE),
        Buffer.from(printPartitionMetadata(topicId)),
      );
      const unknown = { isClean: false, recoveryPoint: 0, logStartOffset: undefined };
      const report = loadLog(state, unknown);
      if (report.recovered) this.#reports.push(report);
    } catch (error) {
      // What was there before is of use once the file system has recovered.
      if (isNew) this.#trash.remove(state, 0);
      throw storageErrorOf(error, `making the log of ${state.name}`, state.name);
    }
    return this.#add(state);
  }

  /**
   * Removes a partition: it is gone at once, its files after `file.delete.delay.ms`, one at a time.
   * Once this has resolved, the partition may be made again.
   *
   * @returns false when there is no such log
   * @throws LogStorageError when the checkpoints cannot be stored; the log is gone all the same
   */
  async delete(topic: string, partition: number): Promise<boolean> {
    const log = this.get(topic, partition);
    if (log === undefined) return false;
    this.#remove(topic, partition);
    const name = partitionDirectoryName(topic, partition);
    this.#deleting.add(name);
    try {
      // Nothing must be written by its path any more, which a new partition may have.
      await log.abandon();
      this.#trash.remove(log, log.config.fileDeleteDelayMs);
    } finally {
      this.#deleting.delete(name);
    }
    await this.checkpoint();
    return true;
  }

  /** Ends the turn of all logs now: what they gathered is written. */
  flushTurn(): void {
    this.#runtime.turns.flush();
  }

  /**
   * Stores recovery points and log starts; to be called when a log start must outlive a crash.
   *
   * @throws LogStorageError when the file system refuses
   */
  async checkpoint(): Promise<void> {
    await this.#checkpoints.store(this.list());
  }

  /** Applies retention to all logs and forgets idle producers; runs by itself at its interval. */
  async checkRetention(): Promise<void> {
    for (const log of this.list()) {
      if (this.#closing !== undefined) return;
      try {
        // Once local segments are gone, nothing else tells where a tiered log begins.
        if (log.config.remoteStorageEnable && !this.#checkpoints.hasLogStart(log)) {
          await this.checkpoint();
        }
        log.applyRetention();
        log.expireProducers(this.#config.producerIdExpirationMs);
      } catch (error) {
        this.#logger.warn(`Retention of ${log.topic}-${log.partition} failed`, { error });
      }
      // Renames are synchronous: others get their turn in between.
      await new Promise<void>((resolve) => {
        this.#clock.setTimer(0, resolve);
      });
    }
  }

  /**
   * Flushes and closes all logs, and leaves the mark of a clean stop if that went well. Idempotent.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #createRuntime(random: RandomSource): LogRuntime {
    const fs = this.#fs;
    const clock = this.#clock;
    const logger = this.#logger;
    const { maxOpenFiles, maxIndexBytes, hotBytes } = this.#config;
    const cache = new SegmentCache({
      maxOpenFiles,
      maxIndexBytes,
      onError: (error) => logger.warn('Closing a segment failed', { error }),
    });
    return {
      fs,
      clock,
      random,
      logger,
      turns: new TurnScheduler(clock),
      appendMeter: { bytes: 0, hotBytes },
      statistics: this.statistics,
      flushes: new WorkLimiter(FLUSHES_AT_ONCE),
      stores: new WorkLimiter(1),
      coldReads: new WorkLimiter(COLD_READS_AT_ONCE),
      disposal: new SegmentDisposal({ fs, clock, logger, statistics: this.statistics }),
      touch: (segment) => cache.touch(segment),
      checkpointRecoveryPoints: () => this.checkpoint(),
    };
  }

  async #load(): Promise<void> {
    this.#fs.makeDirectorySync(this.#directory);
    const found = findPartitions(this.#fs, this.#directory, this.#logger);
    for (const path of found.deleted) this.#runtime.disposal.disposeDirectory(path, 0);
    const isClean = this.#checkpoints.takeCleanMark();
    const stored = this.#checkpoints.load();
    for (const identity of found.partitions) {
      const { topic, partition } = identity;
      const state = this.#stateOf(identity);
      const report = loadLog(state, {
        isClean,
        recoveryPoint: stored.recoveryPoints.get(topic)?.get(partition) ?? 0,
        logStartOffset: stored.logStarts.get(topic)?.get(partition),
      });
      this.#reports.push(report);
      this.#add(state);
      if (report.recovered) {
        await new Promise<void>((resolve) => {
          this.#clock.setTimer(0, resolve);
        });
      }
    }
  }

  #stateOf(identity: LogIdentity): LogState {
    const config = resolveLogConfig(this.#config.configOf(identity.topic), this.#config.defaults);
    return new LogState(identity, config, this.#runtime);
  }

  #add(state: LogState): PartitionLog {
    const log = new PartitionLog(state);
    let partitions = this.#topics.get(state.topic);
    if (partitions === undefined) {
      partitions = new Map();
      this.#topics.set(state.topic, partitions);
    }
    partitions.set(state.partition, log);
    return log;
  }

  #remove(topic: string, partition: number): void {
    const partitions = this.#topics.get(topic);
    partitions?.delete(partition);
    if (partitions?.size === 0) this.#topics.delete(topic);
  }

  #checkNew(topic: string, partition: number, topicId: string): void {
    const name = partitionDirectoryName(topic, partition);
    if (!isLegalTopicName(topic)) {
      throw new InvalidPartitionError(
        `A topic name has 1 to 249 of the characters a-z, A-Z, 0-9, ".", "_" and "-", got ${JSON.stringify(topic)}`,
      );
    }
    if (!(Number.isInteger(partition) && partition >= 0 && partition < 2 ** 31)) {
      throw new InvalidPartitionError(`A partition is numbered from 0, got ${partition}`);
    }
    if (!isTopicId(topicId)) {
      throw new InvalidPartitionError(
        `The topic id of ${name} must be 22 characters of base64url, got ${JSON.stringify(topicId)}`,
      );
    }
    if (this.#deleting.has(name)) {
      throw new InvalidPartitionError(`${name} is being deleted; try again`, { partition: name });
    }
    if (this.get(topic, partition) !== undefined) {
      throw new InvalidPartitionError(`${name} exists already`, { partition: name });
    }
  }

  #startTimers(): void {
    const { retentionCheckIntervalMs, flushCheckIntervalMs, checkpointIntervalMs } = this.#config;
    this.#every('retention', retentionCheckIntervalMs, () => this.checkRetention());
    this.#every('checkpoint', checkpointIntervalMs, () => this.checkpoint());
    this.#every('flush', flushCheckIntervalMs, async () => {
      for (const log of this.list()) log.flushIfDue();
    });
  }

  /** Runs `work` again and again, so long after its last end. */
  #every(name: string, ms: number, work: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        this.#logger.warn(`The ${name} run failed; the next one follows`, { error });
      }
      if (this.#closing === undefined) this.#every(name, ms, work);
    };
    this.#timers.set(
      name,
      this.#clock.setTimer(ms, () => {
        run().catch(() => undefined);
      }),
    );
  }

  async #close(): Promise<void> {
    for (const timer of this.#timers.values()) timer.cancel();
    const isClean = await this.#closeLogs();
    await this.#runtime.disposal.close();
    try {
      await this.checkpoint();
      if (isClean) await this.#checkpoints.leaveCleanMark();
    } catch (error) {
      this.#logger.warn('No mark of a clean stop could be left; the next start recovers', {
        error,
      });
    }
  }

  /** Closes all; false when one could not be stored. */
  async #closeLogs(): Promise<boolean> {
    const results = await Promise.allSettled(this.list().map((log) => log.close()));
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      this.#logger.warn('A log could not be closed cleanly', { error: result.reason });
    }
    return results.every((result) => result.status === 'fulfilled');
  }
}
