/**
 * Names of deleted topics that something still has to be forgotten of before a topic of the same
 * name may be made: it would take over what belonged to the old one, or lose its own with it.
 */
export class LeavingNames {
  readonly #waits = new Map<string, Promise<void>>();

  has(name: string): boolean {
    return this.#waits.has(name);
  }

  /** Keeps a name from being used until `work` has settled. */
  hold(name: string, work: Promise<void>): void {
    const earlier = this.#waits.get(name);
    const settled = Promise.allSettled([earlier, work]).then(() => {
      if (this.#waits.get(name) === settled) this.#waits.delete(name);
    });
    this.#waits.set(name, settled);
  }

  /** Resolves when the name may be used. */
  async whenFree(name: string): Promise<void> {
    for (let wait = this.#waits.get(name); wait !== undefined; wait = this.#waits.get(name)) {
      await wait;
    }
  }
}
