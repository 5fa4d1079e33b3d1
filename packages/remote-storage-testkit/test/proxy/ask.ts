import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** What a client got of an answer. */
export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Code of the failure that ended it, if one did. */
  readonly failure: string | undefined;
}

/** A request. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array;
  /** Sends the body, and leaves it open. */
  readonly unfinished?: boolean;
  readonly signal?: AbortSignal;
  /** Told of the body's bytes as they come. */
  readonly onBytes?: (total: number) => void;
}

/** Makes a request with a connection of its own, and tells what came of it. Never rejects. */
export function ask(url: string, asked: Asked = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, unfinished, signal, onBytes } = asked;
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let response: IncomingMessage | undefined;
    const done = (failure?: NodeJS.ErrnoException): void =>
      resolve({
        status: response?.statusCode,
        headers: response?.headers ?? {},
        body: Buffer.concat(pieces),
        failure: failure && (failure.code ?? failure.name),
      });
    const length =
      body === undefined || 'transfer-encoding' in headers
        ? {}
        : { 'content-length': String(body.byteLength) };
    const outgoing = request(url, {
      method,
      agent: false,
      headers: { ...length, ...headers },
      ...(signal && { signal }),
    });
    outgoing.on('error', done);
    outgoing.on('response', (incoming) => {
      response = incoming;
      incoming.on('data', (piece: Buffer) => {
        pieces.push(piece);
        onBytes?.(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
      });
      incoming.on('end', () => done());
      incoming.on('error', done);
    });
    if (unfinished) outgoing.write(body);
    else if (headers['expect'] === undefined) outgoing.end(body);
    else outgoing.once('continue', () => outgoing.end(body));
  });
}

/** Lets I/O go on until something holds; the test's own time-out is its bound. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
