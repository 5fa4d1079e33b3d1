import type { Waiter } from './waiter.ts';

/**
 * Tells waiters when their signal aborts. One listener a signal, however many waiters share it:
 * Node looks through all listeners of a signal whenever one is added or removed.
 */
export class AbortWatch {
  readonly #onAbort: (waiter: Waiter, reason: unknown) => void;
  readonly #waiters = new Map<AbortSignal, Set<Waiter>>();

  /** @param onAbort called once a waiter, in the order of arrival; must take it out and call `remove` */
  constructor(onAbort: (waiter: Waiter, reason: unknown) => void) {
    this.#onAbort = onAbort;
  }

  add(waiter: Waiter): void {
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
  remove(waiter: Waiter): void {
    const { signal } = waiter;
    if (signal === undefined) return;
    const waiters = this.#waiters.get(signal);
    if (waiters?.delete(waiter) !== true || waiters.size > 0) return;
    this.#waiters.delete(signal);
    signal.removeEventListener('abort', this);
  }

  /** Called by a signal. */
  handleEvent(event: Event): void {
    const { currentTarget } = event;
    if (!(currentTarget instanceof AbortSignal)) return;
    // Everybody in the set leaves it on the way.
    for (const waiter of this.#waiters.get(currentTarget) ?? []) {
      this.#onAbort(waiter, currentTarget.reason);
    }
  }
}
