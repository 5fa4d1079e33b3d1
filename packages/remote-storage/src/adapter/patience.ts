import type { Clock, Timer } from '@logloft/clock';

/** What a {@link Patience} needs. */
export interface PatienceOptions {
  readonly clock: Clock;
  /** Told every 5 s while it is only waited: for memory, for a turn, for the next attempt. */
  readonly onWait: () => void;
}

const BEAT_MS = 5_000;

/**
 * Says that an upload is alive while it waits for others. Whoever watches for silence would otherwise
 * take it for dead, and begin it anew at the end of the queue. What works speaks for itself, by its bytes: its
 * silence is not covered.
 */
export class Patience {
  readonly #options: PatienceOptions;
  #waits = 0;
  #works = 0;
  #timer: Timer | undefined;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** Runs something that may wait for others. */
  async during<T>(wait: () => Promise<T>): Promise<T> {
    this.#waits += 1;
    if (this.#waits === 1) this.#arm();
    try {
      return await wait();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) this.#timer?.cancel();
    }
  }

  /** Runs what does not wait for others, also as a part of {@link Patience.during}. */
  async working<T>(work: () => Promise<T>): Promise<T> {
    this.#works += 1;
    try {
      return await work();
    } finally {
      this.#works -= 1;
    }
  }

  #arm(): void {
    this.#timer = this.#options.clock.setTimer(BEAT_MS, () => {
      if (this.#works === 0) this.#options.onWait();
      this.#arm();
    });
  }
}
