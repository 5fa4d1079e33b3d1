/** What a waiter tells about its signal. */
export interface AbortableWaiter {
  readonly signal: AbortSignal | undefined;
}

/**
 * Tells waiters when their signal aborts. One listener a signal, however many waiters share it:
 * Node looks through all listeners of a signal whenever one is added or removed.
 */
export class AbortWatch<W extends AbortableWaiter> {
  readonly #onAbort: (waiter: W, reason: unknown) => void;
  readonly #waiters = new Map<AbortSignal, Set<W>>();

  /** @param onAbort called once a waiter, in the order of arrival; must take it out and call `remove` */
  constructor(onAbort: (waiter: W, reason: unknown) => void) {
    this.#onAbort = onAbort;
  }

  add(waiter: W): void {
    const { signal } = waiter;
    if (signal === undefined) return;
    const others = this.#waiters.get(signal);
    if (others !== undefined) {
      others.add(waiter);
      return;
    }
    this.#waiters.set(signal, new Set([waiter]));
    signal.addEventListener('abort', this);
  }

  /** Forgets a waiter that has just left, whichever way. */
  remove(waiter: W): void {
    const { signal } = waiter;
    if (signal === undefined) return;
    const waiters = this.#waiters.get(signal);
    if (waiters?.delete(waiter) !== true || waiters.size > 0) return;
    this.#waiters.delete(signal);
    signal.removeEventListener('abort', this);
  }

  /** Called by a signal. */
  handleEvent(event: Event): void {
    // Not `currentTarget`: Node has it null for all listeners of a signal but the first.
    const { target } = event;
    if (!(target instanceof AbortSignal)) return;
    // Everybody in the set leaves it on the way.
    for (const waiter of this.#waiters.get(target) ?? []) this.#onAbort(waiter, target.reason);
  }
}
