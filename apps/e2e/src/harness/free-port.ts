import { createServer } from 'node:net';

// Below the ports that systems give to outgoing connections. Otherwise a client that tries again while
// the broker is down could be given the very port that it connects to, and would reach itself.
const FIRST_PORT = 20_000;
const LAST_PORT = 31_999;
const MAX_ATTEMPTS = 100;

/** A port of the loopback interface that nobody listens on now, and that stays free over a restart. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT + 1));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port found in ${MAX_ATTEMPTS} tries from ${FIRST_PORT} to ${LAST_PORT}`);
}

async function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
    server.close(() => resolve(true));
  });
  return await promise;
}
