import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { MetricsRegistry } from '@logloft/metrics';
import { PrometheusExporter } from '@logloft/metrics/prometheus';
import { printAddress } from '../command-line/address.ts';
import { PortTakenError } from '../port-taken-error.ts';
import { type ProcessTimes, processSamples } from './process-samples.ts';

/** What the server tells, and where. */
export interface StatusServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly metrics: MetricsRegistry;
  readonly processTimes: ProcessTimes;
  /** Whether the broker serves requests now. */
  readonly isReady: () => boolean;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const TEXT = 'text/plain; charset=utf-8';

/** `/healthz`: the process lives. `/readyz`: the broker serves. `/metrics`: for Prometheus. */
export class StatusServer {
  readonly #server: Server;
  readonly #options: StatusServerOptions;
  readonly #exporter: PrometheusExporter;

  private constructor(options: StatusServerOptions) {
    this.#options = options;
    const { metrics: registry, processTimes } = options;
    this.#exporter = new PrometheusExporter({
      registry,
      prefix: 'logloft',
      extraSamples: () => processSamples(processTimes),
    });
    this.#server = createServer({ requestTimeout: 10_000, keepAliveTimeout: 5_000 });
    this.#server.on('request', (request, response) => this.#respond(request, response));
  }

  /** Starts it. @throws PortTakenError when the port is taken, otherwise what the system says */
  static async listen(options: StatusServerOptions): Promise<StatusServer> {
    const status = new StatusServer(options);
    await status.#listen();
    return status;
  }

  /** `http://host:port`, with the port that is really listened on. */
  get url(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return `http://${printAddress(this.#options.host, port)}`;
  }

  /** Ends it, with connections that are open. Idempotent. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  async #listen(): Promise<void> {
    const { host, port } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen({ host, port }, () => resolve());
    try {
      await promise;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      throw isTaken ? new PortTakenError({ host, port, use: 'http', cause: error }) : error;
    } finally {
      this.#server.off('error', reject);
    }
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const { status, type, body } = this.#answer(request);
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  #answer({ method, url = '/', headers }: IncomingMessage): Answer {
    if (method !== 'GET' && method !== 'HEAD') {
      return { status: 405, type: TEXT, body: 'Only GET and HEAD are answered.\n' };
    }
    switch (url.split('?', 1)[0]) {
      case '/healthz':
        return { status: 200, type: TEXT, body: 'ok\n' };
      case '/readyz':
        return this.#options.isReady()
          ? { status: 200, type: TEXT, body: 'ready\n' }
          : { status: 503, type: TEXT, body: 'not ready\n' };
      case '/metrics':
        return this.#metrics(headers.accept);
      case '/':
        return { status: 200, type: TEXT, body: 'logloft\n\n/healthz\n/readyz\n/metrics\n' };
      default:
        return { status: 404, type: TEXT, body: 'There are /healthz, /readyz and /metrics.\n' };
    }
  }

  #metrics(accept: string | undefined): Answer {
    const { contentType, body } = this.#exporter.answer(accept);
    return { status: 200, type: contentType, body };
  }
}
