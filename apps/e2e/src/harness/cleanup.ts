import { sleep } from './sleep.ts';

/** A client that does not end must not keep a broker from ending. */
const MAX_STEP_MS = 10_000;

/** Undoes what a program has set up, in reverse order, once, however the program ends. */
export class Cleanup {
  readonly #steps: (() => Promise<void> | void)[] = [];
  #running: Promise<void> | undefined;

  /** Adds a step. One that is added after the end is taken at once. */
  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
    if (this.#running !== undefined) this.#running = this.#running.then(() => this.#drain());
  }

  /** Takes all steps; one that fails does not keep the others from being taken. Idempotent. */
  async run(): Promise<void> {
    this.#running ??= this.#drain();
    await this.#running;
  }

  async #drain(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await Promise.race([step(), sleep(MAX_STEP_MS)]);
      } catch (error) {
        console.error('cleaning up failed:', error);
      }
    }
  }
}
