import type { Clock, Timer } from '@logloft/clock';

/**
 * One point in time that is moved forward often and seldom reached, such as the end of a session.
 * Moving it forward costs no timer: the pending one finds out when it fires.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #reached: () => void;
  #dueMs: number | undefined;
  #timer: Timer | undefined;
  #timerDueMs = 0;

  /** @param reached called once each time that a deadline passes */
  constructor(clock: Clock, reached: () => void) {
    this.#clock = clock;
    this.#reached = reached;
  }

  /** Whether a deadline is set. */
  get isSet(): boolean {
    return this.#dueMs !== undefined;
  }

  /** Sets the deadline to `ms` from now, in place of the present one. */
  restart(ms: number): void {
    const dueMs = this.#clock.monotonic() + ms;
    this.#dueMs = dueMs;
    if (this.#timer !== undefined && this.#timerDueMs <= dueMs) return;
    this.#timer?.cancel();
    this.#arm(dueMs, ms);
  }

  /** Forgets the deadline and leaves no timer behind. */
  cancel(): void {
    this.#dueMs = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(dueMs: number, ms: number): void {
    this.#timerDueMs = dueMs;
    this.#timer = this.#clock.setTimer(ms, () => this.#fired());
  }

  #fired(): void {
    this.#timer = undefined;
    const dueMs = this.#dueMs;
    if (dueMs === undefined) return;
    const leftMs = dueMs - this.#clock.monotonic();
    if (leftMs > 0) {
      this.#arm(dueMs, leftMs);
      return;
    }
    this.#dueMs = undefined;
    this.#reached();
  }
}
