import type { ClientRequest, IncomingMessage, RequestOptions, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@logloft/clock';
import { RemoteStorageError } from '@logloft/remote-storage';
import { codeOf, connectionFailure } from '../connection-failure.ts';
import { describe } from '../gcs-error.ts';
import type { ResolvedTuning } from '../gcs-settings.ts';
import { AnswerPieces } from './answer-pieces.ts';
import type { GcsRequest } from './gcs-request.ts';
import type { OpenAnswer } from './gcs-transport.ts';
import { IdleTimer } from './idle-timer.ts';

// Written so much at a time, a slow connection shows that it moves.
const WRITE_BYTES = 256 * 1024;

/** What one request and its answer need. */
export interface ExchangeOptions {
  readonly request: GcsRequest;
  readonly bucket: string;
  readonly send: typeof request;
  readonly settings: RequestOptions;
  readonly clock: Clock;
  readonly tuning: ResolvedTuning;
  /** Each of them ends everything, also while the answer is read. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

// A store that was started anew leaves more than one connection that is kept in vain.
const MAX_STALE_CONNECTIONS = 3;

/**
 * Sends a request and waits for its answer to begin. Connections that had been kept, and that the
 * store had closed meanwhile, are replaced, where sending twice does no harm.
 *
 * @throws RemoteStorageError by kind; the reason of the signal that aborted
 */
export async function exchange(options: ExchangeOptions): Promise<OpenAnswer> {
  const { method } = options.request;
  for (let attempt = 1; ; attempt += 1) {
    const tried = new Exchange(options);
    try {
      return await tried.run();
    } catch (error) {
      // An upload must know that it was sent before: the first one may have been stored.
      const harmless = method === 'GET' || method === 'DELETE';
      if (!(harmless && tried.wasStale && attempt <= MAX_STALE_CONNECTIONS)) throw error;
    }
  }
}

class Exchange {
  readonly #options: ExchangeOptions;
  readonly #timer: IdleTimer;
  readonly #unlink: (() => void)[] = [];
  readonly #settled = Promise.withResolvers<OpenAnswer>();
  #outgoing: ClientRequest | undefined;
  #failure: { readonly reason: unknown } | undefined;
  #answered = false;
  #stale = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#timer = new IdleTimer(options.clock, (what, ms) => this.#expire(what, ms));
  }

  /** Whether it failed before an answer on a connection that had served other requests. */
  get wasStale(): boolean {
    return this.#stale;
  }

  async run(): Promise<OpenAnswer> {
    const { send, settings, request: asked, signals, tuning } = this.#options;
    for (const signal of signals) signal?.throwIfAborted();
    const length = (asked.body ?? []).reduce((total, piece) => total + piece.byteLength, 0);
    const headers = { ...settings.headers, ...(asked.method === 'GET' ? {} : lengthOf(length)) };
    const outgoing = send({ ...settings, headers });
    this.#outgoing = outgoing;
    this.#timer.expect('waited for a free connection', tuning.idleTimeoutMs);
    outgoing.once('socket', (socket) => this.#onSocket(socket, asked.body ?? []));
    outgoing.once('response', (answer) => this.#onAnswer(answer));
    // Also after the answer, when the connection breaks: then the answer has the same error.
    outgoing.on('error', (error) => this.#onError(error));
    outgoing.once('close', () => this.#onClose());
    for (const signal of signals) this.#link(signal);
    return await this.#settled.promise;
  }

  #onSocket(socket: Socket, body: readonly Uint8Array[]): void {
    const write = (): void => {
      this.#timer.expect('sent no byte', this.#options.tuning.idleTimeoutMs);
      this.#write(slicesOf(body));
    };
    if (!socket.connecting) {
      write();
      return;
    }
    this.#timer.expect('waited for a connection', this.#options.tuning.connectTimeoutMs);
    socket.once(isSecure(socket) ? 'secureConnect' : 'connect', write);
  }

  #write(slices: Iterator<Uint8Array, undefined>): void {
    const outgoing = this.#outgoing;
    if (outgoing === undefined) return;
    while (!this.#answered && !outgoing.destroyed) {
      const { value, done } = slices.next();
      if (done) {
        outgoing.end();
        this.#timer.expect('waited for an answer', this.#options.tuning.firstByteTimeoutMs);
        return;
      }
      if (outgoing.write(value)) continue;
      outgoing.once('drain', () => {
        this.#timer.touch();
        this.#options.request.onMoved?.();
        this.#write(slices);
      });
      return;
    }
  }

  #onAnswer(answer: IncomingMessage): void {
    this.#answered = true;
    this.#timer.pause();
    const pieces = new AnswerPieces(answer, {
      failure: (thrown) => this.#failureOf(thrown),
      timer: this.#timer,
      idleMs: this.#options.tuning.idleTimeoutMs,
    });
    const { statusCode: status = 0, headers } = answer;
    // An answer before the end of the request: the rest of it must not be sent any more, and its memory
    // is somebody else's as soon as the answer is dealt with.
    if (this.#outgoing?.writableEnded !== true) answer.once('end', () => this.#outgoing?.destroy());
    this.#settled.resolve({ status, headers, pieces });
  }

  #onError(error: Error): void {
    const passing = codeOf(error) === 'ECONNRESET' || codeOf(error) === 'EPIPE';
    this.#stale =
      passing &&
      !this.#answered &&
      this.#failure === undefined &&
      this.#outgoing?.reusedSocket === true;
    this.#settled.reject(this.#failureOf(error));
  }

  #onClose(): void {
    this.#timer.stop();
    for (const unlink of this.#unlink.splice(0)) unlink();
    this.#settled.reject(this.#failureOf(new Error('the connection was closed')));
  }

  #expire(what: string, ms: number): void {
    const { request: asked, bucket } = this.#options;
    const { operation, key } = asked;
    const place = describe({ operation, bucket, key });
    this.#fail(new RemoteStorageError('timeout', `${place} failed: ${what} for ${ms} ms`, { key }));
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#outgoing?.destroy();
    this.#settled.reject(reason);
  }

  #failureOf(thrown: unknown): unknown {
    if (this.#failure !== undefined) return this.#failure.reason;
    const { request: asked, bucket } = this.#options;
    return connectionFailure(thrown, { operation: asked.operation, bucket, key: asked.key });
  }

  #link(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const onAbort = (): void => this.#fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#unlink.push(() => signal.removeEventListener('abort', onAbort));
  }
}

function lengthOf(bytes: number): Record<string, string> {
  return { 'content-length': String(bytes) };
}

function isSecure(socket: Socket): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}

function* slicesOf(body: readonly Uint8Array[]): Generator<Uint8Array, undefined, undefined> {
  for (const piece of body) {
    for (let at = 0; at < piece.byteLength; at += WRITE_BYTES) {
      yield piece.subarray(at, at + WRITE_BYTES);
    }
  }
  return undefined;
}
