import { type Clock, MAX_TIMER_MS, type Timer } from './clock.ts';

class ImmediateTimer implements Timer {
  readonly #handle: NodeJS.Immediate;

  constructor(fire: () => void) {
    // Not unref'd: an immediate never waits, and work gathered for the turn must not be lost.
    this.#handle = setImmediate(fire);
  }

  cancel(): void {
    clearImmediate(this.#handle);
  }
}

class DelayTimer implements Timer {
  readonly #handle: NodeJS.Timeout;

  constructor(ms: number, fire: () => void) {
    this.#handle = setTimeout(fire, Math.min(ms, MAX_TIMER_MS));
    this.#handle.unref();
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }
}

/** The clock of the machine. Its timers never keep the process alive. */
export const systemClock: Clock = Object.freeze({
  now(): number {
    return Date.now();
  },
  monotonic(): number {
    return performance.now();
  },
  setTimer(ms: number, fire: () => void): Timer {
    return ms > 0 ? new DelayTimer(ms, fire) : new ImmediateTimer(fire);
  },
});
