import { connect, type Socket } from 'node:net';
import { type ApiDescription, decodeResponse, encodeRequest, FrameReader } from '@logloft/protocol';

interface Waiting {
  resolve(frame: Buffer): void;
  reject(error: Error): void;
}

/** Speaks the protocol over a socket: one request at a time, or several in flight. */
export class WireClient implements AsyncDisposable {
  readonly socket: Socket;
  readonly #waiting: Waiting[] = [];
  readonly #reader = new FrameReader();
  #correlationId = 0;
  #closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      for (const frame of this.#reader.push(chunk)) this.#waiting.shift()?.resolve(frame);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#closed = true;
      for (const { reject } of this.#waiting.splice(0)) {
        reject(new Error('the broker closed the connection'));
      }
    });
  }

  static async connect(broker: {
    readonly host: string;
    readonly port: number;
  }): Promise<WireClient> {
    const { host, port } = broker;
    const socket = connect({ host, port });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new WireClient(socket);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Sends a request and waits for its answer. */
  async call<Request extends object, Response extends object>(
    api: ApiDescription<Request, Response>,
    version: number,
    body: Request,
  ): Promise<Response> {
    const answer = this.#nextFrame();
    this.send(api, version, body);
    return decodeResponse(api, version, await answer).body;
  }

  /** Sends a request that has no answer, or whose answer is read otherwise. */
  send<Request extends object>(api: ApiDescription<Request>, version: number, body: Request): void {
    this.#correlationId += 1;
    const envelope = { version, correlationId: this.#correlationId, clientId: 'test' };
    this.socket.write(Buffer.concat(encodeRequest(api, envelope, body).chunks));
  }

  /** Sends bytes as they are and waits for one frame. */
  raw(bytes: Buffer): Promise<Buffer> {
    const answer = this.#nextFrame();
    this.socket.write(bytes);
    return answer;
  }

  /** Resolves when the broker has closed the connection. */
  async closed(): Promise<void> {
    if (this.#closed) return;
    await new Promise<void>((resolve) => {
      this.socket.once('close', () => resolve());
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    return this.closed();
  }

  #nextFrame(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#closed) reject(new Error('the connection is closed'));
      else this.#waiting.push({ resolve, reject });
    });
  }
}
