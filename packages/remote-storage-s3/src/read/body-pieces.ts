import { Readable } from 'node:stream';
import type { RemoteStorageError } from '@logloft/remote-storage';

// Enough to keep the connection busy while the reader looks elsewhere.
const HIGH_WATER_BYTES = 512 * 1024;

interface Waiter {
  resolve(result: IteratorResult<Uint8Array, undefined>): void;
  reject(error: unknown): void;
}

/**
 * The bytes of an answer as they come from the socket, by `data` events, which cost less than iterating
 * the stream. Bounded by pausing; breaking off closes the connection.
 */
export class BodyPieces implements AsyncIterableIterator<Uint8Array, undefined, void> {
  readonly #body: Readable;
  readonly #toError: (thrown: unknown) => RemoteStorageError;
  readonly #onClosed: (pieces: BodyPieces) => void;
  readonly #queue: Uint8Array[] = [];
  #queued = 0;
  #ended = false;
  #failure: RemoteStorageError | undefined;
  #waiter: Waiter | undefined;

  constructor(
    body: Readable,
    handlers: {
      /** Says what a failure of the connection means. */
      readonly toError: (thrown: unknown) => RemoteStorageError;
      readonly onClosed: (pieces: BodyPieces) => void;
    },
  ) {
    this.#body = body;
    this.#toError = handlers.toError;
    this.#onClosed = handlers.onClosed;
    body.on('data', (piece: Uint8Array) => this.#onData(piece));
    body.on('end', () => this.#end());
    body.on('error', (error) => this.#fail(this.#toError(error)));
    body.on('close', () => {
      this.#onClosed(this);
      if (!this.#ended) this.#fail(this.#toError(cut()));
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const piece = this.#queue.shift();
    if (piece !== undefined) {
      this.#queued -= piece.byteLength;
      if (this.#queued < HIGH_WATER_BYTES && this.#body.isPaused()) this.#body.resume();
      return Promise.resolve({ done: false, value: piece });
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.#queue.length = 0;
    this.#end();
    this.#body.destroy();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Breaks off with an error, which the reader gets. */
  stop(error: RemoteStorageError): void {
    this.#queue.length = 0;
    this.#fail(error);
    this.#body.destroy();
  }

  #onData(piece: Uint8Array): void {
    if (this.#ended || this.#failure !== undefined) return;
    const waiter = this.#waiter;
    if (waiter !== undefined) {
      this.#waiter = undefined;
      waiter.resolve({ done: false, value: piece });
      return;
    }
    this.#queue.push(piece);
    this.#queued += piece.byteLength;
    if (this.#queued >= HIGH_WATER_BYTES) this.#body.pause();
  }

  #end(): void {
    this.#ended = true;
    this.#waiter?.resolve({ done: true, value: undefined });
    this.#waiter = undefined;
  }

  #fail(error: RemoteStorageError): void {
    if (this.#ended || this.#failure !== undefined) return;
    this.#failure = error;
    this.#waiter?.reject(error);
    this.#waiter = undefined;
  }
}

/** Whether the SDK gave a stream of Node; clients with a handler of their own may give others. */
export function isNodeStream(body: unknown): body is Readable {
  return body instanceof Readable;
}

function cut(): Error {
  return Object.assign(new Error('The connection was closed in the middle of the answer'), {
    code: 'ECONNRESET',
  });
}
