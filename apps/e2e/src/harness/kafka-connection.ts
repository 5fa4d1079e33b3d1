import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ApiDescription, decodeResponse, encodeRequest, FrameReader } from '@logloft/protocol';

interface Waiting {
  readonly resolve: (frame: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** A connection that speaks the protocol request by request, for checks of exact answers. */
export class KafkaConnection {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #correlationId = 0;
  #failure: Error | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const reader = new FrameReader();
    socket.on('data', (piece: Buffer) => {
      for (const frame of reader.push(piece)) this.#waiting.shift()?.resolve(frame);
    });
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the broker closed the connection')));
  }

  /** Connects to `host:port`. */
  static async open(bootstrap: string): Promise<KafkaConnection> {
    const at = bootstrap.lastIndexOf(':');
    const socket = connect({
      host: bootstrap.slice(0, at),
      port: Number(bootstrap.slice(at + 1)),
      noDelay: true,
    });
    await once(socket, 'connect');
    return new KafkaConnection(socket);
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @throws Error when the connection ends before
   */
  async request<Request extends object, Response extends object>(
    api: ApiDescription<Request, Response>,
    version: number,
    body: Request,
  ): Promise<Response> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#correlationId += 1;
    const correlationId = this.#correlationId;
    const envelope = { version, correlationId, clientId: 'e2e' };
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.#waiting.push({ resolve, reject });
    for (const chunk of encodeRequest(api, envelope, body).chunks) this.#socket.write(chunk);
    const answer = decodeResponse(api, version, await promise);
    if (answer.correlationId !== correlationId) {
      throw new Error(`answer ${answer.correlationId} came for request ${correlationId}`);
    }
    return answer.body;
  }

  close(): void {
    this.#socket.destroy();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}
