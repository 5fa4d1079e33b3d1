import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectBytes, memorySource } from '@logloft/remote-storage';
import { afterEach, describe, expect, test } from 'vitest';
import type { AzureObjectStore } from '../src/index.ts';
import { ACCOUNT } from './support/azurite.ts';
import { openStore } from './support/containers.ts';
import { QUICK_RETRIES } from './support/faulty-azurite.ts';
import { failureOf } from './support/waiting.ts';

const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A store whose server answers as the test wants it. */
async function storeOf(answer: RequestListener): Promise<AzureObjectStore> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('x-ms-version', '2026-01-01');
    response.setHeader('etag', '"1"');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}/${ACCOUNT}`;
  const store = await openStore({ endpoint, container: 'container', retryPolicy: QUICK_RETRIES });
  endings.push(() => store.close());
  return store;
}

function page(blobs: string, marker: string): string {
  return `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://a/" ContainerName="container"><Blobs>${blobs}</Blobs><NextMarker>${marker}</NextMarker></EnumerationResults>`;
}

const BLOB =
  '<Blob><Name>a</Name><Properties><Content-Length>5</Content-Length></Properties></Blob>';

async function listed(store: AzureObjectStore): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys;
}

describe('listings', () => {
  const listing =
    (text: string): RequestListener =>
    (_, response) =>
      response.writeHead(200, { 'content-type': 'application/xml' }).end(text);

  test('a listing whose pages never end is ended', async () => {
    const store = await storeOf(listing(page(BLOB, 'again')));
    expect(await failureOf(listed(store))).toMatchObject({ kind: 'corrupt' });
  });

  test.each([
    ['no size', BLOB.replace(/<Content-Length>.*<\/Content-Length>/, '')],
    ['a negative size', BLOB.replace('5', '-5')],
    ['a size that is no number', BLOB.replace('5', 'many')],
  ])('an object of %s is refused', async (_, blob) => {
    const store = await storeOf(listing(page(blob, '')));
    expect(await failureOf(listed(store))).toMatchObject({ kind: 'corrupt', key: 'a' });
  });

  test('one that is as it should be is taken', async () => {
    expect(await listed(await storeOf(listing(page(BLOB, ''))))).toEqual(['a']);
  });

  test.each(['', 'no xml', '<EnumerationResults>', '{"json":true}'])(
    'an answer that is no listing is an error (%j)',
    async (text) => {
      const failure = await failureOf(listed(await storeOf(listing(text))));
      expect(['unavailable', 'corrupt']).toContain(failure.kind);
    },
  );
});

describe('objects', () => {
  test('a head without a size is an error', async () => {
    const store = await storeOf((_, response) => response.writeHead(200).end());
    expect(await failureOf(store.head('object'))).toMatchObject({ kind: 'corrupt', key: 'object' });
  });

  test.each([
    { what: 'that ignores the range', status: 200, headers: {} },
    { what: 'of another range', status: 206, headers: { 'content-range': 'bytes 3-7/100' } },
    { what: 'of too short a range', status: 206, headers: { 'content-range': 'bytes 2-4/100' } },
    {
      what: 'of a range without a total',
      status: 206,
      headers: { 'content-range': 'bytes 2-6/*' },
    },
    {
      what: 'of a range beyond counting',
      status: 206,
      headers: { 'content-range': `bytes 2-6/${'9'.repeat(400)}` },
    },
  ])('an answer $what is refused', async ({ status, headers }) => {
    const store = await storeOf((_, response) => {
      response.writeHead(status, { 'content-length': '5', ...headers }).end('12345');
    });
    const reading = store.get('object', { start: 2, end: 6 });
    expect(await failureOf(reading)).toMatchObject({ kind: 'corrupt', key: 'object' });
  });

  test('the right one is taken', async () => {
    const store = await storeOf((_, response) => {
      const headers = { 'content-length': '5', 'content-range': 'bytes 2-6/100' };
      response.writeHead(206, headers).end('12345');
    });
    const pieces = await store.get('object', { start: 2, end: 6 });
    expect(String(Buffer.from(await collectBytes(pieces, 10)))).toBe('12345');
  });
});

test('an answer to a batch that cannot be read leads to single deletions', async () => {
  const seen: (string | undefined)[] = [];
  const store = await storeOf((request, response) => {
    seen.push(request.method);
    const headers = { 'content-type': 'multipart/mixed; boundary=b' };
    response.writeHead(202, headers).end(request.method === 'POST' ? 'nothing of use' : '');
  });
  await store.delete(['a', 'b']);
  expect(seen.toSorted()).toEqual(['DELETE', 'DELETE', 'POST']);
});

test('an answer that is not HTTP is unavailable', async () => {
  const store = await storeOf((request) => {
    request.socket.end('SSH-2.0-OpenSSH_9.2\r\n');
  });
  for (const call of [store.head('a'), store.put('a', memorySource(new Uint8Array(3)))]) {
    expect(await failureOf(call)).toMatchObject({ kind: 'unavailable' });
  }
});
