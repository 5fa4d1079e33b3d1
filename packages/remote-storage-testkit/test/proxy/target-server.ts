import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seededBytes } from '../../src/index.ts';

/** What a target got whole. */
export interface Committed {
  readonly method: string;
  readonly path: string;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** A small store's server to stand behind a proxy. */
export interface TargetServer extends AsyncDisposable {
  readonly url: string;
  /** Requests whose bodies came whole. */
  readonly committed: readonly Committed[];
  /** Bytes that came, also of bodies that broke off. */
  readonly bytesSeen: () => number;
  /** Requests that broke off in their body or before their answer was whole. */
  readonly brokenOff: () => number;
}

/** `GET /bytes/N` gives so many bytes; all else is taken, and answered by a `201` with a body. */
export async function startTargetServer(): Promise<TargetServer> {
  const committed: Committed[] = [];
  let bytesSeen = 0;
  let brokenOff = 0;
  const server = createServer(async (request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) brokenOff += 1;
    });
    const body = await wholeBody(request, (bytes) => {
      bytesSeen += bytes;
    });
    if (body === undefined) return;
    const { method = '', url: path = '', rawHeaders } = request;
    committed.push({ method, path, rawHeaders, body });
    const wanted = /^\/bytes\/(\d+)/.exec(path)?.[1];
    const answer = wanted === undefined ? Buffer.from('stored') : bytesOf(Number(wanted));
    response.writeHead(wanted === undefined ? 201 : 200, {
      'content-length': answer.byteLength,
      'x-target': 'yes',
    });
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    committed,
    bytesSeen: () => bytesSeen,
    brokenOff: () => brokenOff,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What `GET /bytes/N` gives. */
export function bytesOf(length: number): Buffer {
  return Buffer.from(seededBytes(length, length));
}

async function wholeBody(
  request: IncomingMessage,
  onBytes: (bytes: number) => void,
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of request) {
      onBytes((piece as Buffer).byteLength);
      pieces.push(piece as Buffer);
    }
    return Buffer.concat(pieces);
  } catch {
    return undefined;
  }
}
