// Hot path: `check` and `apply` run for every batch. They allocate for a producer's first batch only.
import {
  type BatchHeader,
  isControl,
  isTransactional,
  lastOffsetOf,
  lastSequenceOf,
} from '@logloft/records';
import { FencedProducerEpochError, OutOfOrderSequenceError } from '../errors.ts';
import { NONE, ProducerEntry } from './producer-entry.ts';
import { parseProducerSnapshot, printProducerSnapshot } from './producer-snapshot.ts';
import type { TransactionMarker } from './transaction-marker.ts';

/** A transaction that a marker ended. */
export interface CompletedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
  /** Offset of the marker. */
  readonly lastOffset: number;
  readonly aborted: boolean;
  /** The last stable offset once the marker is visible. */
  readonly lastStableOffset: number;
}

/**
 * What a partition knows of the producers that write to it: enough to refuse gaps and old epochs,
 * and to answer a repeated batch with its first offset. Batches are applied when they get their
 * offsets, before they are written; {@link ProducerState.rollback} takes a turn back.
 */
export class ProducerState {
  readonly #partition: string;
  readonly #entries = new Map<number, ProducerEntry>();
  /** First offsets of the open transactions by producer, ascending: they are set in log order. */
  readonly #open = new Map<number, number>();
  /** Ended transactions whose marker lies at or above the high watermark. */
  #unreplicated: CompletedTransaction[] = [];
  #turn = 0;
  /** Entries changed in this turn, and what they were: the same index in both. */
  readonly #changed: ProducerEntry[] = [];
  readonly #saved: ProducerEntry[] = [];
  /** How many of `#changed` had an earlier state; a spare stays in `#saved` for later turns. */
  readonly #existed: boolean[] = [];

  /** @param partition for messages */
  constructor(partition: string) {
    this.#partition = partition;
  }

  /** Producers known. */
  get size(): number {
    return this.#entries.size;
  }

  /** First offset of the oldest transaction that is open or not replicated; undefined without one. */
  get firstUnstableOffset(): number | undefined {
    const unreplicated = this.#unreplicated[0]?.firstOffset;
    if (this.#open.size === 0) return unreplicated;
    const open = this.#firstOpen() ?? Number.POSITIVE_INFINITY;
    return unreplicated === undefined ? open : Math.min(open, unreplicated);
  }

  /**
   * Whether the batch may be appended.
   *
   * @returns -1 if so, or the base offset of the same batch in the log
   * @throws FencedProducerEpochError when the producer's epoch is older than the one known
   * @throws OutOfOrderSequenceError when its sequence does not follow the last one
   */
  check(header: BatchHeader): number {
    const entry = this.#entries.get(header.producerId);
    if (entry === undefined || entry.epoch === NONE) return NONE;
    if (header.producerEpoch < entry.epoch) throw this.#fenced(header, entry);
    if (isControl(header)) return NONE;
    const first = header.baseSequence;
    if (header.producerEpoch > entry.epoch) {
      if (first !== 0) throw this.#outOfOrder(header, 0);
      return NONE;
    }
    const original = entry.baseOffsetOf(first, lastSequenceOf(header));
    if (original !== NONE) return original;
    const expected = (entry.lastSequence + 1) & 0x7fffffff;
    if (first !== expected) throw this.#outOfOrder(header, expected);
    return NONE;
  }

  /**
   * Takes a batch with a producer id over, at the offsets in its header.
   *
   * @param marker what a control batch says
   * @returns the transaction that the marker ended
   */
  apply(
    header: BatchHeader,
    nowMs: number,
    marker?: TransactionMarker | undefined,
  ): CompletedTransaction | undefined {
    const entry = this.#entryToChange(header.producerId);
    entry.lastSeenMs = nowMs;
    if (header.producerEpoch > entry.epoch) {
      entry.epoch = header.producerEpoch;
      entry.clearBatches();
    }
    if (isControl(header)) {
      return marker === undefined ? undefined : this.#complete(entry, header, marker);
    }
    const lastOffset = lastOffsetOf(header);
    entry.add(lastSequenceOf(header), lastOffset, header.lastOffsetDelta, header.maxTimestamp);
    if (isTransactional(header) && entry.transactionFirstOffset === NONE) {
      entry.transactionFirstOffset = header.baseOffset;
      this.#open.set(header.producerId, header.baseOffset);
    }
    return undefined;
  }

  /** The batches applied so far are written. */
  commit(): void {
    this.#changed.length = 0;
    this.#existed.length = 0;
    this.#turn += 1;
  }

  /** The batches since the last {@link ProducerState.commit} were not written: as if never applied. */
  rollback(logEndOffset: number): void {
    for (const [index, entry] of this.#changed.entries()) {
      const saved = this.#saved[index];
      if (this.#existed[index] === true && saved !== undefined) entry.copyFrom(saved);
      else this.#entries.delete(entry.producerId);
    }
    this.#unreplicated = this.#unreplicated.filter((ended) => ended.lastOffset < logEndOffset);
    this.#rebuildOpen();
    this.commit();
  }

  /** The high watermark moved: transactions that ended below it are no longer unstable. */
  onHighWatermark(highWatermark: number): void {
    while ((this.#unreplicated[0]?.lastOffset ?? highWatermark) < highWatermark) {
      this.#unreplicated.shift();
    }
  }

  /** Forgets producers without an open transaction that were idle for `expirationMs`. */
  expire(nowMs: number, expirationMs: number): number {
    let expired = 0;
    for (const entry of this.#entries.values()) {
      const idle =
        entry.transactionFirstOffset === NONE && nowMs - entry.lastSeenMs >= expirationMs;
      if (!idle) continue;
      this.#entries.delete(entry.producerId);
      expired += 1;
    }
    return expired;
  }

  /** Kafka's `.snapshot` of the present state. */
  snapshot(): Buffer {
    return printProducerSnapshot(this.#entries.values());
  }

  /**
   * Replaces everything by a snapshot, or by nothing.
   *
   * @throws LogCorruptError when it is none; the state is then as before
   */
  load(snapshot: Buffer | undefined, nowMs: number): void {
    const entries = snapshot === undefined ? [] : parseProducerSnapshot(snapshot);
    for (const entry of entries) entry.lastSeenMs = nowMs;
    this.#replaceBy(entries);
  }

  /** Replaces everything by what another one knows, which must not be used any more. */
  adopt(other: ProducerState): void {
    this.#replaceBy([...other.#entries.values()]);
  }

  #replaceBy(entries: readonly ProducerEntry[]): void {
    this.#entries.clear();
    this.#unreplicated = [];
    for (const entry of entries) {
      // The entry may come from another state, with another count of turns.
      entry.savedInTurn = NONE;
      this.#entries.set(entry.producerId, entry);
    }
    this.#rebuildOpen();
    this.commit();
  }

  #complete(
    entry: ProducerEntry,
    header: BatchHeader,
    marker: TransactionMarker,
  ): CompletedTransaction | undefined {
    entry.coordinatorEpoch = marker.coordinatorEpoch;
    entry.lastTimestamp = header.maxTimestamp;
    const firstOffset = entry.transactionFirstOffset;
    if (firstOffset === NONE) return undefined;
    entry.transactionFirstOffset = NONE;
    this.#open.delete(entry.producerId);
    const lastOffset = lastOffsetOf(header);
    const completed: CompletedTransaction = {
      producerId: entry.producerId,
      firstOffset,
      lastOffset,
      aborted: marker.aborted,
      lastStableOffset: this.#firstOpen() ?? lastOffset + 1,
    };
    this.#unreplicated.push(completed);
    return completed;
  }

  #firstOpen(): number | undefined {
    return this.#open.values().next().value;
  }

  /** The producer's entry, its state saved if this turn has not changed it yet. */
  #entryToChange(producerId: number): ProducerEntry {
    let entry = this.#entries.get(producerId);
    const existed = entry !== undefined;
    if (entry === undefined) {
      entry = new ProducerEntry(producerId);
      this.#entries.set(producerId, entry);
    }
    if (entry.savedInTurn !== this.#turn) this.#save(entry, existed);
    return entry;
  }

  #save(entry: ProducerEntry, existed: boolean): void {
    const index = this.#changed.length;
    let saved = this.#saved[index];
    if (saved === undefined) {
      saved = new ProducerEntry(NONE);
      this.#saved.push(saved);
    }
    saved.copyFrom(entry);
    this.#changed.push(entry);
    this.#existed.push(existed);
    entry.savedInTurn = this.#turn;
  }

  #rebuildOpen(): void {
    const open = [...this.#entries.values()]
      .filter((entry) => entry.transactionFirstOffset !== NONE)
      .sort((a, b) => a.transactionFirstOffset - b.transactionFirstOffset);
    this.#open.clear();
    for (const entry of open) this.#open.set(entry.producerId, entry.transactionFirstOffset);
  }

  #fenced(header: BatchHeader, entry: ProducerEntry): FencedProducerEpochError {
    return new FencedProducerEpochError(
      `Producer ${header.producerId} wrote with epoch ${header.producerEpoch} to ${this.#partition}, where epoch ${entry.epoch} is known; it was replaced by a newer one`,
      { partition: this.#partition },
    );
  }

  #outOfOrder(header: BatchHeader, expected: number): OutOfOrderSequenceError {
    return new OutOfOrderSequenceError(
      `Producer ${header.producerId} (epoch ${header.producerEpoch}) sent sequence ${header.baseSequence} to ${this.#partition}, expected ${expected}`,
      { partition: this.#partition },
    );
  }
}
