interface Waiter<Grant> {
  readonly bytes: number;
  readonly settle: (grant: Grant) => void;
  readonly fail: (error: unknown) => void;
  readonly detach: () => void;
}

/**
 * Callers who wait, in the order in which they came. Leaving, at the head or in the middle, costs
 * the same however many wait.
 */
export class WaiterQueue<Grant> {
  // A set keeps the order of insertion and removes in constant time.
  readonly #waiters = new Set<Waiter<Grant>>();

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
   * @param onAbort called after the caller has left because `signal` aborted
   * @returns a promise of what {@link WaiterQueue.grantHead} gives
   */
  join(bytes: number, signal: AbortSignal | undefined, onAbort: () => void): Promise<Grant> {
    return new Promise((settle, fail) => {
      const leave = (): void => {
        this.#waiters.delete(waiter);
        fail(signal?.reason);
        onAbort();
      };
      const waiter: Waiter<Grant> = {
        bytes,
        settle,
        fail,
        detach: () => signal?.removeEventListener('abort', leave),
      };
      signal?.addEventListener('abort', leave, { once: true });
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
