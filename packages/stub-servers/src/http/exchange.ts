import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, bodyBytes } from './answer.ts';
import type { CutRequestAction, FailureAction } from './failure-action.ts';
import type { RequestHead } from './request-head.ts';
import type { MutableLoggedRequest } from './request-log.ts';

/** The request ended before it was whole: there is nobody to answer, and nothing may be kept of it. */
export class RequestCutError extends Error {
  constructor(reason: string) {
    super(`request cut: ${reason}`);
    this.name = 'RequestCutError';
  }
}

/** What an {@link Exchange} is made of. */
export interface ExchangeParts {
  readonly head: RequestHead;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: MutableLoggedRequest;
  readonly action: FailureAction | undefined;
  /** Whether the client waits for a `100 Continue`, and the stub means to send one. */
  readonly continueExpected: boolean;
}

/** One request and its answer. */
export class Exchange {
  readonly head: RequestHead;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #record: MutableLoggedRequest;
  readonly #action: FailureAction | undefined;
  readonly #closed: Promise<void>;
  #continueOwed: boolean;
  #bodyRead = false;

  constructor(parts: ExchangeParts) {
    this.head = parts.head;
    this.#request = parts.request;
    this.#response = parts.response;
    this.#record = parts.record;
    this.#action = parts.action;
    this.#continueOwed = parts.continueExpected;
    this.#closed = new Promise((resolve) => {
      parts.response.once('close', resolve);
    });
    // Whoever reads the body hears of these; without a listener they would end the process.
    parts.request.on('error', () => undefined);
    parts.response.on('error', () => undefined);
  }

  /** Resolves when the answer is out or the connection gone. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Whether the connection is gone, so that nobody hears an answer. */
  get isGone(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed;
  }

  /**
   * Reads the body to its end. `sink` gets each piece once, in order; what it throws is thrown here,
   * and the rest of the body is then discarded.
   *
   * @throws RequestCutError when the connection breaks before the end, also by a scripted failure
   */
  async readBody(sink: (piece: Buffer) => void): Promise<void> {
    if (this.#bodyRead) throw new Error('the body of this request was read before');
    this.#bodyRead = true;
    this.#sendContinue();
    const cut = this.#action?.kind === 'cut-request' ? this.#action : undefined;
    const request = this.#request;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const fail = (): void => reject(new RequestCutError('the client went away'));
    const finish = (): void => {
      if (cut !== undefined) reject(this.#cut(cut));
      else if (request.complete) resolve();
      else fail();
    };
    const take = (piece: Buffer): void => {
      const room = cut === undefined ? piece.length : cut.afterBytes - this.#record.bytesIn;
      this.#record.bytesIn += Math.min(room, piece.length);
      try {
        if (room > 0) sink(piece.length > room ? piece.subarray(0, room) : piece);
      } catch (error) {
        reject(error);
        return;
      }
      if (cut !== undefined && piece.length >= room) reject(this.#cut(cut));
    };
    request.on('data', take);
    request.once('end', finish);
    request.once('close', fail);
    try {
      await promise;
    } finally {
      // What is left of the body flows on to nobody, or Node discards it once the answer is out.
      request.off('data', take);
      request.off('end', finish);
      request.off('close', fail);
    }
  }

  /** Reads the body to its end and forgets it, unless that was done before. */
  async discardBody(): Promise<void> {
    if (!this.#bodyRead) await this.readBody(() => undefined);
  }

  /** Breaks the connection, by FIN or by RST. */
  breakConnection(reset: boolean): void {
    if (reset) this.#request.socket.resetAndDestroy();
    else this.#request.socket.destroy();
  }

  /** Sends an answer, or as much of it as the scripted failure lets through; resolves when it is out. */
  async send(answer: Answer, time: string): Promise<void> {
    const action = this.#action;
    if (action?.kind === 'lose-answer') {
      this.#record.outcome = 'lost';
      this.breakConnection(action.reset ?? false);
    } else if (!this.isGone) {
      this.#writeHead(answer, time);
      this.#writeBody(answer, action);
    }
    await this.#closed;
    if (this.#record.outcome === 'running') {
      this.#record.outcome = this.#response.writableFinished ? 'answered' : 'cut';
    }
  }

  #sendContinue(): void {
    if (!this.#continueOwed) return;
    this.#continueOwed = false;
    this.#response.writeContinue();
  }

  #cut(action: CutRequestAction): RequestCutError {
    this.breakConnection(action.reset ?? false);
    return new RequestCutError(`by script after ${action.afterBytes} bytes`);
  }

  #writeHead(answer: Answer, time: string): void {
    const headers: string[] = ['Date', time];
    let lengthGiven = false;
    for (const [name, value] of answer.headers) {
      headers.push(name, value);
      if (name.toLowerCase() === 'content-length') lengthGiven = true;
    }
    const bodyless = answer.status === 204 || answer.status === 304;
    if (!lengthGiven && !bodyless) headers.push('Content-Length', String(bodyBytes(answer)));
    this.#response.sendDate = false;
    this.#response.writeHead(answer.status, headers);
    this.#record.status = answer.status;
  }

  #writeBody(answer: Answer, action: FailureAction | undefined): void {
    const response = this.#response;
    if (action?.kind !== 'truncate-answer' && action?.kind !== 'stall-answer') {
      if (this.head.method !== 'HEAD') this.#writePieces(answer, Number.POSITIVE_INFINITY);
      response.end();
      return;
    }
    this.#record.outcome = 'lost';
    response.flushHeaders();
    if (this.head.method !== 'HEAD') this.#writePieces(answer, action.afterBytes);
    if (action.kind === 'stall-answer') return;
    // The callback of an empty write comes when all before it has been handed to the system.
    this.#request.socket.write('', () => this.breakConnection(action.reset ?? false));
  }

  #writePieces(answer: Answer, maxBytes: number): void {
    let left = maxBytes;
    for (const piece of answer.body) {
      if (left <= 0) return;
      const part = piece.byteLength > left ? piece.subarray(0, left) : piece;
      this.#response.write(part);
      this.#record.bytesOut += part.byteLength;
      left -= part.byteLength;
    }
  }
}
