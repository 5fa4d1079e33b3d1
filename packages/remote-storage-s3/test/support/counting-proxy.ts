import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Connections as they are, between a client and a server. */
export interface CountingProxy {
  readonly url: string;
  /** Connections so far. */
  readonly made: number;
  /** Connections of this moment. */
  readonly open: number;
  /** Most connections at one time. */
  readonly most: number;
  /** Resolves when there are at most so many. */
  whenOpen(atMost: number): Promise<void>;
}

/** Passes bytes on to a server, and counts the connections over which they come. */
export async function countingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  let made = 0;
  let most = 0;
  const server = createServer((client) => {
    made += 1;
    sockets.add(client);
    most = Math.max(most, sockets.size);
    const upstream = connect(Number(port), hostname);
    client.pipe(upstream).pipe(client);
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      sockets.delete(client);
      for (const look of waiting) look();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  const own = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${own}`,
    get made() {
      return made;
    },
    get open() {
      return sockets.size;
    },
    get most() {
      return most;
    },
    whenOpen: (atMost) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (sockets.size > atMost) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
