import type { QueuedWaiter } from '../waiter-queue.ts';
import type { RecordBatch } from './record-batch.ts';

/** A record that waits for memory, and the promise of whoever appended it. */
export class PendingAppend<R, P> implements QueuedWaiter<PendingAppend<R, P>> {
  readonly partition: P;
  readonly record: R;
  readonly bytes: number;
  readonly maxBlockMs: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  arrival = 0;
  previous: PendingAppend<R, P> | undefined = undefined;
  next: PendingAppend<R, P> | undefined = undefined;
  readonly #outcome: PromiseWithResolvers<RecordBatch<R, P>> = Promise.withResolvers();

  constructor(
    what: { readonly partition: P; readonly record: R; readonly bytes: number },
    how: {
      readonly maxBlockMs: number;
      readonly nowMs: number;
      readonly signal: AbortSignal | undefined;
    },
  ) {
    this.partition = what.partition;
    this.record = what.record;
    this.bytes = what.bytes;
    this.maxBlockMs = how.maxBlockMs;
    this.deadlineMs = how.nowMs + how.maxBlockMs;
    this.signal = how.signal;
  }

  get hasLeft(): boolean {
    return this.previous === this;
  }

  get promise(): Promise<RecordBatch<R, P>> {
    return this.#outcome.promise;
  }

  resolve(batch: RecordBatch<R, P>): void {
    this.#outcome.resolve(batch);
  }

  reject(reason: unknown): void {
    this.#outcome.reject(reason);
  }
}
