import { isRemoteStorageError, RemoteStorageError } from '../errors.ts';
import { ReleasingStream } from '../releasing-stream.ts';

/** A range of an object that is to be read to its last byte. */
export interface ExactRange {
  readonly key: string;
  readonly start: number;
  /** Bytes, at least one. */
  readonly length: number;
}

/** Opens what is left of a range. */
export type OpenRange = (range: {
  readonly start: number;
  readonly end: number;
}) => Promise<AsyncIterable<Uint8Array>>;

// A transfer that breaks off without a byte, this often in a row, is given up.
const MAX_EMPTY_ATTEMPTS = 3;

/**
 * Reads a range exactly. A transfer that is cut goes on from the next byte, so that the reader sees
 * one clean stream; too many bytes, or too few that stay too few, are `corrupt`.
 */
export async function openExactly(
  range: ExactRange,
  open: OpenRange,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  const transfer = new Transfer(range, open);
  await transfer.open();
  return new ReleasingStream<Uint8Array>({
    signal,
    next: () => transfer.next(),
    release: () => transfer.close(),
  });
}

class Transfer {
  readonly #range: ExactRange;
  readonly #open: OpenRange;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #position: number;
  #emptyAttempts = 0;

  constructor(range: ExactRange, open: OpenRange) {
    this.#range = range;
    this.#open = open;
    this.#position = range.start;
  }

  async open(): Promise<AsyncIterator<Uint8Array>> {
    const { start, length } = this.#range;
    const pieces = await this.#open({ start: this.#position, end: start + length - 1 });
    this.#pieces = pieces[Symbol.asyncIterator]();
    return this.#pieces;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const result = await this.#step();
      if (result !== undefined) return result;
    }
  }

  async close(): Promise<void> {
    const pieces = this.#pieces;
    this.#pieces = undefined;
    await pieces?.return?.();
  }

  get #left(): number {
    return this.#range.start + this.#range.length - this.#position;
  }

  // `undefined` when the transfer was cut and is to be taken up again.
  async #step(): Promise<IteratorResult<Uint8Array, undefined> | undefined> {
    try {
      const pieces = this.#pieces ?? (await this.open());
      const result = await pieces.next();
      if (result.done) return await this.#ended();
      this.#accept(result.value);
      return result;
    } catch (error) {
      if (!(isRemoteStorageError(error) && error.retryable)) throw error;
      await this.#cut(error);
      return undefined;
    }
  }

  #accept(piece: Uint8Array): void {
    if (piece.byteLength > this.#left) {
      throw this.#corrupt(`gave ${piece.byteLength - this.#left} bytes more than were asked for`);
    }
    this.#position += piece.byteLength;
    if (piece.byteLength > 0) this.#emptyAttempts = 0;
  }

  async #ended(): Promise<IteratorReturnResult<undefined> | undefined> {
    if (this.#left === 0) return { done: true, value: undefined };
    await this.#cut(this.#corrupt(`ended ${this.#left} bytes short`));
    return undefined;
  }

  async #cut(failure: RemoteStorageError): Promise<void> {
    this.#emptyAttempts += 1;
    if (this.#emptyAttempts >= MAX_EMPTY_ATTEMPTS) throw failure;
    await this.close().catch(() => undefined);
  }

  #corrupt(problem: string): RemoteStorageError {
    const { key } = this.#range;
    return new RemoteStorageError(
      'corrupt',
      `Reading the object ${JSON.stringify(key)} ${problem}`,
      { key },
    );
  }
}
