import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Clock, Timer } from '@logloft/clock';
import { ListenError } from '../errors.ts';
import type { BrokerLogger } from '../logger.ts';
import type { BrokerStatistics } from '../statistics/broker-statistics.ts';
import { Connection, type RequestProcessor } from './connection.ts';
import type { ReceiveMemory } from './receive-memory.ts';

/** Settings of a {@link Listener}. */
export interface ListenerOptions {
  readonly name: string;
  /** Interface to bind to, for example `127.0.0.1`. */
  readonly host: string;
  /** Port; 0 picks a free one. */
  readonly port: number;
  /** Largest request in bytes (`socket.request.max.bytes`). */
  readonly maxFrameBytes: number;
  /** Ms without a byte after which a connection is closed (`connections.max.idle.ms`); below 0: never. */
  readonly maxIdleMs: number;
  /** Most connections at a time (`max.connections`). */
  readonly maxConnections: number;
}

/** What a {@link Listener} is given. */
export interface ListenerContext {
  readonly clock: Clock;
  readonly logger: BrokerLogger;
  readonly memory: ReceiveMemory;
  readonly processor: RequestProcessor;
  readonly statistics: BrokerStatistics;
}

/** Idle connections are looked for this many times within the idle time. */
const IDLE_CHECKS = 10;
/** While others wait for memory, a request that holds some may pause for so long; ms. */
const MAX_STALL_MS = 30_000;
const STALL_CHECK_MS = 10_000;

/** Accepts connections on one address. */
export class Listener implements AsyncDisposable {
  readonly #options: ListenerOptions;
  readonly #context: ListenerContext;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #nextId = 1;
  #idleTimer: Timer | undefined;
  #closing: Promise<void> | undefined;

  private constructor(options: ListenerOptions, context: ListenerContext) {
    this.#options = options;
    this.#context = context;
    this.#server = createServer(
      { pauseOnConnect: true, allowHalfOpen: true, noDelay: true, keepAlive: true },
      (socket) => this.#onConnection(socket),
    );
  }

  /**
   * Binds and begins to accept.
   *
   * @throws ListenError when the address cannot be bound
   */
  static async open(options: ListenerOptions, context: ListenerContext): Promise<Listener> {
    const listener = new Listener(options, context);
    await listener.#listen();
    return listener;
  }

  /** Name of the listener. */
  get name(): string {
    return this.#options.name;
  }

  /** The port that was bound. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that are open now. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Stops accepting and ends all connections; answers that are ready have left before. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#idleTimer?.cancel();
      this.#server.close(() => resolve());
      for (const connection of this.#connections) connection.close();
    });
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #listen(): Promise<void> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      const onError = (error: NodeJS.ErrnoException): void => {
        reject(new ListenError({ host, port, cause: error }));
      };
      this.#server.once('error', onError);
      this.#server.listen({ host, port, exclusive: true }, () => {
        this.#server.off('error', onError);
        this.#server.on('error', (error) => {
          this.#context.logger.error('The listener failed to accept a connection', { error });
        });
        resolve();
      });
    });
  }

  #onConnection(socket: Socket): void {
    if (this.#closing !== undefined) {
      socket.destroy();
      return;
    }
    if (this.#connections.size >= this.#options.maxConnections) {
      this.#context.logger.warn('Connection refused: too many connections (max.connections)', {
        limit: this.#options.maxConnections,
      });
      socket.destroy();
      return;
    }
    const { clock, logger, memory, processor, statistics } = this.#context;
    statistics.connectionsOpened += 1;
    const connection = new Connection(this.#nextId++, socket, {
      clock,
      logger,
      memory,
      processor,
      statistics,
      maxFrameBytes: this.#options.maxFrameBytes,
      listenerName: this.#options.name,
      onClosed: (closed) => {
        statistics.connectionsClosed += 1;
        this.#connections.delete(closed);
      },
    });
    this.#connections.add(connection);
    this.#scheduleIdleCheck();
  }

  #scheduleIdleCheck(): void {
    const { maxIdleMs } = this.#options;
    if (this.#idleTimer !== undefined || this.#closing !== undefined) return;
    const idleCheckMs = maxIdleMs < 0 ? STALL_CHECK_MS : Math.max(1, maxIdleMs / IDLE_CHECKS);
    const checkMs = Math.min(idleCheckMs, STALL_CHECK_MS);
    this.#idleTimer = this.#context.clock.setTimer(checkMs, () => {
      this.#idleTimer = undefined;
      if (maxIdleMs >= 0) this.#closeIdle();
      this.#closeStalled();
      if (this.#connections.size > 0) this.#scheduleIdleCheck();
    });
  }

  /** A few clients that hang in the middle of large requests would else keep all others waiting. */
  #closeStalled(): void {
    const { clock, memory } = this.#context;
    const sinceMs = clock.monotonic() - MAX_STALL_MS;
    for (const connection of this.#connections) {
      if (!memory.starved) return;
      connection.closeIfStalled(sinceMs);
    }
  }

  #closeIdle(): void {
    const oldest = this.#context.clock.monotonic() - this.#options.maxIdleMs;
    for (const connection of this.#connections) {
      // A parked long poll is not idle: its client waits for us.
      if (connection.lastActivityMs < oldest && connection.pendingRequests === 0) {
        connection.close();
      }
    }
  }
}
