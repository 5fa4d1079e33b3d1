import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { S3Client } from '@aws-sdk/client-s3';
import type { S3Stub } from '../../../src/s3/index.ts';

/** A request as the SDK would have sent it: signed, and all in hand to be spoilt. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** An answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

class Captured extends Error {}

function queryString(query: SdkRequest['query']): string {
  return Object.entries(query)
    .map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value ?? ''))}`,
    )
    .join('&');
}

async function bodyBytes(body: unknown): Promise<Buffer> {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body);
  const pieces: Uint8Array[] = [];
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Lets the SDK build and sign a request, and keeps it back. */
export async function capture(
  client: S3Client,
  send: (client: S3Client) => Promise<unknown>,
): Promise<WireRequest> {
  let captured: WireRequest | undefined;
  client.middlewareStack.add(
    () => async (args) => {
      const sdk = args.request as SdkRequest;
      const query = queryString(sdk.query);
      captured = {
        method: sdk.method,
        path: query === '' ? sdk.path : `${sdk.path}?${query}`,
        headers: sdk.headers,
        body: await bodyBytes(sdk.body),
      };
      throw new Captured();
    },
    { step: 'deserialize', priority: 'low', name: 'capture' },
  );
  try {
    await send(client);
  } catch (error) {
    if (!(error instanceof Captured)) throw error;
  } finally {
    client.middlewareStack.remove('capture');
  }
  if (captured === undefined) throw new Error('the SDK sent nothing');
  return captured;
}

/** Sends a request on a connection of its own, as it is. */
export async function sendWire(stub: S3Stub, wire: Partial<WireRequest>): Promise<WireAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>();
  const outgoing = request({
    host: '127.0.0.1',
    port: stub.port,
    method: wire.method ?? 'GET',
    path: wire.path ?? '/',
    // `Expect` would have to be waited for; the tests of it write to the socket themselves.
    headers: Object.fromEntries(
      Object.entries(wire.headers ?? {}).filter(([name]) => name.toLowerCase() !== 'expect'),
    ),
    agent: false,
  });
  outgoing.once('error', reject);
  outgoing.once('response', (response) => {
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
  outgoing.end(wire.body);
  return await promise;
}

/** The text of a request, with a body that may stop short of what its head announces. */
export function wireText(wire: WireRequest, bodyBytesSent: number = wire.body.length): Buffer {
  const head = [`${wire.method} ${wire.path} HTTP/1.1`];
  for (const [name, value] of Object.entries(wire.headers)) head.push(`${name}: ${value}`);
  return Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    wire.body.subarray(0, bodyBytesSent),
  ]);
}

/** Sends bytes as they are, ends the connection, and returns what came back. */
export async function sendAndEnd(stub: S3Stub, bytes: Uint8Array): Promise<string> {
  const socket = connect(stub.port, '127.0.0.1');
  const pieces: Buffer[] = [];
  socket.on('error', () => undefined);
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  socket.write(bytes, () => socket.end());
  await once(socket, 'close');
  return Buffer.concat(pieces).toString('latin1');
}

/** Status and code of an error document. */
export function errorIn({ status, body }: WireAnswer): string {
  return `${status} ${/<Code>(.*?)<\/Code>/.exec(body.toString())?.[1] ?? '(no code)'}`;
}

/** A connection, and all that came over it so far. */
export class Talk {
  readonly socket: Socket;
  text = '';

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (piece: Buffer) => {
      this.text += piece.toString('latin1');
    });
  }

  /** Waits until what came so far fits. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) await once(this.socket, 'data');
  }
}
