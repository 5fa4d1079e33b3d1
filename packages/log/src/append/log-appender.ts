// Hot path: runs for every batch. It allocates the result, and the turn's promise once; no closure,
// no BigInt, no clock call per batch. One gathered write a partition and turn.
import {
  applyLogAppendTime,
  type BatchHeader,
  createBatchHeader,
  isControl,
  lastOffsetOf,
  patchBaseOffset,
  patchLeaderEpoch,
  readBatchHeader,
} from '@logloft/records';
import { BatchTooLargeError, type LogStorageError, storageErrorOf } from '../errors.ts';
import type { LogFlusher } from '../flush/log-flusher.ts';
import type { LeaderEpoch } from '../leader-epochs.ts';
import { LogSegment } from '../log-segment.ts';
import type { LogState } from '../log-state.ts';
import type { CompletedTransaction } from '../producer/producer-state.ts';
import { readTransactionMarker } from '../producer/transaction-marker.ts';
import type { TurnMember } from '../turn-scheduler.ts';
import { AppendTurn } from './append-turn.ts';

/** Options of an append. */
export interface AppendOptions {
  /** The epoch under which this broker leads the partition. */
  readonly leaderEpoch: number;
}

/** Where a batch went. */
export interface AppendResult {
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** The broker's time where the topic asks for it, in ms; -1 where the client's time stays. */
  readonly logAppendTimeMs: number;
  readonly logStartOffset: number;
  /** The batch was in the log already; nothing was appended. */
  readonly duplicate: boolean;
  /** Settles when the batch is written, and with group commit synced. Shared by a turn's batches. */
  readonly written: Promise<void>;
}

const WRITTEN = Promise.resolve();
const MAX_RELATIVE_OFFSET = 2 ** 31 - 1;

/** Gives batches their offsets, gathers them over a turn, and writes them. */
export class LogAppender implements TurnMember {
  readonly #state: LogState;
  readonly #flusher: LogFlusher;
  readonly #header: BatchHeader = createBatchHeader();
  readonly #turn = new AppendTurn();
  /** Offset of the next batch: the log end offset, and what this turn has gathered. */
  #nextOffset: number;
  #isScheduled = false;
  /** Wall-clock ms of this turn; below 0 before its first batch. */
  #turnMs = -1;
  #segmentJitterMs = 0;
  readonly #completed: CompletedTransaction[] = [];
  /** The epochs before this turn, if it changed them. */
  #epochsBefore: readonly LeaderEpoch[] | undefined;

  constructor(state: LogState, flusher: LogFlusher) {
    this.#state = state;
    this.#flusher = flusher;
    this.#nextOffset = state.logEndOffset;
  }

  /** Appends one whole batch; see `PartitionLog.append`. */
  append(batch: Buffer, options: AppendOptions): AppendResult {
    const state = this.#state;
    if (state.refusal !== undefined) throw state.refusal;
    const header = this.#header;
    if (!readBatchHeader(batch, 0, header) || header.sizeInBytes !== batch.length) {
      throw new RangeError(`Expected exactly one whole batch in ${batch.length} bytes`);
    }
    if (batch.length > state.config.segmentBytes) throw this.#tooLarge(batch.length);
    const hasProducer = header.producerId >= 0;
    if (hasProducer) {
      const original = state.producers.check(header);
      if (original >= 0) return this.#duplicate(original);
    }
    if (this.#turnMs < 0) this.#turnMs = state.runtime.clock.now();
    const logAppendTimeMs = this.#stampTime(batch);
    this.#rollIfNeeded(batch.length);

    const baseOffset = this.#nextOffset;
    header.baseOffset = baseOffset;
    patchBaseOffset(batch, 0, baseOffset);
    patchLeaderEpoch(batch, 0, options.leaderEpoch);
    if (state.epochs.latest?.epoch !== options.leaderEpoch) {
      this.#changeEpoch(options.leaderEpoch, baseOffset);
    }
    if (hasProducer) this.#applyProducer(batch);
    const lastOffset = lastOffsetOf(header);
    this.#nextOffset = lastOffset + 1;
    this.#turn.add(batch, lastOffset, header.maxTimestamp);
    this.#schedule();
    return {
      baseOffset,
      lastOffset,
      logAppendTimeMs,
      logStartOffset: state.logStartOffset,
      duplicate: false,
      written: this.#turn.written,
    };
  }

  endTurn(): void {
    this.#isScheduled = false;
    this.flushTurn();
  }

  /** Writes what the turn gathered. Never throws: the turn's promise tells. */
  flushTurn(): void {
    if (this.#turn.isEmpty) {
      this.#turnMs = -1;
      return;
    }
    const failure = this.#write();
    if (failure !== undefined) this.#takeBack(failure);
    this.#turnMs = -1;
  }

  /**
   * Begins a new segment at the next offset, unless the active one is empty.
   *
   * @throws LogStorageError when its file cannot be made, or this turn's batches not be written
   */
  roll(): boolean {
    const state = this.#state;
    this.#flushOrThrow();
    const { active } = state;
    if (active.size === 0) return false;
    const nowMs = state.runtime.clock.now();
    let next: LogSegment;
    try {
      next = LogSegment.create({
        fs: state.runtime.fs,
        directory: state.directory,
        baseOffset: this.#nextOffset,
        createdMs: nowMs,
      });
    } catch (error) {
      throw storageErrorOf(error, 'making a segment', state.name);
    }
    active.completeIndexes();
    active.snapshotToStore = state.producers.snapshot();
    state.segments.add(next);
    state.runtime.touch(active);
    state.runtime.statistics.rolls += 1;
    this.drawJitter();
    this.#flusher.request();
    return true;
  }

  /** The log was cut or set elsewhere; nothing is gathered. */
  reset(): void {
    this.#nextOffset = this.#state.logEndOffset;
  }

  /** A new random part of `segment.jitter.ms`. */
  drawJitter(): void {
    const { config, runtime } = this.#state;
    const fraction = runtime.random.nextUint32() / 2 ** 32;
    const jitterMs = Math.min(config.segmentJitterMs, config.segmentMs);
    this.#segmentJitterMs = jitterMs > 0 ? Math.floor(jitterMs * fraction) : 0;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#state.runtime.turns.add(this);
  }

  #stampTime(batch: Buffer): number {
    if (this.#state.config.messageTimestampType !== 'LogAppendTime') return -1;
    applyLogAppendTime(batch, 0, this.#turnMs);
    this.#header.maxTimestamp = this.#turnMs;
    return this.#turnMs;
  }

  #rollIfNeeded(bytes: number): void {
    if (!this.#mustRoll(bytes)) return;
    // The indexes know this turn's batches only once they are written.
    this.#flushOrThrow();
    this.#turnMs = this.#state.runtime.clock.now();
    if (this.#mustRoll(bytes)) this.roll();
  }

  #mustRoll(bytes: number): boolean {
    const { config, active } = this.#state;
    const header = this.#header;
    const size = active.size + this.#turn.bytes;
    if (size === 0) return false;
    return (
      size > config.segmentBytes - bytes ||
      this.#waitedMs(active) > config.segmentMs - this.#segmentJitterMs ||
      this.#nextOffset + header.lastOffsetDelta - active.baseOffset > MAX_RELATIVE_OFFSET ||
      active.isIndexFull(config.segmentIndexBytes - this.#turn.buffers.length * INDEX_ENTRY_BYTES)
    );
  }

  /** Ms that the segment spans with this batch: in record time, or since its making if unknown. */
  #waitedMs(active: LogSegment): number {
    const first = active.firstTimestamp ?? this.#turn.maxTimestamps[0] ?? -1;
    const { maxTimestamp } = this.#header;
    if (first >= 0 && maxTimestamp >= 0) return maxTimestamp - first;
    return this.#turnMs - active.createdMs;
  }

  #flushOrThrow(): void {
    if (this.#turn.isEmpty) return;
    const failure = this.#write();
    if (failure === undefined) return;
    this.#takeBack(failure);
    throw failure;
  }

  #write(): LogStorageError | undefined {
    const state = this.#state;
    const turn = this.#turn;
    const { active, runtime } = state;
    active.heat.note(active.size, runtime.appendMeter);
    let position = active.size;
    try {
      active.write(turn.buffers, turn.bytes);
    } catch (error) {
      return storageErrorOf(error, 'appending to a log', state.name);
    }
    active.indexIntervalBytes = state.config.indexIntervalBytes;
    for (let i = 0; i < turn.buffers.length; i += 1) {
      const size = turn.buffers[i]?.length ?? 0;
      active.indexBatch(position, size, turn.lastOffsets[i] ?? 0, turn.maxTimestamps[i] ?? -1);
      position += size;
    }
    active.modifiedMs = this.#turnMs;
    runtime.appendMeter.bytes += turn.bytes;
    runtime.statistics.appendedBytes += turn.bytes;
    runtime.statistics.appendedBatches += turn.buffers.length;
    runtime.statistics.writes += 1;
    this.#commit();
    return undefined;
  }

  #commit(): void {
    const state = this.#state;
    state.logEndOffset = this.#nextOffset;
    state.producers.commit();
    this.#epochsBefore = undefined;
    if (this.#completed.length > 0) this.#indexAborted();
    const ended = this.#turn.end();
    if (state.config.flushMessages === 1) {
      this.#flusher.wait({ endOffset: state.logEndOffset, ...ended });
      return;
    }
    const { active } = state;
    state.raiseHighWatermark(state.logEndOffset, active, active.size);
    if (state.logEndOffset - state.recoveryPoint >= state.config.flushMessages) {
      this.#flusher.request();
    }
    ended.resolve();
    state.notify('append');
  }

  #takeBack(failure: LogStorageError): void {
    const state = this.#state;
    state.runtime.statistics.writeFailures += 1;
    this.#nextOffset = state.logEndOffset;
    state.producers.rollback(state.logEndOffset);
    if (this.#epochsBefore !== undefined) state.epochs.reset(this.#epochsBefore);
    this.#epochsBefore = undefined;
    this.#completed.length = 0;
    this.#turn.end().reject(failure);
  }

  #applyProducer(batch: Buffer): void {
    const header = this.#header;
    const { producers } = this.#state;
    const marker = isControl(header) ? readTransactionMarker(batch) : undefined;
    const completed = producers.apply(header, this.#turnMs, marker);
    if (completed !== undefined) this.#completed.push(completed);
  }

  #indexAborted(): void {
    for (const transaction of this.#completed) {
      if (transaction.aborted) this.#state.active.transactionIndex.append(transaction);
    }
    this.#completed.length = 0;
  }

  #changeEpoch(leaderEpoch: number, baseOffset: number): void {
    const { epochs } = this.#state;
    this.#epochsBefore ??= [...epochs.entries];
    epochs.assign(leaderEpoch, baseOffset);
  }

  #duplicate(baseOffset: number): AppendResult {
    const state = this.#state;
    const lastOffset = baseOffset + this.#header.lastOffsetDelta;
    state.runtime.statistics.duplicates += 1;
    return {
      baseOffset,
      lastOffset,
      logAppendTimeMs: -1,
      logStartOffset: state.logStartOffset,
      duplicate: true,
      written: this.#whenWritten(lastOffset),
    };
  }

  /** Settles as the batch does that ends at `lastOffset`. */
  #whenWritten(lastOffset: number): Promise<void> {
    const state = this.#state;
    if (lastOffset >= state.logEndOffset) return this.#turn.written;
    if (lastOffset < state.highWatermark) return WRITTEN;
    const written = new Promise<void>((resolve, reject) => {
      this.#flusher.wait({ endOffset: lastOffset + 1, resolve, reject });
    });
    // As with any other batch, nobody may be waiting.
    written.catch(() => undefined);
    return written;
  }

  #tooLarge(bytes: number): BatchTooLargeError {
    const { name, config } = this.#state;
    return new BatchTooLargeError(
      `A batch of ${bytes} bytes is larger than a segment of ${name} may be (segment.bytes, ${config.segmentBytes})`,
      { partition: name },
    );
  }
}

/** Room that each gathered batch may yet take in an index, by the larger kind of entry. */
const INDEX_ENTRY_BYTES = 12;
