import type { Clock } from '@logloft/clock';
import { AbortWatch } from '../abort-watch.ts';
import { Deadlines } from '../deadlines.ts';
import { BufferExhaustedError } from '../exhausted-error.ts';
import type { BatchMemory } from './accumulator-options.ts';
import type { MemoryRequest, PartitionQueue } from './partition-queue.ts';
import type { PendingAppend } from './pending-append.ts';
import type { AccumulatingBatch } from './record-batch.ts';

/** What the waiting appends need of their accumulator. */
export interface WaitingAppendsOwner<R, P> {
  readonly pool: BatchMemory;
  readonly clock: Clock;
  readonly batchBytes: number;
  /** Opens a batch in `buffer` with the record of `first`. @throws what `write` throws; the buffer is back then */
  openBatch(
    queue: PartitionQueue<R, P>,
    buffer: Buffer,
    first: PendingAppend<R, P>,
  ): AccumulatingBatch<R, P>;
  /** A batch was closed because of who waits behind it. */
  batchClosed(queue: PartitionQueue<R, P>): void;
  /** Nobody waits in `queue` any more. */
  queueIdle(queue: PartitionQueue<R, P>): void;
}

/**
 * Records that wait for memory. Each partition has one request in the pool, made for the record that
 * came first; when it is met, all records behind it that fit join the same batch, so that a thousand
 * small records do not wait for a thousand batches.
 */
export class WaitingAppends<R, P> {
  readonly #owner: WaitingAppendsOwner<R, P>;
  readonly #queues = new Map<PendingAppend<R, P>, PartitionQueue<R, P>>();
  readonly #deadlines: Deadlines<PendingAppend<R, P>>;
  readonly #signals: AbortWatch<PendingAppend<R, P>>;
  #exhausted = 0;

  constructor(owner: WaitingAppendsOwner<R, P>) {
    this.#owner = owner;
    this.#deadlines = new Deadlines(owner.clock, (append) => this.#expire(append));
    this.#signals = new AbortWatch((append, reason) => this.#giveUp(append, reason));
  }

  get length(): number {
    return this.#queues.size;
  }

  /** Appends that ran out of time. */
  get exhausted(): number {
    return this.#exhausted;
  }

  add(queue: PartitionQueue<R, P>, append: PendingAppend<R, P>): void {
    queue.pending.append(append);
    this.#queues.set(append, queue);
    this.#deadlines.add(append);
    this.#signals.add(append);
    this.#requestMemory(queue);
  }

  /** Rejects all who wait, in the order of their arrival in each partition. */
  rejectAll(reason: unknown): void {
    for (const append of [...this.#queues.keys()]) this.#giveUp(append, reason);
  }

  /** What an append fails with that found no memory in time. */
  exhaustedError(bytes: number, maxBlockMs: number): BufferExhaustedError {
    this.#exhausted += 1;
    const { totalBytes, poolableBytes, availableBytes } = this.#owner.pool.stats();
    return new BufferExhaustedError({
      requestedBytes: this.#bytesOfBatchFor(bytes),
      maxBlockMs,
      totalBytes,
      availableBytes,
      poolableBytes,
      waiters: this.#owner.pool.waiters,
    });
  }

  #bytesOfBatchFor(bytes: number): number {
    return Math.max(this.#owner.batchBytes, bytes);
  }

  #requestMemory(queue: PartitionQueue<R, P>): void {
    const { head } = queue.pending;
    if (head === undefined || queue.memoryRequest !== undefined) return;
    const request = { bytes: this.#bytesOfBatchFor(head.bytes), abort: new AbortController() };
    queue.memoryRequest = request;
    // The records have deadlines of their own; the request lives as long as one of them waits.
    const how = { maxBlockMs: Number.POSITIVE_INFINITY, signal: request.abort.signal };
    this.#owner.pool.allocate(request.bytes, how).then(
      (buffer) => this.#onMemory(queue, request, buffer),
      (error: unknown) => this.#onNoMemory(queue, request, error),
    );
  }

  #onMemory(queue: PartitionQueue<R, P>, request: MemoryRequest, buffer: Buffer): void {
    const { head } = queue.pending;
    if (queue.memoryRequest !== request || head === undefined) {
      this.#owner.pool.deallocate(buffer);
      return;
    }
    queue.memoryRequest = undefined;
    this.#leave(head, queue);
    try {
      const batch = this.#owner.openBatch(queue, buffer, head);
      head.resolve(batch);
      this.#fill(queue, batch);
    } catch (error) {
      head.reject(error);
    }
    this.#review(queue);
  }

  #fill(queue: PartitionQueue<R, P>, batch: AccumulatingBatch<R, P>): void {
    for (;;) {
      const { head } = queue.pending;
      if (head === undefined) return;
      if (!batch.hasRoomFor(head.bytes)) {
        batch.isClosed = true;
        break;
      }
      this.#leave(head, queue);
      try {
        batch.add(head.record, head.bytes);
        head.resolve(batch);
      } catch (error) {
        head.reject(error);
      }
    }
    this.#owner.batchClosed(queue);
  }

  #onNoMemory(queue: PartitionQueue<R, P>, request: MemoryRequest, error: unknown): void {
    if (queue.memoryRequest !== request) return;
    queue.memoryRequest = undefined;
    const { head } = queue.pending;
    if (head !== undefined) this.#giveUp(head, error);
  }

  #expire(append: PendingAppend<R, P>): void {
    this.#giveUp(append, this.exhaustedError(append.bytes, append.maxBlockMs));
  }

  #giveUp(append: PendingAppend<R, P>, reason: unknown): void {
    const queue = this.#queues.get(append);
    if (queue === undefined) return;
    this.#leave(append, queue);
    append.reject(reason);
    this.#review(queue);
  }

  /** Fits the request of a partition to who waits first now. */
  #review(queue: PartitionQueue<R, P>): void {
    const { head } = queue.pending;
    const request = queue.memoryRequest;
    if (request !== undefined && (head === undefined || !this.#isFor(request, head))) {
      queue.memoryRequest = undefined;
      request.abort.abort();
    }
    if (head === undefined) this.#owner.queueIdle(queue);
    else this.#requestMemory(queue);
  }

  #isFor(request: MemoryRequest, head: PendingAppend<R, P>): boolean {
    return request.bytes === this.#bytesOfBatchFor(head.bytes);
  }

  #leave(append: PendingAppend<R, P>, queue: PartitionQueue<R, P>): void {
    queue.pending.remove(append);
    this.#queues.delete(append);
    this.#deadlines.remove(append);
    this.#signals.remove(append);
  }
}
