/** What {@link ParkedRequest} needs to know besides its result. */
export interface ParkedRequestOptions {
  /** Aborted when the client has gone away; the promise then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after the promise was rejected because of the signal. */
  readonly dropped: () => void;
}

/** A request that waits for others before it is answered: answered at most once, or dropped. */
export class ParkedRequest<Result> {
  readonly result: Promise<Result>;
  readonly #signal: AbortSignal | undefined;
  readonly #dropped: () => void;
  readonly #resolve: (result: Result) => void;
  readonly #reject: (reason: unknown) => void;

  constructor(options: ParkedRequestOptions) {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.result = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = options.signal;
    this.#dropped = options.dropped;
    this.#signal?.addEventListener('abort', this.#abort);
  }

  /** Answers the request. Has no effect on one that was dropped. */
  answer(result: Result): void {
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#resolve(result);
  }

  readonly #abort = (): void => {
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#reject(this.#signal?.reason);
    this.#dropped();
  };
}
