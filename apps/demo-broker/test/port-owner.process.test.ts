import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { portOwner } from '../src/port-owner.ts';

it.runIf(process.platform === 'linux')(
  'finds who listens on a port, and nobody on a free one',
  async () => {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await portOwner(port)).toContain(`(pid ${process.pid})`);
    await new Promise((resolve) => {
      server.close(resolve);
    });
    expect(await portOwner(port)).toBeUndefined();
  },
);
