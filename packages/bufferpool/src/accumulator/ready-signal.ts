import type { Clock, Timer } from '@logloft/clock';
import { AbortWatch } from '../abort-watch.ts';

interface ReadyWaiter {
  readonly signal: AbortSignal | undefined;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Wakes those who wait for something to become due, by one timer, and by none while nobody waits. */
export class ReadySignal {
  readonly #clock: Clock;
  readonly #waiters = new Set<ReadyWaiter>();
  readonly #signals = new AbortWatch<ReadyWaiter>((waiter, reason) => {
    this.#leave(waiter);
    waiter.reject(reason);
  });
  #timer: Timer | undefined = undefined;
  /** When {@link #timer} is due, `Infinity` without one. */
  #timerDueMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits until `dueMs` on the monotonic clock, or until {@link noteDue} tells of something earlier. */
  wait(dueMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: ReadyWaiter = { signal, resolve, reject };
      this.#waiters.add(waiter);
      this.#signals.add(waiter);
      this.noteDue(dueMs);
    });
  }

  /** Tells that something is due at `dueMs`; in the past means now. */
  noteDue(dueMs: number): void {
    if (this.#waiters.size === 0 || dueMs >= this.#timerDueMs) return;
    const delayMs = dueMs - this.#clock.monotonic();
    if (delayMs <= 0) {
      this.#wakeAll();
      return;
    }
    this.#timer?.cancel();
    this.#timerDueMs = dueMs;
    // Whole ms: what is left of a fraction must not turn into a run of empty timers.
    this.#timer = this.#clock.setTimer(Math.ceil(delayMs), () => this.#wakeAll());
  }

  #wakeAll(): void {
    for (const waiter of [...this.#waiters]) {
      this.#leave(waiter);
      waiter.resolve();
    }
  }

  #leave(waiter: ReadyWaiter): void {
    this.#waiters.delete(waiter);
    this.#signals.remove(waiter);
    if (this.#waiters.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerDueMs = Number.POSITIVE_INFINITY;
  }
}
