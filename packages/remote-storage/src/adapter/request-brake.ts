import { isRemoteStorageError, RemoteStorageError } from '../errors.ts';

/** Bounds of a {@link RequestBrake}. */
export interface RequestBrakeOptions {
  /** Most requests at one time, an integer >= 1. Default 64. */
  readonly maxInFlight?: number | undefined;
}

interface Waiter {
  readonly go: () => void;
}

/**
 * Lets fewer requests go at one time while a store says that it is throttled, for all who share it:
 * half of those in flight each time, and one more again for each round of requests that succeeded. Only waiting, as
 * a retry does, would send the same burst once more. Who waits goes in the order of arrival.
 */
export class RequestBrake {
  readonly #maxInFlight: number;
  readonly #waiting = new Set<Waiter>();
  #allowed: number;
  #inFlight = 0;
  // Requests that began before the last halving were part of the burst that it answered.
  #round = 0;

  /** @throws RemoteStorageError `invalid-configuration` for a bound that is no integer >= 1 */
  constructor({ maxInFlight = 64 }: RequestBrakeOptions = {}) {
    if (!(Number.isSafeInteger(maxInFlight) && maxInFlight >= 1)) {
      throw new RemoteStorageError(
        'invalid-configuration',
        `At least one request must be allowed in flight, got ${maxInFlight}`,
      );
    }
    this.#maxInFlight = maxInFlight;
    this.#allowed = maxInFlight;
  }

  /** Requests that may be in flight now, from 1. */
  get allowed(): number {
    return Math.floor(this.#allowed);
  }

  /** Requests that are in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * Runs one request when its turn comes.
   *
   * @throws what the request throws; the reason of `signal` when it aborts before the request began
   */
  async run<T>(request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(signal);
    const round = this.#round;
    try {
      const result = await request();
      this.#allowed = Math.min(this.#maxInFlight, this.#allowed + 1 / this.#allowed);
      return result;
    } catch (error) {
      if (isRemoteStorageError(error) && error.kind === 'throttled') this.#slowDown(round);
      throw error;
    } finally {
      this.#inFlight -= 1;
      this.#letGo();
    }
  }

  #slowDown(round: number): void {
    if (round !== this.#round) return;
    this.#round += 1;
    this.#allowed = Math.max(1, Math.min(this.#allowed, this.#inFlight) / 2);
  }

  async #enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#waiting.size === 0 && this.#inFlight < this.allowed) {
      this.#inFlight += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
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
    this.#waiting.add(waiter);
    signal?.addEventListener('abort', onAbort, { once: true });
    await promise;
  }

  #letGo(): void {
    for (const waiter of this.#waiting) {
      if (this.#inFlight >= this.allowed) return;
      this.#waiting.delete(waiter);
      this.#inFlight += 1;
      waiter.go();
    }
  }
}
