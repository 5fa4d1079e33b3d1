import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { FrameReader } from '@logloft/protocol';

const CLOSE_DEADLINE_MS = 5000;

/** A connection over which any bytes may be sent. */
export class RawConnection {
  readonly socket: Socket;
  readonly #frames: Buffer[] = [];
  readonly #closed: Promise<void>;
  #isClosed = false;
  #change = Promise.withResolvers<void>();

  private constructor(socket: Socket) {
    this.socket = socket;
    const reader = new FrameReader();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed = promise;
    socket.on('data', (piece: Buffer) => {
      this.#frames.push(...reader.push(piece));
      this.#wake();
    });
    // A broker that closes with bytes unread makes a reset of it.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#isClosed = true;
      resolve();
      this.#wake();
    });
  }

  /** Connects to `host:port`. */
  static async open(bootstrap: string): Promise<RawConnection> {
    const at = bootstrap.lastIndexOf(':');
    const socket = connect({
      host: bootstrap.slice(0, at),
      port: Number(bootstrap.slice(at + 1)),
      noDelay: true,
    });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Answers that came and were not taken. */
  get pendingFrames(): number {
    return this.#frames.length;
  }

  send(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  /** The next answer, without its length; `undefined` when none comes any more, or none in time. */
  async next(deadlineMs: number = CLOSE_DEADLINE_MS): Promise<Buffer | undefined> {
    const deadline = Promise.withResolvers<void>();
    const timer = setTimeout(() => deadline.resolve(), deadlineMs);
    let isLate = false;
    void deadline.promise.then(() => {
      isLate = true;
    });
    try {
      while (this.#frames.length === 0 && !this.#isClosed && !isLate) {
        await Promise.race([this.#change.promise, deadline.promise]);
      }
      return this.#frames.shift();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves when the broker has closed it. @throws Error when it does not in time */
  async closedByBroker(deadlineMs: number = CLOSE_DEADLINE_MS): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error(`the broker keeps the connection open for ${deadlineMs} ms`)),
      deadlineMs,
    );
    try {
      await Promise.race([this.#closed, late.promise]);
    } finally {
      clearTimeout(timer);
      this.destroy();
    }
  }

  destroy(): void {
    this.socket.destroy();
  }

  #wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
