import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { HttpOperationResponse, IHttpClient, WebResource } from '@azure/storage-blob';
import type { Clock } from '@logloft/clock';
import { HttpExchange } from './http-exchange.ts';

/** How a {@link BlobTransport} connects, and how long it waits. */
export interface BlobTransportOptions {
  readonly clock: Clock;
  /** Most connections at one time, >= 1. Requests beyond it wait for their turn. */
  readonly maxConnections: number;
  /** Ms for a connection to be made, TLS included. */
  readonly connectTimeoutMs: number;
  /** Ms from the last byte of a request to the first one of its answer. */
  readonly answerTimeoutMs: number;
  /** Ms without a byte while a request is being sent, or a short answer is being read. */
  readonly idleTimeoutMs: number;
}

/**
 * What carries the SDK's requests: the SDK's own client has no time-out of any kind, and no bound on its
 * connections. Answers with bytes of an object are handed on as they come; whoever reads those watches
 * for silence.
 */
export class BlobTransport implements IHttpClient {
  readonly #options: BlobTransportOptions;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;
  readonly #movement = new WeakMap<object, () => void>();

  constructor(options: BlobTransportOptions) {
    this.#options = options;
    const { maxConnections } = options;
    const pool = {
      keepAlive: true,
      maxSockets: maxConnections,
      maxFreeSockets: maxConnections,
      scheduling: 'lifo',
    } as const;
    this.#http = new HttpAgent(pool);
    this.#https = new HttpsAgent(pool);
  }

  /** Connections that are open now, in use or not. */
  get openConnections(): number {
    return count(this.#http) + count(this.#https);
  }

  /** Has `moved` called while bytes of the request with this signal are being sent. */
  watch(signal: AbortSignal, moved: () => void): void {
    this.#movement.set(signal, moved);
  }

  /** Called by the SDK. */
  async sendRequest(request: WebResource): Promise<HttpOperationResponse> {
    const url = new URL(request.url);
    const { abortSignal } = request;
    const exchange = new HttpExchange(request, {
      ...this.#options,
      url,
      // The SDK sets an agent of its own where the environment names a proxy.
      agent: request.agent ?? (url.protocol === 'https:' ? this.#https : this.#http),
      onMoved: abortSignal === undefined ? undefined : this.#movement.get(abortSignal),
    });
    return await exchange.run();
  }

  /** Ends all connections. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

function count({ sockets, freeSockets }: HttpAgent): number {
  return [...Object.values(sockets), ...Object.values(freeSockets)].reduce(
    (total, list) => total + (list?.length ?? 0),
    0,
  );
}
