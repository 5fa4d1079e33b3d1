import { createServer } from 'node:net';
import { describeClusterApi, findCoordinatorApi, metadataApi } from '@logloft/protocol';
import { expect, test } from 'vitest';
import { startBroker } from '../../src/index.ts';
import { WireClient } from '../support/wire-client.ts';

/** The address of the only broker, by each API that tells it. */
async function toldBy(client: WireClient): Promise<string[]> {
  const metadata = await client.call(metadataApi, 9, {
    topics: [],
    allowAutoTopicCreation: false,
    includeClusterAuthorizedOperations: false,
    includeTopicAuthorizedOperations: false,
  });
  const cluster = await client.call(describeClusterApi, 1, {
    includeClusterAuthorizedOperations: false,
    endpointType: 1,
  });
  const coordinator = await client.call(findCoordinatorApi, 3, {
    key: 'g',
    keyType: 0,
    coordinatorKeys: [],
  });
  const told = [metadata.brokers[0], cluster.brokers[0], coordinator];
  return told.map((at) => `${at?.host} ${at?.port}`);
}

function sameThrice(address: string): string[] {
  return [address, address, address];
}

async function hasIpv6(): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(0, '::1', () => server.close(() => resolve(true)));
  });
}

test('an address of IPv6 is told bare, and can be connected to (cases A 25)', async ({ skip }) => {
  if (!(await hasIpv6())) skip('this machine has no IPv6');
  await using broker = await startBroker({ host: '::1' });
  expect(broker.bootstrapServers).toBe(`[::1]:${broker.port}`);
  await using client = await WireClient.connect(broker);
  expect(await toldBy(client)).toEqual(sameThrice(`::1 ${broker.port}`));
});

test('what is advertised is told instead of what is bound', async () => {
  await using broker = await startBroker({ advertised: { host: 'broker.example', port: 19_092 } });
  expect(broker.bootstrapServers).toBe('broker.example:19092');
  await using other = await startBroker({ advertised: { host: 'broker.example' } });
  expect(other.host).toBe('broker.example');
  await using client = await WireClient.connect({ host: '127.0.0.1', port: other.port });
  expect(await toldBy(client)).toEqual(sameThrice(`broker.example ${other.port}`));
});

test('each listener tells its own address', async () => {
  await using broker = await startBroker({
    config: {
      listeners: 'INSIDE://127.0.0.1:0,OUTSIDE://0.0.0.0:0',
      'listener.security.protocol.map': 'INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT',
      'advertised.listeners': 'OUTSIDE://outside.example:9999',
      'inter.broker.listener.name': 'INSIDE',
    },
  });
  await using client = await WireClient.connect(broker);
  expect(await toldBy(client)).toEqual(sameThrice(`127.0.0.1 ${broker.port}`));
});
