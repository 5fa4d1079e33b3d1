import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { openStore } from './support/containers.ts';
import { failureOf } from './support/waiting.ts';

const endings: (() => unknown)[] = [];

afterEach(() => {
  for (const end of endings.splice(0)) end();
});

test('a proxy that the environment names is used', async () => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(404, { 'x-ms-error-code': 'BlobNotFound' }).end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  endings.push(() => proxy.close());
  const { port } = proxy.address() as AddressInfo;
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${port}`);
  const store = await openStore({
    endpoint: 'http://devstoreaccount1.blob.example',
    container: 'container',
  });
  expect(await failureOf(store.head('object'))).toMatchObject({ kind: 'not-found' });
  expect(asked).toEqual(['http://devstoreaccount1.blob.example/container/object']);
  await store.close();
});

test('an endpoint may be an address of IPv6', async (context) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': '7', 'last-modified': new Date().toUTCString() });
    response.end();
  });
  endings.push(() => server.close());
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(0, '::1', () => resolve(true));
  });
  if (!isListening) {
    context.skip('this machine has no IPv6');
    return;
  }
  const { port } = server.address() as AddressInfo;
  const store = await openStore({ endpoint: `http://[::1]:${port}`, container: 'container' });
  expect(await store.head('object')).toEqual({ key: 'object', size: 7 });
  await store.close();
});
