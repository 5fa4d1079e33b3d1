import { unlessAborted } from '../unless-aborted.ts';

/** A load that is under way. */
export interface Flight {
  /** Whether its key was forgotten meanwhile: the result answers those who wait, but is not to be kept. */
  readonly forgotten: boolean;
}

interface Entry<V> {
  forgotten: boolean;
  promise: Promise<V>;
}

/** Lets all who want the same thing at the same time share one load of it. */
export class SingleFlight<V> {
  readonly #flights = new Map<string, Entry<V>>();

  /** Loads under way. */
  get size(): number {
    return this.#flights.size;
  }

  /**
   * Joins the load of `key`, or starts it. A caller that gives up leaves the load to the others; one
   * that nobody waits for any more goes on, so that the next to ask finds its result. Bounding a load
   * in time is its own affair.
   *
   * @throws the failure of the load; the reason of `signal` when it aborts first
   */
  run(key: string, load: (flight: Flight) => Promise<V>, signal?: AbortSignal): Promise<V> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise } = this.#flights.get(key) ?? this.#start(key, load);
    return signal === undefined ? promise : unlessAborted(promise, signal);
  }

  /** Makes the next caller start anew, because what is being loaded may be out of date. */
  forget(key: string): void {
    const entry = this.#flights.get(key);
    if (entry === undefined) return;
    entry.forgotten = true;
    this.#flights.delete(key);
  }

  #start(key: string, load: (flight: Flight) => Promise<V>): Entry<V> {
    const { promise, resolve } = Promise.withResolvers<V>();
    const entry: Entry<V> = { forgotten: false, promise };
    this.#flights.set(key, entry);
    const done = (): void => {
      if (this.#flights.get(key) === entry) this.#flights.delete(key);
    };
    const loading = (async () => await load(entry))();
    loading.then(done, done);
    resolve(loading);
    // Everybody may have given up by the time it fails.
    promise.catch(() => undefined);
    return entry;
  }
}
