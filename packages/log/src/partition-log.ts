import { type AppendOptions, type AppendResult, LogAppender } from './append/log-appender.ts';
import { closeSegmentFiles } from './close-segment-files.ts';
import {
  LogClosedError,
  LogCorruptError,
  LogOffsetOutOfRangeError,
  LogStorageError,
} from './errors.ts';
import { LogFlusher } from './flush/log-flusher.ts';
import type { AbortedTransaction } from './index/transaction-index.ts';
import type { EpochEnd, LeaderEpoch } from './leader-epochs.ts';
import { type LogConfig, type LogConfigInput, resolveLogConfig } from './log-config.ts';
import { planLogRetention, removeFirstSegments } from './log-retention.ts';
import { advanceLogStart } from './log-start.ts';
import type { LogChange, LogState } from './log-state.ts';
import { abortedTransactionsIn } from './read/aborted-transactions.ts';
import { LogReader } from './read/log-reader.ts';
import type { ReadLimit, ReadOptions, ReadResult } from './read/read-result.ts';
import { type TimestampedOffset, TimestampLookup } from './read/timestamp-lookup.ts';
import type { RetentionPlan } from './retention.ts';
import type { RolledSegment } from './tier/rolled-segment.ts';
import { rolledSegmentsOf } from './tier/rolled-segments.ts';
import { type StartAtOptions, startLogAt, truncateLog } from './truncation.ts';

/**
 * The log of one partition: record batches in segments, in Kafka's file formats. A `LogManager`
 * makes it.
 *
 * Appends are synchronous and gathered: all batches of a turn of the event loop become one write at
 * its end. What is written is visible from then on; with `flush.messages` = 1, from its sync on.
 */
export class PartitionLog {
  readonly #state: LogState;
  readonly #flusher: LogFlusher;
  readonly #appender: LogAppender;
  readonly #reader: LogReader;
  readonly #timestamps: TimestampLookup;

  /** @internal Made by a `LogManager`, with a state that is loaded. */
  constructor(state: LogState) {
    this.#state = state;
    this.#flusher = new LogFlusher(state);
    this.#appender = new LogAppender(state, this.#flusher);
    this.#reader = new LogReader(state);
    this.#timestamps = new TimestampLookup(state, this.#reader);
    this.#appender.drawJitter();
    // What a crashed process has written is visible: group commit promises that it is synced, too.
    const isUnsynced = state.recoveryPoint < state.logEndOffset;
    if (state.config.flushMessages === 1 && isUnsynced) this.#flusher.request();
  }

  get topic(): string {
    return this.#state.topic;
  }

  get partition(): number {
    return this.#state.partition;
  }

  /** Id of the topic: 22 characters of base64url. */
  get topicId(): string {
    return this.#state.topicId;
  }

  /** Its directory; with a memory store a name without a place. */
  get directory(): string {
    return this.#state.directory;
  }

  get config(): LogConfig {
    return this.#state.config;
  }

  /** First offset of the log over both tiers. */
  get logStartOffset(): number {
    return this.#state.logStartOffset;
  }

  /** First offset in a local segment that may be read. */
  get localLogStartOffset(): number {
    return this.#state.localLogStartOffset;
  }

  /** Offset that the next record will get; what this turn has gathered does not count yet. */
  get logEndOffset(): number {
    return this.#state.logEndOffset;
  }

  /** End (exclusive) of what consumers see: written, and with group commit synced. */
  get highWatermark(): number {
    return this.#state.highWatermark;
  }

  /** End (exclusive) of what `read_committed` consumers see, and of what may be tiered. */
  get lastStableOffset(): number {
    return this.#state.lastStableOffset;
  }

  /** Everything below it survives a power cut. */
  get recoveryPoint(): number {
    return this.#state.recoveryPoint;
  }

  /** Greatest offset known to be in the remote tier, inclusive; -1 while unknown or not tiered. */
  get highestOffsetInRemoteStorage(): number {
    return this.#state.highestOffsetInRemoteStorage;
  }

  /** Bytes of all local segments. */
  get sizeInBytes(): number {
    return this.#state.segments.sizeInBytes();
  }

  /** Base offset of the oldest local segment. */
  get firstSegmentOffset(): number {
    return this.#state.segments.first?.baseOffset ?? this.#state.logEndOffset;
  }

  /** Local segments, the active one included. */
  get segmentCount(): number {
    return this.#state.segments.count;
  }

  /** Bytes of the active segment. */
  get activeSegmentBytes(): number {
    return this.#state.active.size;
  }

  /** Idempotent producers known. */
  get producerCount(): number {
    return this.#state.producers.size;
  }

  /** The history of leaders, epochs ascending. */
  get leaderEpochs(): readonly LeaderEpoch[] {
    return this.#state.epochs.entries;
  }

  /**
   * Appends exactly one whole batch of magic 2 that `validateBatch` has found sound. Its base
   * offset, leader epoch and, where the topic asks for it, time are written into `batch`, which must
   * stay unchanged until `written` settles.
   *
   * @throws OutOfOrderSequenceError, FencedProducerEpochError by the producer's state
   * @throws BatchTooLargeError when it is larger than `segment.bytes`
   * @throws LogStorageError when a new segment cannot be begun; `written` rejects with it, for all
   *   batches of the turn, when the write fails: nothing of them is kept
   * @throws LogClosedError after `close`
   * @throws RangeError when `batch` is not one whole batch
   */
  append(batch: Buffer, options: AppendOptions): AppendResult {
    return this.#appender.append(batch, options);
  }

  /** Writes what this turn has gathered, without waiting for its end. Never throws. */
  flushTurn(): void {
    this.#appender.flushTurn();
  }

  /**
   * Finds whole batches from the one that holds `offset` on, within one segment. Release the slice
   * of the result when it is read.
   *
   * @throws LogClosedError after `close`
   * @throws LogStorageError when an index cannot be read
   */
  read(offset: number, options: ReadOptions): ReadResult {
    if (this.#state.isClosed) throw new LogClosedError(`${this.#state.name} is closed`);
    return this.#reader.read(offset, options);
  }

  /**
   * The first local record whose time is `timestamp` (ms) or later. Offsets below the local start
   * are the remote tier's to answer.
   */
  offsetForTimestamp(
    timestamp: number,
    limit: ReadLimit = 'high-watermark',
  ): Promise<TimestampedOffset | undefined> {
    return this.#timestamps.firstAtOrAfter(timestamp, limit);
  }

  /** The first of the local records with the greatest time (ListOffsets -3). */
  maxTimestampOffset(limit: ReadLimit = 'high-watermark'): Promise<TimestampedOffset | undefined> {
    return this.#timestamps.max(limit);
  }

  /** Aborted transactions that concern a read of [`from`, `upper`), by their first offset. */
  abortedTransactions(from: number, upper: number): AbortedTransaction[] {
    return abortedTransactionsIn(this.#state.segments, from, upper);
  }

  /** Where an epoch ends (OffsetForLeaderEpoch); -1 and -1 where that is unknown. */
  endOffsetForEpoch(epoch: number): EpochEnd {
    return this.#state.epochs.endOffsetFor(epoch, this.#state.logEndOffset);
  }

  /** The epoch under which an offset was appended; undefined where it is unknown. */
  epochForOffset(offset: number): number | undefined {
    return this.#state.epochs.epochFor(offset);
  }

  /** Calls `listener` after each change, once a turn; returns how to stop that. */
  subscribe(listener: (change: LogChange) => void): () => void {
    return this.#state.subscribe(listener);
  }

  /**
   * Changes settings; they count from now on. A log that leaves the remote tier forgets what was
   * copied: if it is tiered again, nothing local goes before it has been copied anew.
   *
   * @throws InvalidLogConfigError
   */
  updateConfig(config: LogConfigInput): void {
    const state = this.#state;
    state.config = resolveLogConfig(config, state.config);
    if (!state.isTiered) state.highestOffsetInRemoteStorage = -1;
    this.#appender.drawJitter();
  }

  /**
   * Raises the offset up to which (inclusive) the remote tier has everything; a lower one is ignored,
   * and so is any while the log is not tiered.
   */
  updateHighestOffsetInRemoteStorage(offset: number): void {
    const state = this.#state;
    if (!state.isTiered) return;
    state.highestOffsetInRemoteStorage = Math.max(state.highestOffsetInRemoteStorage, offset);
  }

  /**
   * Begins a new segment, unless the active one is empty.
   *
   * @throws LogStorageError when that is not possible
   */
  roll(): boolean {
    this.#checkWritable();
    return this.#appender.roll();
  }

  /** The segments before the active one, the oldest first, for whoever copies them. */
  rolledSegments(): RolledSegment[] {
    return rolledSegmentsOf(this.#state, this.#flusher);
  }

  /**
   * Moves the start of the log forward (DeleteRecords, expiry in the remote tier). Segments that lie
   * before it go with the next retention.
   *
   * @returns the start of the log
   * @throws LogOffsetOutOfRangeError when `offset` is above the high watermark
   */
  deleteRecordsBefore(offset: number): number {
    return advanceLogStart(this.#state, offset);
  }

  /**
   * Cuts everything from `offset` on off, and the batch that holds it.
   *
   * @throws LogOffsetOutOfRangeError when it is below the first local segment
   */
  async truncateTo(offset: number): Promise<void> {
    await this.#whileBlocked(() => truncateLog(this.#state, this.#flusher, offset));
  }

  /**
   * Removes everything and begins, empty, at `offset`: for a log whose earlier part is remote.
   *
   * @throws LogCorruptError when the producer snapshot is damaged; nothing is changed then
   */
  async startAt(offset: number, options: StartAtOptions = {}): Promise<void> {
    await this.#whileBlocked(() => startLogAt(this.#state, this.#flusher, offset, options));
  }

  /** What retention would do now, and why. */
  planRetention(): RetentionPlan {
    return planLogRetention(this.#state);
  }

  /**
   * Removes the local segments that have exceeded their limits, and rolls the active one if it has.
   *
   * @returns how many segments went
   * @throws LogStorageError when the active segment cannot be rolled
   */
  applyRetention(): number {
    if (this.#state.refusal !== undefined) return 0;
    let plan = this.planRetention();
    if (plan.rollActive && this.roll()) plan = this.planRetention();
    if (plan.deleteCount === 0) return 0;
    // Once its segments are gone, nothing but the checkpoint tells the epochs of what is remote.
    if (this.#state.isTiered && !this.#state.epochsAreStored) {
      this.#flusher.request();
      return 0;
    }
    removeFirstSegments(this.#state, plan.deleteCount);
    return plan.deleteCount;
  }

  /** Forgets producers that were idle for so long. */
  expireProducers(expirationMs: number): number {
    return this.#state.producers.expire(this.#state.runtime.clock.now(), expirationMs);
  }

  /**
   * Makes everything written so far survive a power cut.
   *
   * @throws LogStorageError when the file system refuses
   */
  async flush(): Promise<void> {
    this.flushTurn();
    await this.#flusher.flush();
  }

  /** Flushes in the background if `flush.ms` has passed. */
  flushIfDue(): void {
    const { config, logEndOffset, recoveryPoint, runtime } = this.#state;
    if (config.flushMs === Number.POSITIVE_INFINITY || recoveryPoint >= logEndOffset) return;
    if (runtime.clock.monotonic() - this.#flusher.lastFlushMs >= config.flushMs) {
      this.#flusher.request();
    }
  }

  /**
   * Flushes, stores what makes the next start quick, and closes the files. Idempotent.
   *
   * @throws LogStorageError when something could not be stored: the next start recovers then
   */
  async close(): Promise<void> {
    const state = this.#state;
    if (state.isClosed) return;
    this.flushTurn();
    state.isClosed = true;
    state.refusal = new LogClosedError(`${state.name} is closed`, { partition: state.name });
    state.notify('closed');
    try {
      await this.#flusher.flush();
      state.active.completeIndexes();
      await state.active.storeIndexes();
      await this.#flusher.storeProducers();
    } finally {
      await closeSegmentFiles(this.#state);
    }
  }

  /** Closes the files of a log that is to be removed; nothing more is stored. */
  async abandon(): Promise<void> {
    const state = this.#state;
    this.flushTurn();
    state.isClosed = true;
    state.refusal = new LogClosedError(`${state.name} was deleted`, { partition: state.name });
    state.notify('closed');
    await this.#flusher.exclusively(async () => undefined);
    await closeSegmentFiles(this.#state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Nothing can be appended while the log is cut: it would get offsets that are about to go. */
  async #whileBlocked(work: () => Promise<void>): Promise<void> {
    this.#checkWritable();
    this.flushTurn();
    const state = this.#state;
    const refusal = new LogStorageError(`${state.name} is being cut; try again`, {
      partition: state.name,
    });
    state.refusal = refusal;
    try {
      await work();
      if (state.refusal === refusal) state.refusal = undefined;
    } catch (error) {
      // Refused before anything was changed; after a failure half-way the log stays blocked.
      const isRefused =
        error instanceof LogOffsetOutOfRangeError || error instanceof LogCorruptError;
      if (isRefused && state.refusal === refusal) state.refusal = undefined;
      throw error;
    } finally {
      this.#reader.reset();
      this.#appender.reset();
    }
  }

  #checkWritable(): void {
    if (this.#state.refusal !== undefined) throw this.#state.refusal;
  }
}
