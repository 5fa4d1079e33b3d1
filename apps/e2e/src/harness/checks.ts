/**
 * Numbered checks with names. Each prints one line with what it measured, or with what was wrong; at
 * the end comes the line `N passed, N failed`.
 */
export class Checks {
  #passed = 0;
  #failed = 0;
  #number = 0;
  #isStopped = false;

  get failed(): number {
    return this.#failed;
  }

  /**
   * Runs a check; one that throws has failed, and the next go on.
   *
   * @param run does it, and may answer with the figures that it measured
   * @returns whether it passed
   */
  async check(name: string, run: () => Promise<unknown> | unknown): Promise<boolean> {
    await this.#unlessStopped();
    this.#number += 1;
    const number = String(this.#number).padStart(3);
    const startedMs = performance.now();
    try {
      const figures = await run();
      await this.#unlessStopped();
      this.#passed += 1;
      const suffix = typeof figures === 'string' && figures !== '' ? ` (${figures})` : '';
      console.log(`${number} ok    ${name}${suffix} ${seconds(startedMs)}`);
      return true;
    } catch (error) {
      await this.#unlessStopped();
      this.#failed += 1;
      console.log(`${number} FAIL  ${name} ${seconds(startedMs)}`);
      for (const line of explain(error).split('\n')) console.log(`          ${line}`);
      return false;
    }
  }

  /** Lets no check begin or end any more: what it works with is being taken away. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Says that something cannot be checked here; it counts neither way. */
  skip(name: string, reason: string): void {
    console.log(`    skip  ${name}: ${reason}`);
  }

  /** A line about what is measured, between the checks. */
  note(text: string): void {
    console.log(`          ${text}`);
  }

  async #unlessStopped(): Promise<void> {
    if (this.#isStopped) await Promise.withResolvers<never>().promise;
  }

  /** The closing line. */
  get summary(): string {
    return `${this.#passed} passed, ${this.#failed} failed`;
  }
}

function seconds(sinceMs: number): string {
  return `[${((performance.now() - sinceMs) / 1000).toFixed(1)} s]`;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  const inner = error instanceof AggregateError ? error.errors : [];
  const cause = error.cause === undefined ? [] : [error.cause];
  return [own, ...[...inner, ...cause].map((one) => `caused by: ${explain(one)}`)].join('\n');
}
