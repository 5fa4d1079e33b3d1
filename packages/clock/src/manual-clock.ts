import { type Clock, MAX_TIMER_MS, type Timer } from './clock.ts';

interface Entry extends Timer {
  readonly dueMs: number;
  readonly sequence: number;
  fire: (() => void) | undefined;
}

/** Where a {@link ManualClock} starts. */
export interface ManualClockOptions {
  /** Wall-clock ms at the start. Default 1,700,000,000,000 (November 2023). */
  readonly startMs?: number | undefined;
}

/**
 * A clock that moves only when told to. Timers fire in the order of their due times, those of one
 * instant in the order in which they were set, and a timer that is set by a timer fires within the
 * same {@link ManualClock.advance} when it is due.
 */
export class ManualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  #sequence = 0;
  // Sorted by due time, then sequence. Insertion is by binary search; tests hold few timers.
  readonly #entries: Entry[] = [];

  constructor(options: ManualClockOptions = {}) {
    this.#wallMs = options.startMs ?? 1_700_000_000_000;
  }

  now(): number {
    return this.#wallMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  /** How many timers are pending: a component that is idle must leave this at 0. */
  get pendingTimers(): number {
    return this.#entries.length;
  }

  /** Ms until the next timer is due, or `undefined` when none is pending. */
  get nextTimerInMs(): number | undefined {
    const next = this.#entries[0];
    return next === undefined ? undefined : Math.max(0, next.dueMs - this.#monotonicMs);
  }

  setTimer(ms: number, fire: () => void): Timer {
    const delay = Math.min(Math.max(ms, 0), MAX_TIMER_MS);
    const entry: Entry = {
      dueMs: this.#monotonicMs + delay,
      sequence: this.#sequence++,
      fire,
      cancel: () => this.#remove(entry),
    };
    this.#entries.splice(this.#insertionIndex(entry.dueMs), 0, entry);
    return entry;
  }

  /**
   * Moves both times forward by `ms` and fires what is due on the way, each timer at its own time.
   *
   * @throws RangeError when `ms` is negative or not finite
   */
  advance(ms: number): void {
    if (!(ms >= 0) || !Number.isFinite(ms)) {
      throw new RangeError(`ManualClock.advance takes a finite number of ms >= 0, got ${ms}`);
    }
    const target = this.#monotonicMs + ms;
    for (;;) {
      const next = this.#entries[0];
      if (next === undefined || next.dueMs > target) break;
      this.#moveTo(next.dueMs);
      this.#entries.shift();
      const { fire } = next;
      next.fire = undefined;
      fire?.();
    }
    this.#moveTo(target);
  }

  /**
   * Like {@link ManualClock.advance}, but lets promises and real I/O callbacks run before the first
   * and after each timer, so that a timer set behind an `await` still fires within this call.
   *
   * @throws RangeError when `ms` is negative or not finite
   */
  async advanceAsync(ms: number): Promise<void> {
    const target = this.#monotonicMs + ms;
    await turnOfEventLoop();
    for (;;) {
      const next = this.nextTimerInMs;
      if (next === undefined || this.#monotonicMs + next > target) break;
      this.advance(next);
      await turnOfEventLoop();
    }
    this.advance(Math.max(0, target - this.#monotonicMs));
    await turnOfEventLoop();
  }

  /** Sets the wall clock alone, as an operator or a time service would; timers do not notice. */
  setWallTime(ms: number): void {
    this.#wallMs = ms;
  }

  #moveTo(monotonicMs: number): void {
    const delta = monotonicMs - this.#monotonicMs;
    if (delta <= 0) return;
    this.#monotonicMs = monotonicMs;
    this.#wallMs += delta;
  }

  #insertionIndex(dueMs: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && entry.dueMs <= dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #remove(entry: Entry): void {
    if (entry.fire === undefined) return;
    entry.fire = undefined;
    const index = this.#entries.indexOf(entry);
    if (index >= 0) this.#entries.splice(index, 1);
  }
}

function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
