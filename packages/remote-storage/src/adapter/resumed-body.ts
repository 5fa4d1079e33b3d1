import type { ByteRange } from '../byte-range.ts';
import type { CallOptions } from '../call-options.ts';
import { delay } from '../delay.ts';
import { isRemoteStorageError, RemoteStorageError } from '../errors.ts';
import { pacedSlices } from '../paced-slices.ts';
import { ReleasingStream } from '../releasing-stream.ts';
import { DEFAULT_RETRY_POLICY, type RetryOptions, retry, retryPauseMs } from '../retry.ts';
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

// Who is cut sooner than this asks again only after a pause, so that a bad connection is no request storm.
const FAIR_ANSWER_BYTES = 64 * 1024;

/**
 * Reads an object or a range as one stream, whatever happens to the connection: an answer that is cut,
 * or falls silent, goes on from the next byte, of the same version of the object. An answer of less
 * than 64 KiB is followed by a pause as of a failed attempt.
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
    release: () => body.end(),
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
  // Ends what `next` is waiting for when the reader leaves meanwhile.
  readonly #left = new AbortController();
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #watchdog: Watchdog | undefined;
  #start = 0;
  #length = 0;
  #done = 0;
  #doneBefore = 0;
  #version: string | undefined;
  #emptyAnswers = 0;
  #asked = 0;

  constructor(options: ResumedBodyOptions) {
    this.#options = options;
  }

  async open(range: ByteRange | undefined): Promise<void> {
    const opened = await this.#ask(range, undefined);
    const { length, version } = opened;
    const { start = 0, end = Number.MAX_SAFE_INTEGER } = range ?? {};
    if (!(Number.isSafeInteger(length) && length >= 0 && length <= end - start + 1)) {
      await this.end();
      throw this.#corrupt(`was offered ${length} bytes of ${start} to ${end}`);
    }
    this.#start = start;
    this.#length = length;
    this.#version = version;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#asked += 1;
    try {
      for (;;) {
        if (this.#pieces === undefined && this.#missing > 0) await this.#resume();
        const result = await this.#step();
        if (result !== undefined) return result;
      }
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      if (!this.#left.signal.aborted) throw error;
      return { done: true, value: undefined };
    } finally {
      this.#asked -= 1;
    }
  }

  async end(): Promise<void> {
    const { signal } = this.#options;
    const waiting = this.#asked > 0 || signal?.aborted === true;
    if (waiting) this.#left.abort(signal?.reason);
    const closed = this.#close();
    // Whoever is in the middle of an answer may never come to its end.
    if (waiting) closed.catch(() => undefined);
    else await closed;
  }

  get #missing(): number {
    return this.#length - this.#done;
  }

  async #close(): Promise<void> {
    const pieces = this.#pieces;
    this.#pieces = undefined;
    this.#watchdog?.close();
    this.#watchdog = undefined;
    await pieces?.return?.();
  }

  async #ask(range: ByteRange | undefined, version: string | undefined): Promise<OpenedBody> {
    const { open, retry: again, key, idleMs = 30_000, signal } = this.#options;
    const watchdog = new Watchdog({
      clock: again.clock,
      action: 'Reading the object',
      key,
      idleMs,
      signals: [signal, this.#left.signal],
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
      if (this.#missing === 0) return { done: true, value: undefined };
      await this.#cut(this.#short());
    } catch (error) {
      if (this.#left.signal.aborted || !(isRemoteStorageError(error) && error.retryable)) {
        throw error;
      }
      await this.#cut(error);
    }
    return undefined;
  }

  #accept(result: IteratorYieldResult<Uint8Array>): IteratorYieldResult<Uint8Array> {
    const { byteLength } = result.value;
    if (byteLength > this.#missing) {
      throw this.#corrupt(`gave ${byteLength - this.#missing} bytes more than it promised`);
    }
    this.#done += byteLength;
    return result;
  }

  async #cut(failure: RemoteStorageError): Promise<void> {
    // Whoever fell silent may never answer: its end is its own affair.
    void this.#close().catch(() => undefined);
    const brought = this.#done - this.#doneBefore;
    this.#doneBefore = this.#done;
    this.#emptyAnswers = brought > 0 ? 0 : this.#emptyAnswers + 1;
    if (this.#missing === 0 || brought >= FAIR_ANSWER_BYTES) return;
    if (this.#emptyAnswers >= MAX_EMPTY_ANSWERS) throw failure;
    const { random, clock, policy = DEFAULT_RETRY_POLICY } = this.#options.retry;
    const attempt = Math.max(1, this.#emptyAnswers);
    const pauseMs = retryPauseMs(failure, attempt, { policy, random });
    if (pauseMs === undefined) throw failure;
    await delay(clock, pauseMs, this.#left.signal);
  }

  async #resume(): Promise<void> {
    const { retry: again } = this.#options;
    const range = {
      start: this.#start + this.#done,
      end: this.#start + this.#length - 1,
    };
    const opened = await retry({ ...again, signal: this.#left.signal }, () =>
      this.#ask(range, this.#version),
    ).catch((error: unknown) => {
      if (!isRemoteStorageError(error)) throw error;
      if (error.kind !== 'precondition' && error.kind !== 'bad-range') throw error;
      throw this.#corrupt('found another object than it began with', error);
    });
    const { version } = opened;
    if (version !== undefined && this.#version !== undefined && version !== this.#version) {
      throw this.#corrupt(`began with version ${this.#version} and was then given ${version}`);
    }
    if (opened.length !== this.#missing) {
      throw this.#corrupt(`was offered ${opened.length} bytes where ${this.#missing} were left`);
    }
  }

  #short(): RemoteStorageError {
    const { key } = this.#options;
    return new RemoteStorageError(
      'unavailable',
      `Reading the object ${JSON.stringify(key)} ended ${this.#missing} bytes short`,
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
