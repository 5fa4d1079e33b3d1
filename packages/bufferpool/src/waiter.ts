import type { AllocationOrigin } from './holder-ledger.ts';
import type { QueuedWaiter } from './waiter-queue.ts';

/** Facts of an allocation that has to wait. */
export interface WaiterRequest {
  readonly requestedBytes: number;
  readonly maxBlockMs: number;
  readonly nowMs: number;
  readonly signal: AbortSignal | undefined;
  /** Where it comes from, in the diagnostic mode. */
  readonly origin: AllocationOrigin | undefined;
}

/**
 * One waiting allocation: a node of the {@link WaiterQueue}. All it takes to wait is this object and
 * the promise behind it.
 */
export class Waiter implements QueuedWaiter<Waiter> {
  readonly requestedBytes: number;
  readonly maxBlockMs: number;
  /** On the monotonic clock; `Infinity` when it waits for ever. Fixed at the time of the call. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly origin: AllocationOrigin | undefined;
  /** Start of the present stretch of waiting; each wake-up starts a new one. */
  waitingSinceMs: number;
  /** Bytes gathered so far. Only the waiter at the head of the queue has any. */
  gatheredBytes = 0;
  arrival = 0;
  previous: Waiter | undefined = undefined;
  next: Waiter | undefined = undefined;
  #resolve: (buffer: Buffer) => void;
  #reject: (reason: unknown) => void;

  constructor(
    request: WaiterRequest,
    resolve: (buffer: Buffer) => void,
    reject: (reason: unknown) => void,
  ) {
    this.requestedBytes = request.requestedBytes;
    this.maxBlockMs = request.maxBlockMs;
    this.deadlineMs = request.nowMs + request.maxBlockMs;
    this.signal = request.signal;
    this.origin = request.origin;
    this.waitingSinceMs = request.nowMs;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Whether it is out of the queue. No field of its own: memory counts here. */
  get hasLeft(): boolean {
    return this.previous === this;
  }

  resolve(buffer: Buffer): void {
    const resolve = this.#resolve;
    this.#letGo();
    resolve(buffer);
  }

  reject(reason: unknown): void {
    const reject = this.#reject;
    this.#letGo();
    reject(reason);
  }

  /** Who has left may rest among the deadlines for a while, and must keep no buffer alive there. */
  #letGo(): void {
    this.#resolve = ignore;
    this.#reject = ignore;
  }
}

function ignore(): void {}
