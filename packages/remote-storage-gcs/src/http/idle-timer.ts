import type { Clock, Timer } from '@logloft/clock';

/**
 * Fires when what is awaited does not come. What that is, and how long it may take, changes as a
 * request goes on; to change or touch it costs a reading of the clock, and seldom a timer.
 */
export class IdleTimer {
  readonly #clock: Clock;
  readonly #expired: (what: string, ms: number) => void;
  #timer: Timer | undefined;
  #firesMs = 0;
  #what = '';
  #limitMs: number | undefined;
  #sinceMs = 0;

  /** @param expired gets the words given to {@link IdleTimer.expect}, and the ms */
  constructor(clock: Clock, expired: (what: string, ms: number) => void) {
    this.#clock = clock;
    this.#expired = expired;
  }

  /** From now on `what` is awaited, at most `ms` without a {@link IdleTimer.touch}. */
  expect(what: string, ms: number): void {
    this.#what = what;
    this.#limitMs = ms;
    this.touch();
    if (this.#timer === undefined || this.#firesMs > this.#sinceMs + ms) this.#arm(ms);
  }

  /** Says that something happens. */
  touch(): void {
    this.#sinceMs = this.#clock.monotonic();
  }

  /** Nothing is awaited for now. */
  pause(): void {
    this.#limitMs = undefined;
  }

  /** Nothing is awaited any more. */
  stop(): void {
    this.pause();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(ms: number): void {
    this.#timer?.cancel();
    this.#firesMs = this.#clock.monotonic() + ms;
    this.#timer = this.#clock.setTimer(ms, () => {
      this.#timer = undefined;
      const limitMs = this.#limitMs;
      if (limitMs === undefined) return;
      const silentMs = this.#clock.monotonic() - this.#sinceMs;
      if (silentMs < limitMs) return this.#arm(limitMs - silentMs);
      this.#limitMs = undefined;
      this.#expired(this.#what, limitMs);
    });
  }
}
