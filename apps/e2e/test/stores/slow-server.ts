import { createServer, type Server, type Socket } from 'node:net';
import type { Cleanup } from '../../src/harness/cleanup.ts';

/** What came over one connection. */
export interface SlowConnection {
  /** Bytes so far, head included. */
  readonly bytes: Buffer;
  /** Reads on; what is there already comes first. */
  resume(): void;
  /** Reads at least so many bytes more, where they come, and then no more. */
  read(bytes: number): void;
  /** Answers by hand. */
  answer(text: string): void;
  /** Resolves when the client has ended the connection and all that it sent was read. */
  readonly ended: Promise<void>;
}

/** A server that reads the beginning of whatever is sent to it, and then no more until it is told to. */
export interface SlowServer {
  readonly url: string;
  readonly connections: readonly SlowConnection[];
}

/** Starts one on a free port. @param readBytes how much it reads of a connection by itself */
export async function startSlowServer(cleanup: Cleanup, readBytes: number): Promise<SlowServer> {
  const connections: SlowConnection[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    connections.push(slowConnection(socket, readBytes));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanup.add(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, connections };
}

function slowConnection(socket: Socket, readBytes: number): SlowConnection {
  const pieces: Buffer[] = [];
  let length = 0;
  let readTo = readBytes;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  socket.on('data', (piece) => {
    pieces.push(piece);
    length += piece.byteLength;
    if (length >= readTo) socket.pause();
  });
  socket.on('error', () => undefined);
  socket.once('close', () => resolve());
  return {
    get bytes() {
      return Buffer.concat(pieces);
    },
    resume: () => {
      readTo = Number.POSITIVE_INFINITY;
      socket.resume();
    },
    read: (bytes) => {
      readTo = length + bytes;
      socket.resume();
    },
    answer: (text) => {
      socket.write(text);
    },
    ended,
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new TypeError('The server has no port');
}
