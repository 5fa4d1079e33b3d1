/** What has to be closed, in the reverse of the order in which it was opened. */
export class Closers {
  readonly #steps: (() => Promise<void>)[] = [];

  /** Remembers to close something that was just opened, and returns it. */
  add<T>(opened: T, close: (opened: T) => Promise<void>): T {
    this.#steps.push(() => close(opened));
    return opened;
  }

  /**
   * Closes everything, also when some of it fails.
   *
   * @throws the first error, or an AggregateError of several
   */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'Several parts could not be closed');
  }
}
