import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import type { GcsStub } from '../../../src/gcs/index.ts';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends one request on a connection of its own, headers as given. */
export async function rawRequest(
  stub: GcsStub,
  line: string,
  options: {
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly body?: Uint8Array | string | undefined;
  } = {},
): Promise<RawAnswer> {
  const [method = '', path = ''] = line.split(' ');
  const { headers = {}, body = '' } = options;
  const length = method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) };
  const client = request({
    host: '127.0.0.1',
    port: stub.port,
    method,
    path,
    headers: { ...length, ...headers },
    agent: false,
  });
  client.end(body);
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  client.once('error', reject);
  client.once('response', (response) => {
    const pieces: Buffer[] = [];
    response.on('data', (piece: Buffer) => pieces.push(piece));
    response.once('error', reject);
    response.once('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(pieces),
      }),
    );
  });
  return await promise;
}

/** Sends bytes as they are, then breaks the connection without waiting for anything. */
export async function sendAndBreak(stub: GcsStub, bytes: Uint8Array | string): Promise<void> {
  const socket = connect(stub.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(bytes, () => socket.end());
  // Whatever comes back is read, or the connection would not end.
  socket.resume();
  await once(socket, 'close');
}

/** The reason in a JSON error, with the status in front. */
export function reasonIn({ status, body }: RawAnswer): string {
  const document = JSON.parse(body.toString()) as {
    error: { code: number; errors: readonly { reason: string }[] };
  };
  if (document.error.code !== status)
    throw new Error(`code ${document.error.code} under ${status}`);
  return `${status} ${document.error.errors[0]?.reason}`;
}
