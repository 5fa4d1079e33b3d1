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
        await step();
      } catch (error) {
        console.error('cleaning up failed:', error);
      }
    }
  }
}
