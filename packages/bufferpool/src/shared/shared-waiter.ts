import type { QueuedWaiter } from '../waiter-queue.ts';

/** Facts of an allocation of this thread that has to wait. */
export interface SharedWaiterRequest {
  readonly slot: number;
  readonly requestedBytes: number;
  readonly maxBlockMs: number;
  readonly nowMs: number;
  readonly signal: AbortSignal | undefined;
}

/** One waiting allocation of this thread: its slot in the shared queue, and the promise behind it. */
export class SharedWaiter implements QueuedWaiter<SharedWaiter> {
  readonly slot: number;
  readonly requestedBytes: number;
  readonly maxBlockMs: number;
  readonly deadlineMs: number;
  readonly startedMs: number;
  readonly signal: AbortSignal | undefined;
  arrival = 0;
  previous: SharedWaiter | undefined = undefined;
  next: SharedWaiter | undefined = undefined;
  readonly resolve: (buffer: Buffer) => void;
  readonly reject: (reason: unknown) => void;

  constructor(
    request: SharedWaiterRequest,
    resolve: (buffer: Buffer) => void,
    reject: (reason: unknown) => void,
  ) {
    this.slot = request.slot;
    this.requestedBytes = request.requestedBytes;
    this.maxBlockMs = request.maxBlockMs;
    this.startedMs = request.nowMs;
    this.deadlineMs = request.nowMs + request.maxBlockMs;
    this.signal = request.signal;
    this.resolve = resolve;
    this.reject = reject;
  }

  get hasLeft(): boolean {
    return this.previous === this;
  }
}
