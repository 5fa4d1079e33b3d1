import { connect, type Socket } from 'node:net';

const SCRATCH_BYTES = 256 * 1024;
const LENGTH_BYTES = 4;
/** So much of each answer is kept; what a load has to look at lies in it. */
const HEAD_BYTES = 4096;

const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/** Called for each answer with its size and its first bytes, which are valid during the call. */
export type OnResponse = (size: number, head: Buffer) => void;

/** A client's connection that sends frames made elsewhere, and hardly looks at the answers. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #head = Buffer.allocUnsafeSlow(HEAD_BYTES);
  readonly #length = Buffer.alloc(LENGTH_BYTES);
  readonly #closed: Promise<void>;
  #lengthFilled = 0;
  #size = -1;
  #seen = 0;
  #onResponse: OnResponse = () => undefined;
  #failure: Error | undefined;
  #onFailure: (error: Error) => void = () => undefined;
  #isEnding = false;

  private constructor(port: number) {
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: () => scratch,
        callback: (length) => {
          this.#read(scratch, length);
          return true;
        },
      },
    });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#closed = new Promise((resolve) => {
      this.#socket.once('close', () => {
        if (!this.#isEnding) this.#fail(new Error('The broker closed the connection'));
        resolve();
      });
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const connection = new RawConnection(port);
    await new Promise<void>((resolve, reject) => {
      connection.#socket.once('connect', resolve);
      connection.#onFailure = reject;
    });
    return connection;
  }

  set onResponse(listener: OnResponse) {
    this.#onResponse = listener;
  }

  /** Called once if the connection breaks before {@link RawConnection.end}. */
  set onFailure(listener: (error: Error) => void) {
    this.#onFailure = listener;
    if (this.#failure !== undefined) listener(this.#failure);
  }

  /** What is sent while the answers of one read are handled leaves in one write. */
  send(frame: Buffer): void {
    this.#socket.write(frame);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    this.#socket.end();
    await this.#closed;
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#onFailure(error);
  }

  #read(bytes: Buffer, length: number): void {
    this.#socket.cork();
    let at = 0;
    while (at < length)
      at = this.#size < 0 ? this.#readLength(bytes, at, length) : this.#readBody(bytes, at, length);
    this.#socket.uncork();
  }

  #readLength(bytes: Buffer, at: number, length: number): number {
    const end = Math.min(length, at + LENGTH_BYTES - this.#lengthFilled);
    bytes.copy(this.#length, this.#lengthFilled, at, end);
    this.#lengthFilled += end - at;
    if (this.#lengthFilled === LENGTH_BYTES) {
      this.#lengthFilled = 0;
      this.#seen = 0;
      this.#size = this.#length.readInt32BE(0);
    }
    return end;
  }

  #readBody(bytes: Buffer, at: number, length: number): number {
    const end = Math.min(length, at + this.#size - this.#seen);
    if (this.#seen < HEAD_BYTES) bytes.copy(this.#head, this.#seen, at, end);
    this.#seen += end - at;
    if (this.#seen === this.#size) {
      const size = this.#size;
      this.#size = -1;
      this.#onResponse(size, this.#head);
    }
    return end;
  }
}
