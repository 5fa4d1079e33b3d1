// Sends back what it gets: the least that a round trip can cost. A process of its own.
import { type AddressInfo, createServer, type Server } from 'node:net';
import { serveCommands } from '../harness/command.ts';
import { ownUsage, type Usage } from '../harness/usage.ts';

let server: Server | undefined;

const commands = {
  async start(): Promise<number> {
    server = createServer({ noDelay: true }, (socket) => {
      socket.on('error', () => socket.destroy());
      socket.pipe(socket);
    });
    const listening = server.listen(0, '127.0.0.1');
    await new Promise((resolve) => listening.once('listening', resolve));
    return (listening.address() as AddressInfo).port;
  },
  usage(): Usage {
    return ownUsage();
  },
};

/** What the echo server can be told. */
export type EchoServerCommands = typeof commands;

serveCommands(commands, {
  onEnd: () => {
    server?.close();
  },
});
