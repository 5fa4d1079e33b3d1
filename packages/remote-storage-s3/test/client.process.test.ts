import { connect, createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { S3Client } from '@aws-sdk/client-s3';
import { systemClock } from '@logloft/clock';
import { collectBytes, memorySource } from '@logloft/remote-storage';
import { contextWith, seededBytes } from '@logloft/remote-storage-testkit';
import { startS3Stub } from '@logloft/stub-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createObjectStore, S3ObjectStore } from '../src/index.ts';
import { BUCKET, failureOf, openStubStore, PART_BYTES } from './support/stub-store.ts';
import { TEST_CERTIFICATE } from './support/test-certificate.ts';

const context = contextWith(systemClock, 1);

async function tlsInFrontOf(port: number): Promise<string> {
  const server = createTlsServer(TEST_CERTIFICATE, (client) => {
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

describe('a ready client', () => {
  test('with all its defaults works, is sent no Expect and no trailers, and is not closed', async () => {
    await using stub = await startS3Stub({ buckets: [BUCKET], expectContinue: 'ignore' });
    const { url: endpoint, region, credentials } = stub;
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    onTestFinished(() => client.destroy());
    const store = new S3ObjectStore({ bucket: BUCKET, client, partBytes: PART_BYTES }, context);
    const bytes = seededBytes(1, 2 * PART_BYTES + 1);
    const names = new Set<string>();
    stub.failures.add({
      match: ({ headers }) => {
        for (const name of headers.keys()) names.add(name);
        return false;
      },
      action: { kind: 'hang' },
    });
    await store.put('large', memorySource(bytes));
    const found = await collectBytes(await store.get('large'), bytes.byteLength);
    expect(Buffer.from(found).equals(Buffer.from(bytes))).toBe(true);
    await store.delete(['large', 'other']);
    await store.close();
    expect(names.has('expect')).toBe(false);
    expect(names.has('x-amz-trailer')).toBe(false);
    const again = new S3ObjectStore({ bucket: BUCKET, client }, context);
    expect(await failureOf(again.head('large'))).toMatchObject({ kind: 'not-found' });
    await again.close();
  });

  test('that refuses checksums is sent none with checksums none, whatever its own settings', async () => {
    await using stub = await startS3Stub({ buckets: [BUCKET], checksums: 'refuse' });
    const { url: endpoint, region, credentials } = stub;
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    onTestFinished(() => client.destroy());
    const store = new S3ObjectStore({ bucket: BUCKET, client, checksums: 'none' }, context);
    await store.put('object', memorySource(seededBytes(1, 10)));
    await store.delete(['object', 'other']);
    expect(stub.objects(BUCKET)).toEqual([]);
    await store.close();
  });
});

describe('a connection', () => {
  test('that is accepted and never answered ends in time', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => {
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { store } = await openStubStore({
      requestTimeoutMs: 50,
      connection: { endpoint: `http://127.0.0.1:${port}` },
    });
    const failure = await failureOf(store.head('object'));
    expect(failure).toMatchObject({ kind: 'timeout', retryable: true });
  });

  test('over TLS to a server without TLS is a matter of the endpoint, and the message says so', async () => {
    const { stub } = await openStubStore();
    const { store } = await openStubStore({
      connection: { endpoint: `https://127.0.0.1:${stub.port}` },
    });
    const failure = await failureOf(store.head('object'));
    expect(failure).toMatchObject({ kind: 'invalid-configuration' });
    expect(String(failure)).toContain('http://');
  });

  test('over TLS to a store whose certificate nobody vouches for is refused, unless it is not checked', async () => {
    const { stub } = await openStubStore();
    const endpoint = await tlsInFrontOf(stub.port);
    const strict = await openStubStore({ connection: { endpoint } });
    const failure = await failureOf(strict.store.head('object'));
    expect(failure).toMatchObject({ kind: 'invalid-configuration' });
    expect(String(failure)).toContain('aws.certificate.check.enabled');
    const lax = await openStubStore({ connection: { endpoint, certificateCheck: false } });
    await lax.store.put('object', memorySource(seededBytes(1, PART_BYTES + 1)));
    expect((await lax.store.head('object')).size).toBe(PART_BYTES + 1);
  });

  test('with the bucket in a host name that does not exist says which settings make it', async () => {
    const { store } = await openStubStore({
      connection: { endpoint: 'http://nowhere.invalid', pathStyle: false },
    });
    const failure = await failureOf(store.head('object'));
    expect(failure).toMatchObject({ kind: 'unavailable' });
    expect(String(failure)).toContain('bucket.nowhere.invalid');
    expect(String(failure)).toMatch(/s3\.endpoint\.url|EAI_AGAIN/);
  });

  test('with an endpoint has the bucket in its path', async () => {
    const { stub, store } = await openStubStore();
    await store.put('a', memorySource(new Uint8Array(1)));
    expect(stub.requests.all[0]?.path).toMatch(/^\/bucket\/a/);
  });
});

test('the plugin’s factory makes a store of its options', async () => {
  await using stub = await startS3Stub({ buckets: [BUCKET] });
  const { accessKeyId, secretAccessKey } = stub.credentials;
  const store = await createObjectStore(
    {
      's3.bucket.name': BUCKET,
      's3.region': 'us-east-1',
      's3.endpoint.url': stub.url,
      'aws.access.key.id': accessKeyId,
      'aws.secret.access.key': secretAccessKey,
    },
    context,
  );
  await store.put('object', memorySource(seededBytes(1, 10)), { ifAbsent: true });
  expect((await store.head('object')).size).toBe(10);
  expect(store.capabilities).toMatchObject({ name: 's3', durable: true, conditionalPut: true });
  await store[Symbol.asyncDispose]();
});

test('a call with all its repetitions ends by its own deadline', async () => {
  const { stub, store } = await openStubStore({
    callTimeoutMs: 80,
    retryPolicy: {
      maxAttempts: 1_000,
      baseDelayMs: 1,
      throttledBaseDelayMs: 1,
      maxDelayMs: 5,
      maxRetryAfterMs: 1,
    },
  });
  stub.failures.add({ action: { kind: 'answer', status: 500, code: 'InternalError' } });
  const failure = await failureOf(store.put('object', memorySource(new Uint8Array(1))));
  expect(failure).toMatchObject({ kind: 'timeout' });
});
