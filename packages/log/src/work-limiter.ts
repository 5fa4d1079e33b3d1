/** Runs asynchronous work in the order of its arrival, at most so much at a time. */
export class WorkLimiter {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param limit from 1 on */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs `work` as soon as there is a place, and settles as it does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place is handed over, so that nobody who comes now gets in between.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
