import { type Clock, systemClock, type Timer } from '@logloft/clock';

/** The clock of the machine, which knows how many of its timers have neither fired nor been cancelled. */
export class CountingClock implements Clock {
  readonly #live = new Set<Timer>();

  /** Timers that are set now. */
  get liveTimers(): number {
    return this.#live.size;
  }

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  setTimer(ms: number, fire: () => void): Timer {
    const inner = systemClock.setTimer(ms, () => {
      this.#live.delete(timer);
      fire();
    });
    const timer: Timer = {
      cancel: () => {
        this.#live.delete(timer);
        inner.cancel();
      },
    };
    this.#live.add(timer);
    return timer;
  }
}
