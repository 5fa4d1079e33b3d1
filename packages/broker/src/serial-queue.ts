/** Runs asynchronous steps one after another, in the order in which they were added. */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs `step` when all earlier ones have settled; settles as it does. */
  run<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(step);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all steps added so far have settled. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}
