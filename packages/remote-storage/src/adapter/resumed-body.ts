import type { ByteRange } from '../byte-range.ts';
import type { CallOptions } from '../call-options.ts';
import { isRemoteStorageError, RemoteStorageError } from '../errors.ts';
import { pacedSlices } from '../paced-slices.ts';
import { ReleasingStream } from '../releasing-stream.ts';
import { type RetryOptions, retry } from '../retry.ts';
import { Watchdog } from '../watchdog.ts';

/** An answer of a store that carries bytes of an object. */
export interface OpenedBody {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Bytes that the answer promises. */
  readonly length: number;
  /** What tells this version of the object from another (ETag, generation). */
  readonly version?: string | undefined;
}

/** How {@link resumedBody} reads. */
export interface ResumedBodyOptions extends CallOptions {
  readonly key: string;
  /** Absent: the whole object. */
  readonly range?: ByteRange | undefined;
  /** How an answer that was cut is asked for again; its clock also watches for silence. */
  readonly retry: Omit<RetryOptions, 'signal'>;
  /** Ms without a byte until an answer counts as cut. Default 30,000. */
  readonly idleMs?: number | undefined;
  /**
   * Asks for bytes. With `version`, only of that version of the object: another one is `precondition`.
   * Whatever it or its pieces throw is a `RemoteStorageError`, or the reason of the signal.
   */
  readonly open: (
    range: ByteRange | undefined,
    version: string | undefined,
    signal: AbortSignal,
  ) => Promise<OpenedBody>;
}

// Answers that bring no byte at all, this often in a row, are enough.
const MAX_EMPTY_ANSWERS = 3;

/**
 * Reads an object or a range as one stream, whatever happens to the connection: an answer that is cut,
 * or falls silent, goes on from the next byte, of the same version of the object.
 *
 * @throws RemoteStorageError what the first answer fails with, before the first piece; later `corrupt`
 *   when the object was replaced meanwhile or the store gives more bytes than it promised
 */
export async function resumedBody(options: ResumedBodyOptions): Promise<AsyncIterable<Uint8Array>> {
  const { signal, range } = options;
  signal?.throwIfAborted();
  const body = new ResumedBody(options);
  await body.open(range);
  const stream = new ReleasingStream<Uint8Array>({
    signal,
    next: () => body.next(),
    release: () => body.close(),
  });
  const { pacer, onProgress } = options;
  if (pacer === undefined && onProgress === undefined) return stream;
  const slices = pacedSlices(stream, options);
  return new ReleasingStream<Uint8Array>({
    signal,
    next: async () => {
      const result = await slices.next();
      return result.done ? { done: true, value: undefined } : result;
    },
    // A generator that was never started would not pass this on.
    release: async () => {
      await stream.return();
    },
  });
}

class ResumedBody {
  readonly #options: ResumedBodyOptions;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #watchdog: Watchdog | undefined;
  #start = 0;
  #length = 0;
  #done = 0;
  #version: string | undefined;
  #emptyAnswers = 0;

  constructor(options: ResumedBodyOptions) {
    this.#options = options;
  }

  async open(range: ByteRange | undefined): Promise<void> {
    const { length, version } = await this.#ask(range, undefined);
    this.#start = range?.start ?? 0;
    this.#length = length;
    this.#version = version;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      if (this.#pieces === undefined) await this.#resume();
      const result = await this.#step();
      if (result !== undefined) return result;
    }
  }

  async close(): Promise<void> {
    const pieces = this.#pieces;
    this.#pieces = undefined;
    this.#watchdog?.close();
    this.#watchdog = undefined;
    await pieces?.return?.();
  }

  get #left(): number {
    return this.#length - this.#done;
  }

  async #ask(range: ByteRange | undefined, version: string | undefined): Promise<OpenedBody> {
    const { open, retry: again, key, idleMs = 30_000, signal } = this.#options;
    const watchdog = new Watchdog({
      clock: again.clock,
      action: 'Reading the object',
      key,
      idleMs,
      signals: [signal],
    });
    try {
      const opened = await watchdog.run((inner) => open(range, version, inner), dropBody);
      this.#pieces = opened.pieces[Symbol.asyncIterator]();
      this.#watchdog = watchdog;
      return opened;
    } catch (error) {
      watchdog.close();
      throw error;
    }
  }

  // `undefined` when the answer was cut.
  async #step(): Promise<IteratorResult<Uint8Array, undefined> | undefined> {
    const pieces = this.#pieces;
    const watchdog = this.#watchdog;
    if (pieces === undefined || watchdog === undefined) return { done: true, value: undefined };
    try {
      const result = await watchdog.run(() => pieces.next());
      if (!result.done) return this.#accept(result);
      if (this.#left === 0) return { done: true, value: undefined };
      await this.#cut(this.#short());
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      if (!(isRemoteStorageError(error) && error.retryable)) throw error;
      await this.#cut(error);
    }
    return undefined;
  }

  #accept(result: IteratorYieldResult<Uint8Array>): IteratorYieldResult<Uint8Array> {
    const { byteLength } = result.value;
    if (byteLength > this.#left) {
      throw this.#corrupt(`gave ${byteLength - this.#left} bytes more than it promised`);
    }
    this.#done += byteLength;
    if (byteLength > 0) this.#emptyAnswers = 0;
    return result;
  }

  async #cut(failure: RemoteStorageError): Promise<void> {
    // Whoever fell silent may never answer: its end is its own affair.
    void this.close().catch(() => undefined);
    this.#emptyAnswers += 1;
    if (this.#emptyAnswers >= MAX_EMPTY_ANSWERS) throw failure;
  }

  async #resume(): Promise<void> {
    const { retry: again, signal } = this.#options;
    const start = this.#start + this.#done;
    const end = this.#start + this.#length - 1;
    if (this.#left === 0) return;
    const opened = await retry({ ...again, signal }, () =>
      this.#ask({ start, end }, this.#version),
    ).catch((error: unknown) => {
      if (!isRemoteStorageError(error) || error.kind !== 'precondition') throw error;
      throw this.#corrupt('found another object than it began with', error);
    });
    if (opened.length !== this.#left) {
      throw this.#corrupt(`was offered ${opened.length} bytes where ${this.#left} were left`);
    }
  }

  #short(): RemoteStorageError {
    const { key } = this.#options;
    return new RemoteStorageError(
      'unavailable',
      `Reading the object ${JSON.stringify(key)} ended ${this.#left} bytes short`,
      { key },
    );
  }

  #corrupt(problem: string, cause?: unknown): RemoteStorageError {
    const { key } = this.#options;
    return new RemoteStorageError(
      'corrupt',
      `Reading the object ${JSON.stringify(key)} ${problem}`,
      { key, cause },
    );
  }
}

function dropBody({ pieces }: OpenedBody): unknown {
  return pieces[Symbol.asyncIterator]().return?.();
}
