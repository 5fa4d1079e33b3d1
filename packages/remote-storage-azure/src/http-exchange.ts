import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import type { HttpHeaders, HttpOperationResponse, WebResource } from '@azure/storage-blob';
import { RemoteStorageError } from '@logloft/remote-storage';
import type { BlobTransportOptions } from './blob-transport.ts';
import { SilenceTimer } from './silence-timer.ts';

/** What an exchange needs besides the request. */
export interface HttpExchangeOptions extends BlobTransportOptions {
  readonly url: URL;
  readonly agent: WebResource['agent'];
  readonly onMoved: (() => void) | undefined;
}

// A body goes out in pieces of this size, so that it can be seen to move.
const SLICE_BYTES = 256 * 1024;

// A page of 5,000 long names in XML takes less than 16 MiB.
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** One request and its answer. */
export class HttpExchange {
  readonly #request: WebResource;
  readonly #options: HttpExchangeOptions;
  readonly #silence: SilenceTimer;
  readonly #answered = Promise.withResolvers<HttpOperationResponse>();
  #phase = 'was not sent';
  #client: ClientRequest | undefined;
  #answer: IncomingMessage | undefined;
  #failure: Error | undefined;

  constructor(webResource: WebResource, options: HttpExchangeOptions) {
    this.#request = webResource;
    this.#options = options;
    this.#silence = new SilenceTimer(options.clock, (ms) => this.#fail(this.#timeout(ms)));
  }

  /**
   * @returns the answer, whatever its status; its body as a stream where the SDK asked for one
   * @throws RemoteStorageError `timeout`; `AbortError`; or what the socket failed with
   */
  async run(): Promise<HttpOperationResponse> {
    const { abortSignal } = this.#request;
    const onAbort = (): void =>
      this.#fail(new DOMException('The request was aborted', 'AbortError'));
    if (abortSignal?.aborted) throw new DOMException('The request was aborted', 'AbortError');
    abortSignal?.addEventListener('abort', onAbort);
    try {
      const body = bodyOf(this.#request);
      const client = this.#start();
      // Only then is there nothing left that an abort could end.
      client.once('close', () => {
        this.#silence.disarm();
        abortSignal?.removeEventListener('abort', onAbort);
      });
      this.#sendBody(client, body);
    } catch (error) {
      abortSignal?.removeEventListener('abort', onAbort);
      throw error;
    }
    return await this.#answered.promise;
  }

  #start(): ClientRequest {
    const { url, agent } = this.#options;
    const isTls = url.protocol === 'https:';
    // Takes the brackets off an address of IPv6.
    const { hostname, port, path } = urlToHttpOptions(url);
    const options: RequestOptions = {
      hostname,
      port,
      path,
      method: this.#request.method,
      headers: this.#request.headers.toJson({ preserveCase: true }),
      // The SDK's type of an agent knows less of it than Node's.
      agent: agent as RequestOptions['agent'],
    };
    const client = isTls ? requestTls(options) : request(options);
    this.#client = client;
    client.once('socket', (socket) => this.#onSocket(socket, isTls ? 'secureConnect' : 'connect'));
    client.once('response', (answer) => this.#onAnswer(answer));
    client.on('error', (error) => this.#fail(error));
    client.once('finish', () => this.#onSent());
    return client;
  }

  #onSocket(socket: Socket, connected: 'connect' | 'secureConnect'): void {
    if (!socket.connecting) {
      this.#sending();
      return;
    }
    this.#phase = 'found no connection';
    this.#silence.arm(this.#options.connectTimeoutMs);
    const onConnected = (): void => this.#sending();
    socket.once(connected, onConnected);
    this.#client?.once('close', () => socket.removeListener(connected, onConnected));
  }

  #sending(): void {
    if (this.#client?.writableFinished || this.#answer !== undefined) return;
    this.#phase = 'stood still while it was sent';
    this.#silence.arm(this.#options.idleTimeoutMs);
  }

  #onSent(): void {
    if (this.#answer !== undefined || this.#failure !== undefined) return;
    this.#phase = 'got no answer';
    this.#silence.arm(this.#options.answerTimeoutMs);
  }

  #sendBody(client: ClientRequest, body: Buffer): void {
    if (body.byteLength === 0) {
      client.end();
      return;
    }
    let at = 0;
    const send = (): void => {
      while (this.#answer === undefined && this.#failure === undefined) {
        const slice = body.subarray(at, at + SLICE_BYTES);
        at += slice.byteLength;
        if (at >= body.byteLength) {
          client.end(slice);
          return;
        }
        if (!client.write(slice)) {
          client.once('drain', moved);
          return;
        }
      }
    };
    const moved = (): void => {
      this.#silence.touch();
      this.#options.onMoved?.();
      send();
    };
    send();
  }

  #onAnswer(answer: IncomingMessage): void {
    this.#answer = answer;
    this.#silence.disarm();
    // Its failures reach whoever reads it; before that, nobody listens.
    answer.on('error', () => undefined);
    answer.once('end', () => this.#dropUnsent());
    const response = {
      status: answer.statusCode ?? 0,
      headers: headersOf(answer, this.#request.headers),
      request: this.#request,
    };
    if (this.#request.method === 'HEAD') {
      answer.resume();
      this.#answered.resolve(response);
      return;
    }
    if (this.#wantsStream(response.status)) {
      this.#answered.resolve({ ...response, readableStreamBody: answer });
      return;
    }
    this.#readText(answer).then(
      (bodyAsText) => this.#answered.resolve({ ...response, bodyAsText }),
      (error: unknown) => this.#answered.reject(error),
    );
  }

  async #readText(answer: IncomingMessage): Promise<string> {
    this.#phase = 'was answered in part';
    this.#silence.arm(this.#options.idleTimeoutMs);
    const pieces: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const piece of answer) {
        this.#silence.touch();
        bytes += piece.byteLength;
        if (bytes > MAX_TEXT_BYTES) throw tooLong();
        pieces.push(piece);
      }
    } catch (error) {
      throw this.#failure ?? error;
    } finally {
      this.#silence.disarm();
    }
    return Buffer.concat(pieces).toString('utf8');
  }

  #wantsStream(status: number): boolean {
    const wanted = this.#request.streamResponseStatusCodes;
    return wanted?.has(Number.POSITIVE_INFINITY) || wanted?.has(status) || false;
  }

  // An answer that came before all of the request was sent is a refusal; the rest stays unsent, and the
  // connection is of no more use.
  #dropUnsent(): void {
    if (this.#client?.writableFinished === false) this.#client.destroy();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#silence.disarm();
    this.#answered.reject(this.#failure);
    this.#answer?.destroy(this.#failure);
    this.#client?.destroy(this.#failure);
  }

  #timeout(ms: number): RemoteStorageError {
    return new RemoteStorageError('timeout', `the request ${this.#phase} for ${ms} ms`);
  }
}

function bodyOf({ body }: WebResource): Buffer {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  throw new RemoteStorageError('invalid-configuration', 'Only bytes and text can be sent');
}

// The SDK has no public way to make headers; those of the request are of the right kind.
function headersOf(answer: IncomingMessage, like: HttpHeaders): HttpHeaders {
  const headers = like.clone();
  for (const name of headers.headerNames()) headers.remove(name);
  for (const [name, value] of Object.entries(answer.headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) headers.set(name, first);
  }
  return headers;
}

function tooLong(): RemoteStorageError {
  return new RemoteStorageError('corrupt', `the answer is longer than ${MAX_TEXT_BYTES} bytes`);
}
