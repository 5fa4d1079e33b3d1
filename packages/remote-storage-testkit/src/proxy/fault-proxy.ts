import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '@logloft/clock';
import { type ExchangeRecord, ProxiedExchange } from './proxied-exchange.ts';
import type { ProxyExchange } from './proxy-fault.ts';
import { type ProxyFaultPlan, ruledProxyFaults } from './proxy-plan.ts';
import { type ProxyTarget, targetOf } from './proxy-target.ts';

/** How a {@link FaultProxy} is started. */
export interface FaultProxyOptions {
  /** Where requests go, for example `http://127.0.0.1:9000`; its path does not count. Plain HTTP only. */
  readonly target: ProxyTarget;
  /** What goes wrong. Default nothing. */
  readonly faults?: ProxyFaultPlan | undefined;
  /** Measures delays and rates. Default the clock of the machine. */
  readonly clock?: Clock | undefined;
}

/** An HTTP proxy in front of a store's server, which breaks what its plan tells it to break. */
export interface FaultProxy extends AsyncDisposable {
  /** `http://127.0.0.1:` and the port. */
  readonly url: string;
  readonly port: number;
  /** All requests so far in the order of their arrival, each with what was done to it. */
  readonly log: readonly ProxyExchange[];
  /** Follows another plan from the next request on. */
  use(faults: ProxyFaultPlan): void;
  /** Breaks off what is under way and stops listening. */
  close(): Promise<void>;
}

// Longer than any client keeps a connection, so that it is never us who close one that is idle.
const KEEP_ALIVE_MS = 600_000;

/**
 * Starts a proxy on a free port of 127.0.0.1. Requests and answers pass byte for byte, `Host` included,
 * so that signatures hold; each gets its own connection to the target. When one side leaves, the
 * other is left, too.
 *
 * @throws RangeError for a target that is not plain HTTP
 */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { clock = systemClock } = options;
  const target = targetOf(options.target);
  let plan = options.faults ?? ruledProxyFaults([]);
  const log: ExchangeRecord[] = [];
  const running = new Set<Promise<void>>();

  const handle = (request: IncomingMessage, response: ServerResponse, asksFirst: boolean): void => {
    const { method = 'GET', url: path = '/' } = request;
    const seen = { number: log.length + 1, method, path };
    const record: ExchangeRecord = {
      ...seen,
      fault: plan.next(seen),
      status: undefined,
      requestBytes: 0,
      responseBytes: 0,
      outcome: 'open',
    };
    log.push(record);
    const parties = { request, response, asksFirst, target, clock, record };
    const played = new ProxiedExchange(parties).play().finally(() => running.delete(played));
    running.add(played);
  };

  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    requestTimeout: 0,
  });
  server.on('request', (request, response) => handle(request, response, false));
  server.on('checkContinue', (request, response) => handle(request, response, true));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // Of a server that listens on a port, the address is an object.
  const { port } = server.address() as AddressInfo;

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
    await Promise.all(running);
  };
  const closeOnce = (): Promise<void> => {
    closing ??= close();
    return closing;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    log,
    use: (faults) => {
      plan = faults;
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}
