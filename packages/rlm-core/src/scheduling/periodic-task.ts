import type { Clock, Timer } from '@logloft/clock';

/** What a {@link PeriodicTask} does, and when. */
export interface PeriodicTaskOptions {
  readonly clock: Clock;
  /**
   * One run. Must not reject, and must end soon after `signal` aborts.
   *
   * @returns ms until the next run, counted from the end of this one, or `undefined` for no other
   */
  run(signal: AbortSignal): Promise<number | undefined>;
}

/** Runs something again and again with a delay after each run (never two runs at once), until stopped. */
export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  readonly #controller = new AbortController();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;

  constructor(options: PeriodicTaskOptions) {
    this.#options = options;
  }

  /** Begins with a run after the present turn of the event loop. */
  start(): void {
    this.#schedule(0);
  }

  /** Runs soon instead of at the time set. No effect during a run, or once stopped. */
  hurry(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#schedule(0);
  }

  /** Aborts a run that goes on, and resolves when it has ended. There is no run after it. */
  async stop(reason: unknown): Promise<void> {
    this.#controller.abort(reason);
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#running;
  }

  #schedule(delayMs: number): void {
    if (this.#controller.signal.aborted) return;
    this.#timer = this.#options.clock.setTimer(delayMs, () => {
      this.#timer = undefined;
      this.#running = this.#run();
    });
  }

  async #run(): Promise<void> {
    const delayMs = await this.#options.run(this.#controller.signal);
    this.#running = undefined;
    if (delayMs !== undefined) this.#schedule(delayMs);
  }
}
