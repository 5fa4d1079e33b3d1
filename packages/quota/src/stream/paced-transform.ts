import { Transform, type TransformCallback } from 'node:stream';
import type { PacedOptions } from './paced-options.ts';
import { StreamLeave } from './stream-leave.ts';

/**
 * A Node stream that passes bytes on at a rate, in slices, each when the reader asks for it: put it
 * into a `pipeline`. It holds back its writer, and destroying it gives back its place in line.
 */
export class PacedTransform extends Transform {
  readonly #leave: StreamLeave;
  readonly #signal: AbortSignal | undefined;
  readonly #ended = new AbortController();
  readonly #onAbort = (): void => {
    this.destroy(toError(this.#signal?.reason));
  };
  /** Whether the reader wants a slice. */
  #isWanted = false;
  #onWanted: (() => void) | undefined;

  /**
   * @throws InvalidQuotaOptionError when an option is out of range
   * @throws QuotaClosedError when the pacer is closed
   * @throws the reason of the signal when it has aborted
   */
  constructor(options: PacedOptions) {
    const { signal } = options;
    signal?.throwIfAborted();
    // Nothing is read ahead: what lies ready is not paced any more when it is fetched.
    super({ readableHighWaterMark: 0, writableHighWaterMark: 16_384 });
    this.#leave = new StreamLeave(options);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  override _read(size: number): void {
    this.#isWanted = true;
    this.#onWanted?.();
    super._read(size);
  }

  override _transform(
    chunk: Uint8Array,
    _encoding: BufferEncoding,
    callback: TransformCallback,
  ): void {
    this.#passOn(chunk).then(
      () => callback(),
      (error: unknown) => callback(toError(error)),
    );
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#ended.abort(error ?? undefined);
    this.#onWanted?.();
    void this.#leave.close();
    callback(error);
  }

  async #passOn(chunk: Uint8Array): Promise<void> {
    const signal = this.#ended.signal;
    for (let at = 0; at < chunk.byteLength; ) {
      await this.#wanted();
      const bytes = await this.#leave.take(chunk.byteLength - at, signal);
      this.#isWanted = false;
      this.push(bytes === chunk.byteLength ? chunk : chunk.subarray(at, at + bytes));
      at += bytes;
    }
  }

  /** Resolves when the reader wants a slice, or never will. */
  async #wanted(): Promise<void> {
    while (!this.#isWanted && !this.#ended.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#onWanted = resolve;
      });
      this.#onWanted = undefined;
    }
  }
}

function toError(reason: unknown): Error {
  if (reason instanceof Error) return reason;
  return new Error('The paced stream was aborted', { cause: reason });
}
