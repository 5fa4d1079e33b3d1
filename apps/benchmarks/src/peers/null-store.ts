// A store that keeps small objects, and of large ones the length: what it costs to send them is the
// sender's alone. Speaks as much of S3, of Google Cloud Storage and of Azure as copies and reads need.
// A process of its own.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveCommands } from '../harness/command.ts';
import { azureRoute } from './null-store/azure-route.ts';
import { gcsRoute } from './null-store/gcs-route.ts';
import { NullObjects } from './null-store/null-objects.ts';
import type { Dialect, Route } from './null-store/route.ts';
import { s3Route } from './null-store/s3-route.ts';

const ROUTES: Readonly<Record<Dialect, Route>> = { s3: s3Route, gcs: gcsRoute, azure: azureRoute };

const servers: Server[] = [];
const counts = new Map<string, number>();

const commands = {
  /** @returns its port */
  async start(dialect: Dialect): Promise<number> {
    const objects = new NullObjects();
    const route = ROUTES[dialect];
    const server = createServer((request, response) => {
      count(`${dialect} ${request.method}`);
      route(request, response, objects).catch((error: unknown) => fail(response, error));
    });
    // Clients that keep connections must not find one closed under them.
    server.keepAliveTimeout = 60_000;
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  },
  /** Requests since the last time, by dialect and method. */
  requests(): Readonly<Record<string, number>> {
    const seen = Object.fromEntries(counts);
    counts.clear();
    return seen;
  },
};

/** What the null store can be told. */
export type NullStoreCommands = typeof commands;

function count(what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function fail(response: ServerResponse<IncomingMessage>, error: unknown): void {
  if (!response.headersSent) response.writeHead(500);
  response.end(String(error));
}

serveCommands(commands, {
  onEnd: () => {
    for (const server of servers) server.close();
  },
});
