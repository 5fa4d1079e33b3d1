import type { IncomingMessage } from 'node:http';
import type { IdleTimer } from './idle-timer.ts';

// As much is read ahead of whoever reads, and no more.
const AHEAD_BYTES = 256 * 1024;

/** What {@link AnswerPieces} need besides the answer. */
export interface AnswerPiecesOptions {
  /** Makes the error to throw of what the connection failed with. */
  readonly failure: (thrown: unknown) => unknown;
  /** Ends the connection when bytes are awaited in vain. What the reader does meanwhile is free. */
  readonly timer: IdleTimer;
  readonly idleMs: number;
}

/**
 * The bytes of an answer, each piece as it came from the socket. (A stream's own iterator joins pieces
 * by copying them.) Breaking off ends the connection; so does `drop`.
 */
export class AnswerPieces implements AsyncIterableIterator<Uint8Array, undefined, void> {
  readonly #answer: IncomingMessage;
  readonly #options: AnswerPiecesOptions;
  readonly #queue: Uint8Array[] = [];
  #queued = 0;
  #ended = false;
  #failed: { readonly reason: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(answer: IncomingMessage, options: AnswerPiecesOptions) {
    this.#answer = answer;
    this.#options = options;
    answer.on('data', (piece: Uint8Array) => {
      this.#queue.push(piece);
      this.#queued += piece.byteLength;
      if (this.#queued >= AHEAD_BYTES) answer.pause();
      this.#notify();
    });
    answer.once('end', () => {
      this.#ended = true;
      this.#notify();
    });
    answer.once('error', (error) => this.#fail(error));
    answer.once('close', () => this.#fail(prematureClose()));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const piece = this.#queue.shift();
      if (piece !== undefined) {
        this.#queued -= piece.byteLength;
        if (this.#queue.length === 0) this.#answer.resume();
        return { done: false, value: piece };
      }
      if (this.#ended) return { done: true, value: undefined };
      if (this.#failed !== undefined) throw this.#options.failure(this.#failed.reason);
      const { timer, idleMs } = this.#options;
      timer.expect('received no byte', idleMs);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      timer.pause();
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.drop();
    return { done: true, value: undefined };
  }

  /** Wants nothing more. An answer that came whole leaves its connection for the next request. */
  drop(): void {
    this.#queue.length = 0;
    this.#queued = 0;
    if (this.#ended) return;
    this.#ended = true;
    this.#answer.destroy();
    this.#notify();
  }

  #fail(reason: unknown): void {
    if (this.#ended || this.#failed !== undefined) return;
    this.#failed = { reason };
    this.#notify();
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

function prematureClose(): Error {
  return Object.assign(new Error('closed before the end of the answer'), {
    code: 'ERR_STREAM_PREMATURE_CLOSE',
  });
}
