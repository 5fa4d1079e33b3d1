interface Waiter {
  readonly go: () => void;
}

/**
 * How many bodies are sent at one time, by all uploads of a store. A store that says "slow down" is sent
 * half as many from then on, and one more for each round that it takes without complaint.
 */
export class SendSlots {
  readonly #max: number;
  readonly #waiting = new Set<Waiter>();
  #limit: number;
  #inUse = 0;
  #sentSinceGrowth = 0;
  #round = 0;

  /** @param max most bodies at one time, >= 1 */
  constructor(max: number) {
    this.#max = max;
    this.#limit = max;
  }

  /** Most bodies at one time, at this moment. */
  get limit(): number {
    return this.#limit;
  }

  /**
   * Runs `send` when there is a slot for it.
   *
   * @throws what `send` throws; the reason of the signal while it waits
   */
  async run<T>(
    signal: AbortSignal | undefined,
    send: () => Promise<T>,
    isThrottled: (error: unknown) => boolean,
  ): Promise<T> {
    await this.#take(signal);
    const round = this.#round;
    try {
      const result = await send();
      this.#grow();
      return result;
    } catch (error) {
      // All that were under way get the same answer; it counts once.
      if (isThrottled(error) && round === this.#round) this.#shrink();
      throw error;
    } finally {
      this.#inUse -= 1;
      this.#wake();
    }
  }

  async #take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#inUse < this.#limit && this.#waiting.size === 0) {
      this.#inUse += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        go: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
    });
  }

  #wake(): void {
    for (const waiter of this.#waiting) {
      if (this.#inUse >= this.#limit) return;
      this.#waiting.delete(waiter);
      this.#inUse += 1;
      waiter.go();
    }
  }

  #shrink(): void {
    this.#round += 1;
    this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, this.#inUse) / 2));
    this.#sentSinceGrowth = 0;
  }

  #grow(): void {
    if (this.#limit >= this.#max) return;
    this.#sentSinceGrowth += 1;
    if (this.#sentSinceGrowth < this.#limit) return;
    this.#limit += 1;
    this.#sentSinceGrowth = 0;
  }
}
