import { AccumulatorError } from './accumulator-error.ts';
import type { RecordAccumulator } from './record-accumulator.ts';
import type { RecordBatch } from './record-batch.ts';
import type { WaitOptions } from './unless-aborted.ts';

/** Settings of a {@link BatchSender}: plain data, except what it does with a batch. */
export interface BatchSenderOptions<R, P> {
  /**
   * Delivers one batch, and resolves when it arrived. `signal` aborts when the sender is aborted. The
   * bytes of the batch may be read until the promise settles, and no longer.
   */
  readonly send: (
    batch: RecordBatch<R, P>,
    options: { readonly signal: AbortSignal },
  ) => Promise<unknown>;

  /** Whether a batch that failed with `error` is to be tried again. Default: always. */
  readonly isRetryable?: ((error: unknown) => boolean) | undefined;

  /** How often a batch is tried; an integer >= 1. Default `Infinity`: `deliveryTimeoutMs` is the limit. */
  readonly maxAttempts?: number | undefined;

  /** Batches in flight at one time, over all partitions; an integer >= 1. Default 5. */
  readonly maxInFlight?: number | undefined;
}

/**
 * Drains an accumulator into any function that sends: waits for batches, keeps a few in flight, and
 * completes, retries or fails each. It starts at once.
 */
export class BatchSender<R, P = string> {
  readonly #accumulator: RecordAccumulator<R, P>;
  readonly #send: BatchSenderOptions<R, P>['send'];
  readonly #isRetryable: (error: unknown) => boolean;
  readonly #maxAttempts: number;
  readonly #maxInFlight: number;
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;
  #inFlight = 0;
  #landed: PromiseWithResolvers<void> = Promise.withResolvers();

  /** @throws {@link AccumulatorError} `LOGLOFT_ACCUMULATOR_INVALID_OPTIONS` */
  constructor(accumulator: RecordAccumulator<R, P>, options: BatchSenderOptions<R, P>) {
    this.#accumulator = accumulator;
    this.#send = options.send;
    this.#isRetryable = options.isRetryable ?? (() => true);
    this.#maxAttempts = checkedCount(
      'maxAttempts',
      options.maxAttempts ?? Number.POSITIVE_INFINITY,
    );
    this.#maxInFlight = checkedCount('maxInFlight', options.maxInFlight ?? 5);
    if (typeof this.#send !== 'function') {
      throw invalid('send', 'a function', this.#send);
    }
    this.#running = this.#run();
  }

  /** Closes the accumulator, and waits until all it holds was delivered or given up. */
  async close(options: WaitOptions = {}): Promise<void> {
    await this.#accumulator.close(options);
    await this.#running;
  }

  /** Aborts the accumulator and what is in flight, and waits until every `send` has settled. */
  async abort(reason?: unknown): Promise<void> {
    this.#accumulator.abort(reason);
    this.#abort.abort(reason);
    await this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(): Promise<void> {
    while (await this.#accumulator.whenReady()) {
      while (this.#inFlight >= this.#maxInFlight) await this.#landed.promise;
      // A batch at a time, so that no more is taken than there is room for in flight.
      const [batch] = this.#accumulator.drain(0);
      if (batch !== undefined) this.#deliver(batch);
    }
    while (this.#inFlight > 0) await this.#landed.promise;
  }

  #deliver(batch: RecordBatch<R, P>): void {
    this.#inFlight += 1;
    this.#trySend(batch)
      .then(
        () => this.#accumulator.complete(batch),
        (error: unknown) => this.#onFailure(batch, error),
      )
      .finally(() => {
        this.#inFlight -= 1;
        const landed = this.#landed;
        this.#landed = Promise.withResolvers();
        landed.resolve();
      });
  }

  /** A `send` that throws at once is one that rejects. */
  async #trySend(batch: RecordBatch<R, P>): Promise<void> {
    await this.#send(batch, { signal: this.#abort.signal });
  }

  #onFailure(batch: RecordBatch<R, P>, error: unknown): void {
    try {
      if (batch.attempts < this.#maxAttempts && this.#isRetryable(error)) {
        this.#accumulator.retry(batch, error);
        return;
      }
    } catch (failure) {
      // The judgement itself failed: the batch must still end.
      this.#accumulator.fail(batch, failure);
      return;
    }
    this.#accumulator.fail(batch, error);
  }
}

function checkedCount(name: string, value: number): number {
  if (value >= 1 && (Number.isSafeInteger(value) || value === Number.POSITIVE_INFINITY))
    return value;
  throw invalid(name, 'an integer >= 1', value);
}

function invalid(name: string, rule: string, value: unknown): AccumulatorError {
  return new AccumulatorError(
    'invalid-options',
    `Option ${name} of a BatchSender must be ${rule}; got ${String(value)} (${typeof value}).`,
  );
}
