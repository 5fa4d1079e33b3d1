import { WaiterQueue } from '../waiter-queue.ts';
import type { PendingAppend } from './pending-append.ts';
import type { AccumulatingBatch } from './record-batch.ts';

/** A request for the memory of the next batch, while it waits in the pool. */
export interface MemoryRequest {
  readonly bytes: number;
  readonly abort: AbortController;
}

/** What makes a batch ready besides its own state. */
export interface ReadyRules {
  readonly lingerMs: number;
  readonly deliveryTimeoutMs: number;
  readonly maxInFlight: number;
  /** Whether nothing lingers now: memory is short, or all is being flushed. */
  readonly isHurried: boolean;
}

/**
 * The batches of one partition in their order, the open one last, and the records that wait for the
 * memory of the next. While any record waits, no batch is open, so that none overtakes it.
 */
export class PartitionQueue<R, P> {
  readonly partition: P;
  readonly pending: WaiterQueue<PendingAppend<R, P>> = new WaiterQueue();
  memoryRequest: MemoryRequest | undefined = undefined;
  inFlight = 0;
  // Few batches wait at a time, so an array that is shifted is as good as a ring.
  readonly #batches: AccumulatingBatch<R, P>[] = [];
  #nextSequence = 0;

  constructor(partition: P) {
    this.partition = partition;
  }

  /** Whether nothing is left of the partition, so that it can be forgotten. */
  get isEmpty(): boolean {
    return this.#batches.length === 0 && this.inFlight === 0 && this.pending.length === 0;
  }

  get head(): AccumulatingBatch<R, P> | undefined {
    return this.#batches[0];
  }

  get batches(): readonly AccumulatingBatch<R, P>[] {
    return this.#batches;
  }

  /** The batch that takes the next record, if it is not closed. */
  get open(): AccumulatingBatch<R, P> | undefined {
    const last = this.#batches.at(-1);
    return last?.isClosed === false ? last : undefined;
  }

  /** The sequence of a batch that is about to be opened. */
  takeSequence(): number {
    this.#nextSequence += 1;
    return this.#nextSequence;
  }

  append(batch: AccumulatingBatch<R, P>): void {
    this.#batches.push(batch);
  }

  /** Takes the batch at the head out; it takes no more records. */
  takeHead(): AccumulatingBatch<R, P> | undefined {
    const batch = this.#batches.shift();
    if (batch !== undefined) batch.isClosed = true;
    return batch;
  }

  /** Puts a batch that was taken back to its place in the order. */
  putBack(batch: AccumulatingBatch<R, P>): void {
    const later = this.#batches.findIndex(({ sequence }) => sequence > batch.sequence);
    this.#batches.splice(later < 0 ? this.#batches.length : later, 0, batch);
  }

  /** From when on the head may be taken, on the monotonic clock; `Infinity` while it may not at all. */
  readyAtMs(rules: ReadyRules): number {
    const { head } = this;
    if (head === undefined || this.inFlight >= rules.maxInFlight) return Number.POSITIVE_INFINITY;
    if (head.attempts > 0) return head.notBeforeMs;
    const lingersNot = rules.isHurried || head.isClosed || this.#batches.length > 1;
    return lingersNot ? Number.NEGATIVE_INFINITY : head.createdMs + rules.lingerMs;
  }

  /** When something about the head changes by itself: it gets ready, or too old. */
  dueAtMs(rules: ReadyRules): number {
    const expiresAtMs =
      this.head === undefined
        ? Number.POSITIVE_INFINITY
        : this.head.createdMs + rules.deliveryTimeoutMs;
    return Math.min(this.readyAtMs(rules), expiresAtMs);
  }
}
