import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Clock } from '@logloft/clock';
import { Exchange } from './exchange.ts';
import type {
  ExchangeOptions,
  ExchangeTimeouts,
  IncomingAnswer,
  OutgoingRequest,
} from './http-message.ts';

/** How the connections to a store are made. */
export interface RequestHandlerOptions {
  readonly clock: Clock;
  readonly timeouts: ExchangeTimeouts;
  readonly maxConnections: number;
  /** Whether the certificate of the store must be good. */
  readonly certificateCheck: boolean;
}

/** The part of the SDK that sends requests. A type, since the SDK takes no interface for it. */
export type RequestHandler = {
  readonly metadata: { readonly handlerProtocol: string };
  handle(
    request: OutgoingRequest,
    options?: ExchangeOptions,
  ): Promise<{ readonly response: IncomingAnswer }>;
  destroy(): void;
};

// Stores close connections that are not used for some 20 s; a request must not run into that.
const UNUSED_MS = 15_000;

/**
 * Sends the SDK's requests over `node:http`: with time-outs by the clock for every step, with bodies
 * that are written as they lie in memory, and with a bounded number of connections.
 */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { clock, timeouts, maxConnections, certificateCheck } = options;
  const pooling = {
    keepAlive: true,
    maxSockets: maxConnections,
    maxFreeSockets: maxConnections,
    scheduling: 'lifo',
    timeout: UNUSED_MS,
  } as const;
  const plain = new HttpAgent(pooling);
  const secure = new HttpsAgent({ ...pooling, rejectUnauthorized: certificateCheck });
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request, exchangeOptions = {}) {
      const agent = request.protocol === 'https:' ? secure : plain;
      const exchange = new Exchange(request, exchangeOptions, { clock, agent, timeouts });
      return { response: await exchange.run() };
    },
    destroy() {
      plain.destroy();
      secure.destroy();
    },
  };
}
