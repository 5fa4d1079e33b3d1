/** The calls of the plugin contract. */
export type CallName = 'copy' | 'read' | 'index' | 'delete';

/** Watches how long calls take, and that each of them settles at all. */
export class CallTimes {
  readonly #boundsMs: Readonly<Record<CallName, number>>;
  readonly #slowestMs = new Map<CallName, number>();
  #count = 0;

  /** @param boundsMs after so long a call counts as hanging */
  constructor(boundsMs: Readonly<Record<CallName, number>>) {
    this.#boundsMs = boundsMs;
  }

  /** Calls so far. */
  get count(): number {
    return this.#count;
  }

  /** Longest time of each call so far. */
  get slowest(): string {
    return [...this.#slowestMs].map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`).join(', ');
  }

  /** @throws Error when the call does not settle within its bound */
  async call<T>(name: CallName, run: () => Promise<T>): Promise<T> {
    const boundMs = this.#boundsMs[name];
    const startedMs = performance.now();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new Error(`${name} did not settle in ${boundMs} ms`)),
      boundMs,
    );
    try {
      return await Promise.race([run(), late]);
    } finally {
      clearTimeout(timer);
      const ms = performance.now() - startedMs;
      this.#count += 1;
      this.#slowestMs.set(name, Math.max(ms, this.#slowestMs.get(name) ?? 0));
    }
  }
}
