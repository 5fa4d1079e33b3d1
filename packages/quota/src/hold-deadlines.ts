import { type Clock, MAX_TIMER_MS, type Timer } from '@logloft/clock';
import type { Hold } from './hold.ts';

/**
 * Finds the holds that last for too long, with one timer for all of them. They have one maximum, so
 * the order in which they were made is that of their deadlines.
 */
export class HoldDeadlines {
  readonly #clock: Clock;
  readonly #maxHoldMs: number;
  readonly #onExpired: (hold: Hold) => void;
  readonly #holds = new Set<Hold>();
  #timer: Timer | undefined;

  constructor(clock: Clock, maxHoldMs: number, onExpired: (hold: Hold) => void) {
    this.#clock = clock;
    this.#maxHoldMs = maxHoldMs;
    this.#onExpired = onExpired;
  }

  add(hold: Hold): void {
    this.#holds.add(hold);
    if (this.#timer === undefined) this.#setTimer();
  }

  /** Forgets a hold that was ended. */
  delete(hold: Hold): void {
    this.#holds.delete(hold);
    if (this.#holds.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #setTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const [first] = this.#holds;
    if (first === undefined) return;
    const ms = first.sinceMs + this.#maxHoldMs - this.#clock.monotonic();
    this.#timer = this.#clock.setTimer(Math.min(Math.max(ms, 1), MAX_TIMER_MS), () => {
      this.#timer = undefined;
      try {
        this.#expire();
      } finally {
        this.#setTimer();
      }
    });
  }

  #expire(): void {
    const nowMs = this.#clock.monotonic();
    for (const hold of this.#holds) {
      if (nowMs - hold.sinceMs < this.#maxHoldMs) return;
      this.#holds.delete(hold);
      this.#onExpired(hold);
    }
  }
}
