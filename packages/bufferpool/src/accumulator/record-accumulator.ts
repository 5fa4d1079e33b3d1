import type { Clock } from '@logloft/clock';
import { type AllocateOptions, checkedBlockMs } from '../allocate-options.ts';
import { checkSize, tooManyWaitersError } from '../refusals.ts';
import { AccumulatorError } from './accumulator-error.ts';
import {
  type BatchMemory,
  backoffMs,
  type RecordAccumulatorContext,
  type RecordAccumulatorOptions,
  type ResolvedAccumulatorOptions,
  resolveAccumulatorOptions,
} from './accumulator-options.ts';
import type { AccumulatorStats, ReadyReport } from './accumulator-stats.ts';
import { abortedError, closedError, tooOldError } from './give-up-errors.ts';
import { PartitionQueue, type ReadyRules } from './partition-queue.ts';
import { PendingAppend } from './pending-append.ts';
import { ReadySignal } from './ready-signal.ts';
import { AccumulatingBatch, type RecordBatch } from './record-batch.ts';
import { unlessAborted, type WaitOptions } from './unless-aborted.ts';
import { WaitingAppends } from './waiting-appends.ts';

/**
 * Gathers records into batches, one queue a partition, in the bounded memory of a pool, until a
 * sender takes them: `RecordAccumulator` of Kafka's producer, for any kind of record.
 *
 * A batch takes a buffer of the batch size from the pool, or one of its own size when its first
 * record is larger. It is ready when it is full, has lingered, is retried, or when memory is short;
 * {@link RecordAccumulator.drain} takes ready batches, and whoever took one ends it by `complete`,
 * `fail` or `retry`. Its memory goes back only then: never while a sender may still read it.
 *
 * Records of one partition keep the order in which they were appended, also while they wait for
 * memory, provided that the pool serves in the order of arrival.
 */
export class RecordAccumulator<R, P = string> {
  readonly #options: ResolvedAccumulatorOptions<R>;
  readonly #pool: BatchMemory;
  readonly #clock: Clock;
  readonly #totalBytes: number;
  /** In the order of their turns: a partition goes to the end when a batch of it is taken. */
  readonly #partitions = new Map<P, PartitionQueue<R, P>>();
  readonly #unsettled = new Set<AccumulatingBatch<R, P>>();
  readonly #inFlight = new Set<AccumulatingBatch<R, P>>();
  readonly #ready: ReadySignal;
  readonly #waiting: WaitingAppends<R, P>;
  #flushes = 0;
  #closed = false;

  /** @throws {@link AccumulatorError} `LOGLOFT_ACCUMULATOR_INVALID_OPTIONS` */
  constructor(options: RecordAccumulatorOptions<R>, context: RecordAccumulatorContext) {
    this.#pool = context.pool;
    this.#clock = context.clock;
    this.#options = resolveAccumulatorOptions(options, context.pool);
    this.#totalBytes = context.pool.stats().totalBytes;
    this.#ready = new ReadySignal(context.clock);
    this.#waiting = new WaitingAppends({
      pool: context.pool,
      clock: context.clock,
      batchBytes: this.#options.batchBytes,
      openBatch: (queue, buffer, first) => this.#openBatch(queue, buffer, first),
      batchClosed: (queue) => this.#noteDue(queue),
      queueIdle: (queue) => this.#forgetIfEmpty(queue),
    });
  }

  /**
   * Adds `record` to the batch that is open for `partition`, or to a new one, as soon as there is
   * memory. Resolves with the batch: its `settled()` tells when it was delivered.
   *
   * @returns a promise that rejects with the reason of the signal, with what `write` throws, with an
   *   {@link AccumulatorError} (`LOGLOFT_ACCUMULATOR_CLOSED`, also when it is closed meanwhile,
   *   `…_ABORTED`, `…_INVALID_RECORD`), or with an error of the pool: `LOGLOFT_POOL_EXHAUSTED`,
   *   `…_TOO_LARGE`, `…_TOO_MANY_WAITERS`, `…_CLOSED`, `…_CREATION_FAILED`, `…_INVALID_OPTIONS`
   */
  append(partition: P, record: R, options: AllocateOptions = {}): Promise<RecordBatch<R, P>> {
    try {
      const maxBlockMs = checkedBlockMs(options.maxBlockMs);
      options.signal?.throwIfAborted();
      const bytes = this.#checkedBytes(record);
      const batch = this.#appendNow(partition, record, bytes);
      if (batch !== undefined) return Promise.resolve(batch);
      if (maxBlockMs <= 0) throw this.#waiting.exhaustedError(bytes, maxBlockMs);
      const how = { maxBlockMs, nowMs: this.#clock.monotonic(), signal: options.signal };
      return this.#wait(new PendingAppend({ partition, record, bytes }, how));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * The same at once, or `undefined` when one would have to wait. No promise and no object a record.
   *
   * @throws as {@link RecordAccumulator.append} rejects
   */
  tryAppend(partition: P, record: R): RecordBatch<R, P> | undefined {
    return this.#appendNow(partition, record, this.#checkedBytes(record));
  }

  /** Which partitions may be drained at `nowMs` on the monotonic clock, by default now. */
  ready(nowMs: number = this.#clock.monotonic()): ReadyReport<P> {
    this.#expireOld(nowMs);
    const rules = this.#rules();
    const partitions: P[] = [];
    let dueMs = Number.POSITIVE_INFINITY;
    for (const queue of this.#partitions.values()) {
      const readyAtMs = queue.readyAtMs(rules);
      if (readyAtMs <= nowMs) partitions.push(queue.partition);
      else dueMs = Math.min(dueMs, readyAtMs);
    }
    return { partitions, nextCheckMs: dueMs - nowMs };
  }

  /**
   * Waits until something can be drained. One timer serves all who wait here, and there is none
   * otherwise.
   *
   * @returns `false` once the accumulator is closed and every batch has ended
   */
  async whenReady(options: WaitOptions = {}): Promise<boolean> {
    for (;;) {
      options.signal?.throwIfAborted();
      const nowMs = this.#clock.monotonic();
      this.#expireOld(nowMs);
      const dueMs = this.#earliestDueMs();
      if (dueMs <= nowMs) return true;
      if (this.#closed && this.#unsettled.size === 0) return false;
      await this.#ready.wait(dueMs, options.signal);
    }
  }

  /**
   * Takes ready batches, at most one a partition and up to `maxBytes` together, but at least one if
   * any is ready. Partitions take turns from call to call. Each batch must be ended by
   * {@link RecordAccumulator.complete}, {@link RecordAccumulator.fail} or {@link RecordAccumulator.retry}.
   */
  drain(maxBytes: number, nowMs: number = this.#clock.monotonic()): RecordBatch<R, P>[] {
    this.#expireOld(nowMs);
    const rules = this.#rules();
    const taken: AccumulatingBatch<R, P>[] = [];
    let bytes = 0;
    for (const queue of [...this.#partitions.values()]) {
      const { head } = queue;
      if (head === undefined || queue.readyAtMs(rules) > nowMs) continue;
      if (taken.length > 0 && bytes + head.sizeBytes > maxBytes) break;
      this.#take(queue, head);
      taken.push(head);
      bytes += head.sizeBytes;
    }
    return taken;
  }

  /** Ends a batch that was delivered. @throws {@link AccumulatorError} `LOGLOFT_ACCUMULATOR_NOT_IN_FLIGHT` */
  complete(batch: RecordBatch<R, P>): void {
    const { own, queue } = this.#land(batch);
    own.end('completed');
    this.#release(own, queue);
  }

  /** Ends a batch that is given up for `error`. @throws {@link AccumulatorError} `LOGLOFT_ACCUMULATOR_NOT_IN_FLIGHT` */
  fail(batch: RecordBatch<R, P>, error: unknown): void {
    const { own, queue } = this.#land(batch);
    own.end({ error });
    this.#release(own, queue);
  }

  /**
   * Puts a batch back to its place, to be taken again after the backoff; later batches of its
   * partition wait for it. Given up instead when it is too old, or was aborted meanwhile.
   *
   * @param cause why it was not delivered
   * @throws {@link AccumulatorError} `LOGLOFT_ACCUMULATOR_NOT_IN_FLIGHT`
   */
  retry(batch: RecordBatch<R, P>, cause?: unknown): void {
    const { own, queue } = this.#land(batch);
    const nowMs = this.#clock.monotonic();
    if (!own.isSettled && !this.#isTooOld(own, nowMs)) {
      own.notBeforeMs = nowMs + backoffMs(this.#options, own.attempts);
      queue.putBack(own);
      this.#noteDue(queue);
      return;
    }
    own.end({ error: tooOldError(own, cause) });
    this.#release(own, queue);
  }

  /**
   * Lets nothing linger until every batch that exists now has ended, whichever way. Somebody must
   * drain meanwhile.
   */
  async flush(options: WaitOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    this.#flushes += 1;
    try {
      const ends = Promise.allSettled([...this.#unsettled].map((batch) => batch.settled()));
      this.#ready.noteDue(this.#earliestDueMs());
      await unlessAborted(ends, options.signal);
    } finally {
      this.#flushes -= 1;
    }
  }

  /**
   * Refuses further records, rejects those that wait for memory with `LOGLOFT_ACCUMULATOR_CLOSED`,
   * and waits until what is in batches has ended. Somebody must drain meanwhile.
   */
  async close(options: WaitOptions = {}): Promise<void> {
    this.#closed = true;
    this.#waiting.rejectAll(closedError());
    await this.flush(options);
    this.#noteEnd();
  }

  /**
   * Closes at once: records and batches that wait fail with `reason`, and so do batches in flight,
   * whose memory goes back when the sender ends them.
   *
   * @param reason default: an {@link AccumulatorError} `LOGLOFT_ACCUMULATOR_ABORTED`
   */
  abort(reason: unknown = abortedError()): void {
    this.#closed = true;
    this.#waiting.rejectAll(reason);
    for (const queue of [...this.#partitions.values()]) {
      for (let batch = queue.takeHead(); batch !== undefined; batch = queue.takeHead()) {
        batch.end({ error: reason });
        this.#release(batch, queue);
      }
    }
    for (const batch of this.#inFlight) batch.end({ error: reason });
    this.#noteEnd();
  }

  /** Aborts what is left. Await {@link RecordAccumulator.close} before to deliver it. */
  [Symbol.asyncDispose](): Promise<void> {
    this.abort();
    return Promise.resolve();
  }

  stats(): AccumulatorStats {
    return {
      partitions: this.#partitions.size,
      queuedBatches: this.#unsettled.size - this.#inFlight.size,
      inFlightBatches: this.#inFlight.size,
      waitingAppends: this.#waiting.length,
      exhausted: this.#waiting.exhausted,
    };
  }

  #checkedBytes(record: R): number {
    if (this.#closed) throw closedError();
    const bytes = this.#options.estimatedBytes(record);
    if (!Number.isSafeInteger(bytes) || bytes < 0) {
      throw new AccumulatorError(
        'invalid-record',
        `estimatedBytes must return an integer >= 0; got ${String(bytes)}.`,
      );
    }
    checkSize(bytes, this.#totalBytes, false);
    return bytes;
  }

  #appendNow(partition: P, record: R, bytes: number): RecordBatch<R, P> | undefined {
    const queue = this.#partitions.get(partition);
    if (queue !== undefined && queue.pending.length > 0) return undefined;
    const open = queue?.open;
    if (queue !== undefined && open !== undefined) {
      const fits = open.hasRoomFor(bytes);
      if (fits) open.add(record, bytes);
      else open.isClosed = true;
      if (open.isClosed) this.#noteDue(queue);
      if (fits) return open;
    }
    const buffer = this.#pool.tryAllocate(Math.max(this.#options.batchBytes, bytes));
    if (buffer === undefined) return undefined;
    return this.#openBatch(queue ?? this.#newQueue(partition), buffer, { record, bytes });
  }

  #openBatch(
    queue: PartitionQueue<R, P>,
    buffer: Buffer,
    first: { readonly record: R; readonly bytes: number },
  ): AccumulatingBatch<R, P> {
    const { batchBytes, write } = this.#options;
    const place = {
      partition: queue.partition,
      sequence: queue.takeSequence(),
      nowMs: this.#clock.monotonic(),
    };
    const limitBytes = Math.max(batchBytes, first.bytes);
    const batch = new AccumulatingBatch<R, P>(place, buffer, { limitBytes, write });
    try {
      batch.add(first.record, first.bytes);
    } catch (error) {
      this.#pool.deallocate(buffer);
      this.#forgetIfEmpty(queue);
      throw error;
    }
    queue.append(batch);
    this.#unsettled.add(batch);
    this.#noteDue(queue);
    return batch;
  }

  #wait(append: PendingAppend<R, P>): Promise<RecordBatch<R, P>> {
    const { maxWaiters } = this.#options;
    if (this.#waiting.length >= maxWaiters) throw tooManyWaitersError(maxWaiters);
    const queue = this.#partitions.get(append.partition) ?? this.#newQueue(append.partition);
    this.#waiting.add(queue, append);
    // Memory is short now, so that nothing lingers any more, in no partition.
    this.#ready.noteDue(this.#earliestDueMs());
    return append.promise;
  }

  #newQueue(partition: P): PartitionQueue<R, P> {
    const queue = new PartitionQueue<R, P>(partition);
    this.#partitions.set(partition, queue);
    return queue;
  }

  #forgetIfEmpty(queue: PartitionQueue<R, P>): void {
    if (queue.isEmpty) this.#partitions.delete(queue.partition);
  }

  #take(queue: PartitionQueue<R, P>, head: AccumulatingBatch<R, P>): void {
    queue.takeHead();
    queue.inFlight += 1;
    head.attempts += 1;
    this.#inFlight.add(head);
    this.#partitions.delete(queue.partition);
    this.#partitions.set(queue.partition, queue);
  }

  #land(batch: RecordBatch<R, P>): {
    readonly own: AccumulatingBatch<R, P>;
    readonly queue: PartitionQueue<R, P>;
  } {
    const queue = this.#partitions.get(batch.partition);
    if (batch instanceof AccumulatingBatch && this.#inFlight.delete(batch) && queue !== undefined) {
      queue.inFlight -= 1;
      return { own: batch, queue };
    }
    throw new AccumulatorError(
      'not-in-flight',
      'A batch was ended that is not in flight here. End each batch that drain returned once.',
    );
  }

  #release(batch: AccumulatingBatch<R, P>, queue: PartitionQueue<R, P>): void {
    this.#unsettled.delete(batch);
    const buffer = batch.takeBuffer();
    if (buffer !== undefined) this.#pool.deallocate(buffer);
    this.#forgetIfEmpty(queue);
    this.#noteDue(queue);
    this.#noteEnd();
  }

  #noteDue(queue: PartitionQueue<R, P>): void {
    this.#ready.noteDue(queue.dueAtMs(this.#rules()));
  }

  /** Lets those who wait for a batch see that none will come any more. */
  #noteEnd(): void {
    if (this.#closed && this.#unsettled.size === 0) this.#ready.noteDue(Number.NEGATIVE_INFINITY);
  }

  #rules(): ReadyRules {
    const { lingerMs, deliveryTimeoutMs, maxInFlightPerPartition } = this.#options;
    return {
      lingerMs,
      deliveryTimeoutMs,
      maxInFlight: maxInFlightPerPartition,
      isHurried:
        this.#closed || this.#flushes > 0 || this.#waiting.length > 0 || this.#pool.waiters > 0,
    };
  }

  #earliestDueMs(): number {
    const rules = this.#rules();
    let dueMs = Number.POSITIVE_INFINITY;
    for (const queue of this.#partitions.values()) dueMs = Math.min(dueMs, queue.dueAtMs(rules));
    return dueMs;
  }

  #expireOld(nowMs: number): void {
    if (this.#options.deliveryTimeoutMs === Number.POSITIVE_INFINITY) return;
    for (const queue of [...this.#partitions.values()]) {
      for (
        let { head } = queue;
        head !== undefined && this.#isTooOld(head, nowMs);
        head = queue.head
      ) {
        queue.takeHead();
        head.end({ error: tooOldError(head, undefined) });
        this.#release(head, queue);
      }
    }
  }

  #isTooOld(batch: AccumulatingBatch<R, P>, nowMs: number): boolean {
    return nowMs >= batch.createdMs + this.#options.deliveryTimeoutMs;
  }
}
