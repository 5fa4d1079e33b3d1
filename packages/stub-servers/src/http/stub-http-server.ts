import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '@logloft/clock';
import { httpTime } from './civil-time.ts';
import { Exchange, RequestCutError } from './exchange.ts';
import type { FailureAction } from './failure-action.ts';
import { FailureScript } from './failure-script.ts';
import { readRequestHead } from './request-head.ts';
import { type MutableLoggedRequest, type RequestIdentity, RequestLog } from './request-log.ts';
import type { StubService } from './stub-service.ts';

/** Settings of a {@link StubHttpServer}. */
export interface StubHttpServerOptions {
  readonly clock: Clock;
  /** 0 takes a free one. */
  readonly port: number;
  /** Whether `Expect: 100-continue` is answered when the body is wanted, or never. */
  readonly expectContinue: 'answer' | 'ignore';
  /** How many requests the log keeps. */
  readonly maxLoggedRequests: number;
}

const LOOPBACK = '127.0.0.1';
const HEADER_BYTES_MAX = 64 * 1024;

/** A service on a port of 127.0.0.1, with a log of its requests and a script of its failures. */
export class StubHttpServer implements AsyncDisposable {
  readonly requests: RequestLog;
  readonly failures: FailureScript = new FailureScript();
  readonly port: number;
  readonly #server: Server;
  readonly #service: StubService;
  readonly #clock: Clock;
  readonly #answersContinue: boolean;
  readonly #idleWaiters = new Set<() => void>();
  #connections = 0;
  #running = 0;
  #closing: Promise<void> | undefined;

  private constructor(server: Server, service: StubService, options: StubHttpServerOptions) {
    const address = server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
    this.requests = new RequestLog(options.maxLoggedRequests);
    this.#server = server;
    this.#service = service;
    this.#clock = options.clock;
    this.#answersContinue = options.expectContinue === 'answer';
    server.on('connection', () => {
      this.#connections += 1;
    });
    server.on('request', (request, response) => this.#accept(request, response, false));
    server.on('checkContinue', (request, response) => this.#accept(request, response, true));
  }

  /**
   * Opens the port.
   *
   * @throws the system's error (`code` EADDRINUSE, EACCES) when the port cannot be had
   */
  static async listen(
    service: StubService,
    options: StubHttpServerOptions,
  ): Promise<StubHttpServer> {
    const server = createServer({
      keepAlive: true,
      // Longer than any client keeps a connection, or it would be closed under a request.
      keepAliveTimeout: 600_000,
      maxHeaderSize: HEADER_BYTES_MAX,
      // Node's own limits run by the machine's clock; a test that holds a request needs none.
      headersTimeout: 0,
      requestTimeout: 0,
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, LOOPBACK, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return new StubHttpServer(server, service, options);
  }

  /** `http://127.0.0.1:<port>`, without a slash at its end. */
  get url(): string {
    return `http://${LOOPBACK}:${this.port}`;
  }

  /** How many connections were accepted so far. */
  get connections(): number {
    return this.#connections;
  }

  /**
   * Resolves as soon as no request is being served: after a client broke off, that is when the stub
   * has noticed and cleaned up. Requests that a script holds count until their clients go.
   *
   * @throws the reason of `signal` when that comes first
   */
  async idle(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#running === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => reject(signal?.reason);
    this.#idleWaiters.add(resolve);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      this.#idleWaiters.delete(resolve);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Ends the port, all connections and all delays. May be called again. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
    await this.idle();
  }

  #accept(request: IncomingMessage, response: ServerResponse, continueExpected: boolean): void {
    const head = readRequestHead(request);
    const identity = this.#service.identify(head);
    const action = this.failures.decide({ ...head, ...identity });
    const record: MutableLoggedRequest = {
      ...identity,
      method: head.method,
      path: head.target,
      status: 0,
      bytesIn: 0,
      bytesOut: 0,
      outcome: 'running',
      failure: action?.kind,
      error: undefined,
    };
    this.requests.begin(record);
    const exchange = new Exchange({
      head,
      request,
      response,
      record,
      action,
      continueExpected: continueExpected && this.#answersContinue,
    });
    this.#running += 1;
    void this.#run(exchange, { identity, record, action }).finally(() => {
      this.#running -= 1;
      if (this.#running > 0) return;
      for (const wake of this.#idleWaiters) wake();
      this.#idleWaiters.clear();
    });
  }

  async #run(exchange: Exchange, request: RunningRequest): Promise<void> {
    const { record } = request;
    const time = (): string => httpTime(this.#clock.now());
    try {
      await this.#serve(exchange, request, time);
    } catch (error) {
      if (error instanceof RequestCutError) {
        record.outcome = 'cut';
        exchange.breakConnection(false);
        return;
      }
      record.error = error;
      await exchange.send(this.#service.unexpected(error, exchange.head), time());
    }
  }

  async #serve(exchange: Exchange, request: RunningRequest, time: () => string): Promise<void> {
    const { action, identity } = request;
    if (action?.kind === 'hang') {
      // A body that nobody reads would hide from the stub that the client is gone.
      await exchange.discardBody();
      await exchange.closed;
      throw new RequestCutError('held by script until the client went');
    }
    if (action?.kind === 'delay') await this.#delay(action.ms, exchange);
    // At once, so that it holds for requests without a body as well.
    if (action?.kind === 'cut-request' && action.afterBytes === 0) {
      exchange.breakConnection(action.reset ?? false);
      throw new RequestCutError('by script before its body');
    }
    if (action?.kind === 'forget-upload') this.#service.forgetUpload(exchange.head);
    if (action?.kind === 'answer') {
      if (action.readBody ?? true) await exchange.discardBody();
      await exchange.send(this.#service.scriptedAnswer(action, exchange.head), time());
      return;
    }
    // A request that is cut is not served, even where serving it would not read the body.
    if (action?.kind === 'cut-request' && !hasBody(exchange)) await exchange.discardBody();
    await exchange.send(await this.#service.serve(exchange, identity), time());
  }

  async #delay(ms: number, exchange: Exchange): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.setTimer(ms, resolve);
    // Closing the stub ends the connection, and thereby the delay.
    await Promise.race([promise, exchange.closed]);
    timer.cancel();
    if (exchange.isGone) throw new RequestCutError('the client went away while it was delayed');
  }
}

interface RunningRequest {
  readonly identity: RequestIdentity;
  readonly record: MutableLoggedRequest;
  readonly action: FailureAction | undefined;
}

function hasBody(exchange: Exchange): boolean {
  const { headers } = exchange.head;
  return headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0';
}
