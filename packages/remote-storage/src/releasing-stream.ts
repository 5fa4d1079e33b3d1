/** What a {@link ReleasingStream} is made of. */
export interface ReleasingStreamOptions<T> {
  /** Gives the next value, or says that there is none. */
  readonly next: () => Promise<IteratorResult<T, undefined>>;
  /** Frees what the stream holds. Called once, in whatever way the stream ends. */
  readonly release: () => Promise<void> | void;
  /** Ends the stream, also while nobody reads from it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A stream that never keeps a file or a connection: it is released at its end, after a failure, when
 * the reader breaks off (even before the first value) and when its signal aborts. A generator alone
 * cannot do that, since one that was never started runs no `finally`.
 */
export class ReleasingStream<T> implements AsyncIterableIterator<T, undefined, void> {
  readonly #options: ReleasingStreamOptions<T>;
  readonly #onAbort: () => void;
  #released: Promise<void> | undefined;
  #failure: { readonly reason: unknown } | undefined;

  constructor(options: ReleasingStreamOptions<T>) {
    this.#options = options;
    this.#onAbort = (): void => {
      this.#failure ??= { reason: options.signal?.reason };
      this.#release().catch(() => undefined);
    };
    if (options.signal?.aborted) this.#onAbort();
    else options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.#failure !== undefined) {
      const { reason } = this.#failure;
      // A failed iterator throws once, then it is over.
      this.#failure = undefined;
      throw reason;
    }
    if (this.#released !== undefined) return { done: true, value: undefined };
    try {
      const result = await this.#options.next();
      if (result.done) await this.#release();
      return result;
    } catch (error) {
      this.#failure = undefined;
      await this.#release().catch(() => undefined);
      throw error;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.#release();
    return { done: true, value: undefined };
  }

  #release(): Promise<void> {
    this.#released ??= this.#releaseOnce();
    return this.#released;
  }

  async #releaseOnce(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    await this.#options.release();
  }
}
