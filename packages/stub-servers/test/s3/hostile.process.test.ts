import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { DeleteObjectsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import type { S3Stub } from '../../src/s3/index.ts';
import { BUCKET, clientOf, failureOf, startPair } from './support/client.ts';
import {
  capture,
  errorIn,
  sendAndEnd,
  sendWire,
  type WireRequest,
  wireText,
} from './support/wire.ts';

async function startTrusting() {
  return await startPair({ authentication: 'ignore', maxBytes: 1_000_000 });
}

/** Still alive, and nothing left behind. */
async function assertUnharmed(stub: S3Stub, usedBytes = 0): Promise<void> {
  await stub.idle();
  expect(stub.usedBytes).toBe(usedBytes);
  expect(stub.requests.all.filter(({ error }) => error !== undefined)).toEqual([]);
  expect(
    await failureOf(
      clientOf(stub).send(
        new PutObjectCommand({ Bucket: BUCKET, Key: 'alive', Body: Buffer.alloc(0) }),
      ),
    ),
  ).toBe('succeeded');
}

test('a body that stops short of its length leaves nothing, wherever it stops', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const wire = await capture(client, (each) =>
    each.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: Buffer.alloc(100_000) })),
  );
  for (const sent of [0, 1, 65_536, 99_999]) await sendAndEnd(stub, wireText(wire, sent));
  await stub.idle();
  expect(stub.requests.of('PutObject')).toHaveLength(4);
  expect(stub.requests.of('PutObject').every(({ outcome }) => outcome === 'cut')).toBe(true);
  expect(stub.objects(BUCKET)).toEqual([]);
  await assertUnharmed(stub);
});

test('lengths that are missing, absurd, negative or not numbers are refused', async () => {
  await using pair = await startTrusting();
  const { stub } = pair;
  const send = async (headers: readonly string[]): Promise<string> => {
    const head = [`PUT /${BUCKET}/k HTTP/1.1`, 'host: localhost', 'connection: close', ...headers];
    return await sendAndEnd(stub, Buffer.from(`${head.join('\r\n')}\r\n\r\n`));
  };
  expect(await send([])).toContain(' 411 ');
  expect(await send(['transfer-encoding: chunked'])).toContain(' 411 ');
  expect(await send(['content-length: 99999999999999'])).toContain('EntityTooLarge');
  expect(await send(['content-length: 5000000000'])).toContain(' 507 ');
  expect(await send(['content-length: 999999999999999999999'])).toContain(' 400 ');
  expect(await send(['content-length: -1'])).toContain(' 400 ');
  expect(await send(['content-length: ten'])).toContain(' 400 ');
  const streaming = 'x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER';
  expect(await send([streaming, 'content-length: 0'])).toContain('MissingContentLength');
  expect(
    await send([streaming, 'content-length: 0', 'x-amz-decoded-content-length: 1e9']),
  ).toContain('InvalidArgument');
  expect(stub.objects(BUCKET)).toEqual([]);
  await assertUnharmed(stub);
});

test('what is stored and on its way is bounded together; what is freed can be used again', async () => {
  await using pair = await startTrusting();
  const { client, stub } = pair;
  const put = (Key: string, bytes: number) =>
    failureOf(
      client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: Buffer.alloc(bytes) })),
    );
  expect(await put('a', 600_000)).toBe('succeeded');
  expect(await put('b', 400_001)).toBe('507 InsufficientStorage');
  expect(stub.usedBytes).toBe(600_000);
  expect(await put('b', 400_000)).toBe('succeeded');
  // Two on their way at once: one of them finds no room, whichever it is.
  expect(await put('a', 0)).toBe('succeeded');
  const both = await Promise.all([put('c', 400_000), put('d', 400_000)]);
  expect(both.filter((outcome) => outcome === 'succeeded').length).toBeLessThanOrEqual(1);
  await stub.idle();
  expect([400_000, 800_000]).toContain(stub.usedBytes);
});

test('a stub that is full can still be told to delete', async () => {
  await using pair = await startPair({ maxBytes: 10 });
  const { client, stub } = pair;
  await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: '0123456789' }));
  const deletion = { Objects: [{ Key: 'k' }] };
  await client.send(new DeleteObjectsCommand({ Bucket: BUCKET, Delete: deletion }));
  expect(stub.usedBytes).toBe(0);
});

test('a framed body in pieces of one byte costs no more than its bytes', async () => {
  await using pair = await startTrusting();
  const { stub } = pair;
  const frames = Buffer.from(`${'1\r\nx\r\n'.repeat(50_000)}0\r\n\r\n`);
  const answer = await sendWire(stub, {
    method: 'PUT',
    path: `/${BUCKET}/k`,
    headers: {
      'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      'x-amz-decoded-content-length': '50000',
      'content-length': String(frames.length),
    },
    body: frames,
  });
  expect(answer.status).toBe(200);
  await assertUnharmed(stub, 50_000);
});

const DOCUMENTS: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['no XML', 'hello'],
  ['unclosed', '<Delete><Object><Key>k</Key></Object>'],
  ['crossed', '<Delete><Object></Delete></Object>'],
  ['another root', '<Deleted><Object><Key>k</Key></Object></Deleted>'],
  ['two roots', '<Delete/><Delete/>'],
  [
    'a document type',
    '<!DOCTYPE d [<!ENTITY e "x">]><Delete><Object><Key>&e;</Key></Object></Delete>',
  ],
  ['an unknown entity', '<Delete><Object><Key>&nbsp;</Key></Object></Delete>'],
  ['no keys', '<Delete></Delete>'],
  ['deep', `${'<a>'.repeat(100_000)}`],
  ['many open brackets', '<'.repeat(100_000)],
  ['an endless comment', `<Delete><!--${'-'.repeat(100_000)}`],
];

test.each(DOCUMENTS)('a document that is wrong is refused: %s', async (_name, text) => {
  await using pair = await startTrusting();
  const body = Buffer.from(text);
  const answer = await sendWire(pair.stub, {
    method: 'POST',
    path: `/${BUCKET}?delete`,
    headers: {
      'content-length': String(body.length),
      'content-md5': createHash('md5').update(body).digest('base64'),
    },
    body,
  });
  expect(errorIn(answer)).toBe('400 MalformedXML');
  await assertUnharmed(pair.stub);
});

test('a document above 1 MiB is refused by its length', async () => {
  await using pair = await startPair({ authentication: 'ignore' });
  const body = Buffer.alloc(1024 * 1024 + 1, ' ');
  const answer = await sendWire(pair.stub, {
    method: 'POST',
    path: `/${BUCKET}?delete`,
    headers: { 'content-length': String(body.length), 'x-amz-checksum-crc32': 'AAAAAA==' },
    body,
  });
  expect(errorIn(answer)).toBe('400 MaxMessageLengthExceeded');
  await assertUnharmed(pair.stub);
});

test('requests that are no requests of S3 are answered, and nothing falls over', async () => {
  await using pair = await startTrusting();
  const { stub } = pair;
  const send = async (wire: Partial<WireRequest>): Promise<string> =>
    errorIn(await sendWire(stub, wire));
  expect(await send({ path: `/${BUCKET}/%` })).toBe('400 InvalidURI');
  expect(await send({ path: `/${BUCKET}/%ff` })).toBe('400 InvalidURI');
  expect(await send({ path: `/${BUCKET}?x=%zz` })).toBe('400 InvalidURI');
  expect(await send({ path: `/${BUCKET}?acl` })).toBe('501 NotImplemented');
  expect(await send({ path: `/${BUCKET}/k?tagging`, method: 'PUT' })).toBe('501 NotImplemented');
  expect(await send({ path: '/__proto__/constructor' })).toBe('404 NoSuchBucket');
  expect(await send({ path: `/${BUCKET}/k?uploadId=__proto__` })).toBe('404 NoSuchUpload');
  expect(await send({ path: '/', method: 'DELETE' })).toBe('501 NotImplemented');
  expect(await send({ path: `/${BUCKET}/k`, method: 'PATCH' })).toBe('501 NotImplemented');
  for (const name of ['x-amz-tagging', 'x-amz-server-side-encryption-customer-key']) {
    const headers = { 'content-length': '0', [name]: 'x' };
    expect(await send({ method: 'PUT', path: `/${BUCKET}/k`, headers })).toBe('501 NotImplemented');
  }
  expect(await send({ path: `http://elsewhere/${BUCKET}/none` })).toBe('404 NoSuchKey');
  expect(await sendAndEnd(stub, Buffer.from('nonsense\r\n\r\n'))).toContain(' 400 ');
  expect(
    await sendAndEnd(stub, Buffer.from(`GET / HTTP/1.1\r\nx: ${'y'.repeat(100_000)}`)),
  ).toContain(' 431 ');
  await assertUnharmed(stub);
});

test('a header that cannot be sent back is the error of one request', async () => {
  await using pair = await startTrusting();
  const { stub } = pair;
  await clientOf(stub).send(new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: 'x' }));
  const answer = await sendWire(stub, {
    path: `/${BUCKET}/k?response-content-type=a%0d%0ax-injected:%20yes`,
  });
  expect(answer.status).toBe(400);
  expect(answer.headers['x-injected']).toBeUndefined();
  await assertUnharmed(stub, 1);
});

test('clients that connect and say nothing do not keep the stub from closing', async () => {
  const pair = await startPair();
  const socket = connect(pair.stub.port, '127.0.0.1');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  await pair[Symbol.asyncDispose]();
  await closed;
});
