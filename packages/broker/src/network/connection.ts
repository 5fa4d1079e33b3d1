import type { Socket } from 'node:net';
import type { Clock } from '@logloft/clock';
import type { BrokerLogger } from '../logger.ts';
import type { BrokerStatistics } from '../statistics/broker-statistics.ts';
import { FrameReceiver, type ReceivedFrame } from './frame-receiver.ts';
import type { ReceiveMemory } from './receive-memory.ts';
import { type OutgoingResponse, ResponseQueue } from './response-queue.ts';
import { readSocket, type SocketReader } from './socket-reader.ts';

/** Requests of one connection that may be unanswered before its socket is no longer read. */
const MAX_PENDING_REQUESTS = 100;
/** Unsent bytes from which a connection's socket is no longer read. */
const MAX_UNSENT_BYTES = 1024 * 1024;

/** What handlers know of the client. */
export interface ClientConnection {
  /** Unique within the process, for logs. */
  readonly id: number;
  /** Address of the client as Kafka writes it, `/127.0.0.1`. */
  readonly host: string;
  /** Name of the listener that accepted it. */
  readonly listenerName: string;
  /** Aborts when the connection is gone: parked requests have nobody to answer. */
  readonly gone: AbortSignal;
  /** From ApiVersions v3 on; for logs. */
  software: string | undefined;
}

/** Handles requests; one for all connections. */
export interface RequestProcessor {
  /**
   * Handles one request, and releases its frame as soon as nothing of it is needed.
   *
   * @returns the answer, now or later; `undefined` for none
   * @throws ConnectionFault when the connection has to be closed
   */
  process(
    frame: ReceivedFrame,
    client: ClientConnection,
  ): OutgoingResponse | undefined | Promise<OutgoingResponse | undefined>;
}

/** A request that cannot be answered: the connection is closed with one log line. */
export class ConnectionFault extends Error {
  readonly code = 'LOGLOFT_BROKER_CONNECTION_FAULT';
  readonly fields: Readonly<Record<string, unknown>>;
  /** `error` when the fault is ours and not the client's. */
  readonly severity: 'warn' | 'error';

  constructor(
    message: string,
    fields: Readonly<Record<string, unknown>>,
    options: ErrorOptions & { readonly severity?: 'warn' | 'error' } = {},
  ) {
    super(message, options);
    this.name = 'ConnectionFault';
    this.fields = fields;
    this.severity = options.severity ?? 'warn';
  }
}

/** What a connection is given. */
export interface ConnectionContext {
  readonly clock: Clock;
  readonly logger: BrokerLogger;
  readonly memory: ReceiveMemory;
  readonly processor: RequestProcessor;
  readonly statistics: BrokerStatistics;
  readonly maxFrameBytes: number;
  readonly listenerName: string;
  readonly onClosed: (connection: Connection) => void;
}

/** One client: its frames in, the answers out in order, nothing shared with any other connection. */
export class Connection implements ClientConnection {
  readonly id: number;
  readonly host: string;
  readonly listenerName: string;
  software: string | undefined;
  readonly #context: ConnectionContext;
  readonly #receiver: FrameReceiver;
  readonly #responses: ResponseQueue;
  readonly #reader: SocketReader;
  readonly #gone = new AbortController();
  #outgoing: OutgoingResponse[] = [];
  #outgoingBytes = 0;
  #flushScheduled = false;
  #peerEnded = false;
  #closed = false;
  #lastActivityMs: number;

  constructor(id: number, accepted: Socket, context: ConnectionContext) {
    this.id = id;
    this.#context = context;
    this.listenerName = context.listenerName;
    this.host = `/${accepted.remoteAddress ?? 'unknown'}`;
    this.#lastActivityMs = context.clock.monotonic();
    this.#responses = new ResponseQueue((response) => this.#send(response));
    this.#receiver = new FrameReceiver(
      context.memory,
      { maxFrameBytes: context.maxFrameBytes },
      {
        onFrame: (frame) => this.#onFrame(frame),
        onMalformed: (reason) => this.#fail(reason, {}),
        onReadable: () => this.#reader.resume(),
      },
    );
    this.#reader = readSocket(accepted, {
      nextBuffer: () => this.#receiver.nextBuffer(),
      accept: (input, length) => this.#accept(input, length),
    });
    const { socket } = this.#reader;
    socket.on('error', () => this.close());
    socket.on('close', () => this.close());
    socket.on('end', () => this.#onPeerEnd());
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Monotonic ms of the last byte in or out. */
  get lastActivityMs(): number {
    return this.#lastActivityMs;
  }

  /** Requests whose answer has not left. */
  get pendingRequests(): number {
    return this.#responses.pending;
  }

  /** Ends the connection if others wait for memory that it holds for a request whose sender has stopped. */
  closeIfStalled(sinceMs: number): void {
    if (this.#lastActivityMs >= sinceMs || !this.#receiver.holdsMemoryForPeer) return;
    this.#fail('its request stopped in the middle, and others wait for the memory', {});
  }

  /** Ends the connection now. Parked requests are dropped, memory is given back. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#gone.abort();
    this.#receiver.close();
    this.#responses.discard();
    for (const response of this.#outgoing) response.release?.();
    this.#outgoing = [];
    this.#reader.socket.destroy();
    this.#context.onClosed(this);
  }

  #accept(input: Buffer, length: number): boolean {
    this.#lastActivityMs = this.#context.clock.monotonic();
    return this.#receiver.accept(input, length);
  }

  #onFrame(frame: ReceivedFrame): boolean {
    const reserved = this.#responses.reserve();
    const answer = (response: OutgoingResponse | undefined): void => {
      reserved(response);
      if (this.#peerEnded) this.#scheduleFlush();
      // Nothing is written, so nothing else will tell that there is room for requests again.
      else if (response === undefined) this.#proceedWhenReady();
    };
    try {
      const response = this.#context.processor.process(frame, this);
      if (response instanceof Promise) {
        response.then(answer, (error: unknown) => this.#failBy(error));
      } else {
        answer(response);
      }
    } catch (error) {
      this.#failBy(error);
    }
    return !this.#closed && !this.#saturated;
  }

  get #saturated(): boolean {
    return (
      this.#responses.pending >= MAX_PENDING_REQUESTS ||
      this.#outgoingBytes + this.#reader.socket.writableLength >= MAX_UNSENT_BYTES
    );
  }

  #send(response: OutgoingResponse): void {
    if (this.#closed) {
      response.release?.();
      return;
    }
    this.#outgoing.push(response);
    for (const chunk of response.chunks) this.#outgoingBytes += chunk.length;
    this.#scheduleFlush();
  }

  /** Answers that become ready in one turn leave in one gathered write. */
  #scheduleFlush(): void {
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#flushScheduled = false;
    const responses = this.#outgoing;
    this.#context.statistics.bytesOut += this.#outgoingBytes;
    this.#outgoing = [];
    this.#outgoingBytes = 0;
    if (this.#closed) return;
    const { socket } = this.#reader;
    if (responses.length > 0) this.#write(socket, responses);
    if (this.#peerEnded && this.#responses.pending === 0) socket.end();
  }

  #write(socket: Socket, responses: readonly OutgoingResponse[]): void {
    socket.cork();
    let last: Buffer | undefined;
    for (const { chunks } of responses) {
      for (const chunk of chunks) {
        if (last !== undefined) socket.write(last);
        last = chunk;
      }
    }
    const onWritten = (): void => {
      this.#lastActivityMs = this.#context.clock.monotonic();
      for (const response of responses) response.release?.();
      this.#proceedWhenReady();
    };
    if (last === undefined) onWritten();
    else socket.write(last, onWritten);
    socket.uncork();
  }

  #proceedWhenReady(): void {
    if (!this.#closed && !this.#saturated) this.#receiver.proceed();
  }

  /**
   * A client that sent its last byte is gone as far as parked requests are concerned: one that was
   * killed looks the same. What was begun otherwise is finished, and its answer sent.
   */
  #onPeerEnd(): void {
    this.#peerEnded = true;
    if (this.#receiver.midFrame) {
      this.#fail('the client ended it in the middle of a request', {});
      return;
    }
    this.#gone.abort();
    this.#scheduleFlush();
  }

  #failBy(error: unknown): void {
    if (error instanceof ConnectionFault) {
      this.#fail(error.message, error.fields, error.severity);
      return;
    }
    if (this.#closed) return;
    this.#context.logger.error('A request failed unexpectedly; its connection is closed', {
      connection: this.id,
      client: this.host,
      software: this.software,
      error,
    });
    this.close();
  }

  #fail(
    reason: string,
    fields: Readonly<Record<string, unknown>>,
    severity: 'warn' | 'error' = 'warn',
  ): void {
    if (this.#closed) return;
    this.#context.statistics.connectionFaults += 1;
    this.#context.logger[severity](`Connection closed: ${reason}`, {
      connection: this.id,
      client: this.host,
      software: this.software,
      ...fields,
    });
    this.close();
  }
}
