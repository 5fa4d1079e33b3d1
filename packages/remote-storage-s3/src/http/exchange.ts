import {
  type ClientRequest,
  type Agent as HttpAgent,
  type IncomingMessage,
  request as sendHttp,
} from 'node:http';
import { request as sendHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock, Timer } from '@logloft/clock';
import { RemoteStorageError } from '@logloft/remote-storage';
import type {
  ExchangeOptions,
  ExchangeTimeouts,
  IncomingAnswer,
  OutgoingRequest,
} from './http-message.ts';
import { limitedBody } from './limited-body.ts';
import { queryString } from './query-string.ts';

/** What an {@link Exchange} goes over. */
export interface ExchangeContext {
  readonly clock: Clock;
  readonly agent: HttpAgent;
  readonly timeouts: ExchangeTimeouts;
}

// Bodies go in slices, so that it shows whether they move. Two are under way, so that none is waited for.
const SLICE_BYTES = 512 * 1024;
const SLICES_UNDER_WAY = 2;
// A page of 1,000 keys of 1,024 escaped bytes has a tenth of this.
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
const WATCH_ANSWER_MS = 5_000;

/** One request and the beginning of its answer. Whoever takes the answer reads or destroys its body. */
export class Exchange {
  readonly #request: OutgoingRequest;
  readonly #options: ExchangeOptions;
  readonly #context: ExchangeContext;
  readonly #result = Promise.withResolvers<IncomingAnswer>();
  readonly #onAbort = (): void => this.#fail(this.#options.abortSignal?.reason);
  #sent: ClientRequest | undefined;
  #timer: Timer | undefined;
  #answered = false;

  constructor(request: OutgoingRequest, options: ExchangeOptions, context: ExchangeContext) {
    this.#request = request;
    this.#options = options;
    this.#context = context;
  }

  /**
   * Sends the request.
   *
   * @throws RemoteStorageError `timeout`; the reason of the signal; what the connection fails with
   */
  async run(): Promise<IncomingAnswer> {
    const { abortSignal } = this.#options;
    abortSignal?.throwIfAborted();
    abortSignal?.addEventListener('abort', this.#onAbort, { once: true });
    try {
      this.#begin();
      return await this.#result.promise;
    } finally {
      this.#timer?.cancel();
      abortSignal?.removeEventListener('abort', this.#onAbort);
    }
  }

  #begin(): void {
    const { protocol, hostname, port, method, path, query, headers, body } = this.#request;
    const search = queryString(query);
    const send = protocol === 'https:' ? sendHttps : sendHttp;
    const sent = send({
      agent: this.#context.agent,
      protocol,
      hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
      ...(port === undefined ? {} : { port }),
      method,
      path: search === '' ? path : `${path}?${search}`,
      headers,
    });
    this.#sent = sent;
    const { queueMs } = this.#context.timeouts;
    this.#watch(queueMs, `got none of the connections within ${queueMs} ms; allow more of them`);
    sent.on('socket', (socket) => this.#onSocket(socket));
    sent.on('response', (answer) => this.#onAnswer(answer));
    sent.on('error', (error) => this.#fail(error));
    sent.on('close', () => this.#fail(connectionLost()));
    this.#write(bytesOf(body));
  }

  #onSocket(socket: Socket): void {
    const { connectMs } = this.#context.timeouts;
    if (!socket.connecting) {
      this.#onActivity();
      return;
    }
    this.#watch(connectMs, `was not connected within ${connectMs} ms`);
    const ready = this.#request.protocol === 'https:' ? 'secureConnect' : 'connect';
    socket.once(ready, () => this.#onActivity());
  }

  // Each slice that was taken over lets the next one follow.
  #write(bytes: Uint8Array): void {
    let at = 0;
    const next = (): void => {
      const sent = this.#sent;
      if (sent === undefined || this.#answered || sent.destroyed || at >= bytes.byteLength) return;
      const slice = bytes.subarray(at, at + SLICE_BYTES);
      at += slice.byteLength;
      sent.write(slice, (error) => {
        if (error !== undefined && error !== null) return;
        this.#onActivity();
        next();
      });
      if (at >= bytes.byteLength) sent.end();
    };
    if (bytes.byteLength === 0) this.#sent?.end();
    for (let slices = 0; slices < SLICES_UNDER_WAY; slices += 1) next();
  }

  #onActivity(): void {
    if (this.#answered) return;
    const { silenceMs } = this.#context.timeouts;
    this.#watch(silenceMs, `moved no byte for ${silenceMs} ms`);
    this.#options.onActivity?.();
  }

  #onAnswer(answer: IncomingMessage): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#options.onActivity?.();
    this.#watchAnswer(answer);
    // A store that refuses before it has read everything leaves a connection that is good for nothing.
    const { writableEnded } = this.#sent ?? {};
    if (!writableEnded) answer.once('end', () => this.#sent?.destroy());
    const { statusCode = 0 } = answer;
    const isDocument = !this.#options.isStream || statusCode >= 300;
    if (isDocument) destroyOnAbort(answer, this.#options.abortSignal);
    this.#result.resolve({
      statusCode,
      reason: answer.statusMessage,
      headers: flat(answer.headers),
      body: isDocument ? limitedBody(answer, MAX_DOCUMENT_BYTES) : answer,
    });
  }

  // An answer may trickle for minutes while the store works, and its reader is then not told of it.
  #watchAnswer(answer: IncomingMessage): void {
    const { onActivity } = this.#options;
    if (onActivity === undefined) return;
    let seen = answer.socket.bytesRead;
    let timer: Timer;
    const look = (): void => {
      const now = answer.socket.bytesRead;
      if (now > seen) onActivity();
      seen = now;
      timer = this.#context.clock.setTimer(WATCH_ANSWER_MS, look);
    };
    timer = this.#context.clock.setTimer(WATCH_ANSWER_MS, look);
    answer.once('close', () => timer.cancel());
  }

  #watch(ms: number, problem: string): void {
    this.#timer?.cancel();
    this.#timer = this.#context.clock.setTimer(ms, () => {
      const { method, hostname } = this.#request;
      this.#fail(new RemoteStorageError('timeout', `${method} request to ${hostname} ${problem}`));
    });
  }

  #fail(reason: unknown): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#result.reject(reason);
    this.#sent?.destroy();
  }
}

// The SDK reads a document to its end, whether anybody waits for it or not.
function destroyOnAbort(answer: IncomingMessage, signal: AbortSignal | undefined): void {
  const onAbort = (): void => void answer.destroy();
  signal?.addEventListener('abort', onAbort, { once: true });
  answer.once('close', () => signal?.removeEventListener('abort', onAbort));
}

function bytesOf(body: unknown): Uint8Array {
  if (body === undefined || body === null) return new Uint8Array(0);
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  throw new RemoteStorageError('invalid-configuration', 'Only bytes can be sent, not streams');
}

function flat(headers: IncomingMessage['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value = '']) => [
    name,
    typeof value === 'string' ? value : value.join(', '),
  ]);
  return Object.fromEntries(entries);
}

function connectionLost(): Error {
  return Object.assign(new Error('The connection was closed without an answer'), {
    code: 'ECONNRESET',
  });
}
