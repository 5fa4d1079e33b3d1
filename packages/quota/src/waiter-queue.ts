import type { Clock } from '@logloft/clock';
import { QuotaTimeoutError } from './errors.ts';

/** How long a caller is willing to wait. */
export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** The most ms to wait, from 0. Default: no bound. */
  readonly timeoutMs?: number | undefined;
}

interface Waiter<Grant> {
  readonly bytes: number;
  readonly settle: (grant: Grant) => void;
  readonly fail: (error: unknown) => void;
  /** Takes the listener off the signal and ends the timer of the deadline. */
  readonly detach: () => void;
}

/**
 * Callers who wait, in the order in which they came. Leaving, at the head or in the middle, costs
 * the same however many wait.
 */
export class WaiterQueue<Grant> {
  readonly #clock: Clock;
  readonly #onLeave: () => void;
  // A set keeps the order of insertion and removes in constant time.
  readonly #waiters = new Set<Waiter<Grant>>();

  /** @param onLeave called after a caller has left because its signal aborted or its time was up */
  constructor(clock: Clock, onLeave: () => void) {
    this.#clock = clock;
    this.#onLeave = onLeave;
  }

  /** How many wait. */
  get size(): number {
    return this.#waiters.size;
  }

  /** The bytes that the first in the queue asks for. */
  get headBytes(): number | undefined {
    for (const waiter of this.#waiters) return waiter.bytes;
    return undefined;
  }

  /**
   * Joins the end of the queue.
   *
   * @returns a promise of what {@link WaiterQueue.grantHead} gives
   */
  join(bytes: number, { signal, timeoutMs }: WaitOptions): Promise<Grant> {
    return new Promise((settle, fail) => {
      const leave = (error: unknown): void => {
        this.#waiters.delete(waiter);
        waiter.detach();
        fail(error);
        this.#onLeave();
      };
      const onAbort = (): void => leave(signal?.reason);
      const deadline =
        timeoutMs === undefined || timeoutMs === Number.POSITIVE_INFINITY
          ? undefined
          : this.#clock.setTimer(timeoutMs, () => leave(new QuotaTimeoutError(timeoutMs)));
      const waiter: Waiter<Grant> = {
        bytes,
        settle,
        fail,
        detach: () => {
          signal?.removeEventListener('abort', onAbort);
          deadline?.cancel();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  /** Lets the first in the queue go on with `grant`. */
  grantHead(grant: Grant): void {
    const waiter = this.#shift();
    waiter?.settle(grant);
  }

  /** Fails all who wait. */
  failAll(makeError: () => Error): void {
    for (let waiter = this.#shift(); waiter !== undefined; waiter = this.#shift()) {
      waiter.fail(makeError());
    }
  }

  #shift(): Waiter<Grant> | undefined {
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter);
      waiter.detach();
      return waiter;
    }
    return undefined;
  }
}
