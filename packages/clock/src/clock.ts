/** A pending call made by {@link Clock.setTimer}. */
export interface Timer {
  /** Forgets the call. Has no effect once it was made or cancelled. */
  cancel(): void;
}

/**
 * Where a component gets its time from. Nothing in this repository reads a global clock or sets a
 * global timer outside this package, so that every behaviour over time can be tested by moving a
 * {@link Clock} by hand.
 */
export interface Clock {
  /** Wall-clock time in ms since the epoch. It may jump, also backwards. */
  now(): number;

  /** Ms since an arbitrary start, with fractions. Never goes backwards: use it for deadlines. */
  monotonic(): number;

  /**
   * Calls `fire` once after `ms` milliseconds. Never keeps the process alive.
   *
   * `0` (or less) means after the I/O callbacks of the present turn of the event loop, which is
   * what work that is gathered per turn wants. A delay above {@link MAX_TIMER_MS} is cut to it.
   */
  setTimer(ms: number, fire: () => void): Timer;
}

/** The longest delay that a Node timer holds (2^31 - 1 ms, about 24.8 days); beyond, it would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;
