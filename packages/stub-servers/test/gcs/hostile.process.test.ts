import { connect } from 'node:net';
import { randomBelow, seededRandom } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { type GcsStub, startGcsStub } from '../../src/gcs/index.ts';
import { bucketOf, failureOf } from './support/client.ts';
import { rawRequest, reasonIn, sendAndBreak } from './support/raw-request.ts';

const INSERT = 'POST /upload/storage/v1/b/loft/o?uploadType=media&name=k';

async function start(maxBytes?: number): Promise<GcsStub> {
  return await startGcsStub({ buckets: ['loft'], maxBytes });
}

/** Nothing is kept, nothing went wrong within, and the next request is served. */
async function expectUnharmed(stub: GcsStub): Promise<void> {
  await stub.idle();
  expect(stub.objects('loft')).toEqual([]);
  expect(stub.usedBytes).toBe(0);
  expect(stub.requests.all.map(({ error }) => error)).toEqual(
    stub.requests.all.map(() => undefined),
  );
  expect((await rawRequest(stub, 'GET /storage/v1/b/loft')).status).toBe(200);
}

describe('memory', () => {
  test('is bounded: what does not fit is refused, and all else stays', async () => {
    await using stub = await start(1_000_000);
    const bucket = bucketOf(stub);
    await bucket.file('a').save(Buffer.alloc(600_000), { resumable: false });
    const outcomes = [
      await failureOf(bucket.file('b').save(Buffer.alloc(600_000), { resumable: false })),
      await failureOf(bucket.file('b').save(Buffer.alloc(600_000), { resumable: true })),
      await failureOf(bucket.file('a').copy('b')),
    ];
    for (const outcome of outcomes) expect(outcome).toMatch(/^507/);
    await stub.idle();
    expect(stub.objects('loft').map(({ key }) => key)).toEqual(['a']);
    await bucket.file('a').delete();
    await bucket.file('b').save(Buffer.alloc(900_000), { resumable: false });
    expect(stub.usedBytes).toBe(900_000);
  });

  test('is not taken for a length that is only announced', async () => {
    await using stub = await start(1_000_000);
    const head = `${INSERT} HTTP/1.1\r\nHost: x\r\nContent-Length: 900000000000000\r\n\r\n`;
    const socket = connect(stub.port, '127.0.0.1').on('error', () => undefined);
    socket.write(head);
    const [first] = await new Promise<Buffer[]>((resolve) => {
      socket.once('data', (piece) => resolve([piece]));
    });
    expect(first?.toString()).toMatch(/^HTTP\/1\.1 507 /);
    socket.destroy();
    await expectUnharmed(stub);
  });

  test('bounds documents by themselves', async () => {
    await using stub = await start();
    const body = JSON.stringify({ name: 'x'.repeat(2 ** 20) });
    const lines = [
      'POST /storage/v1/b',
      'POST /upload/storage/v1/b/loft/o?uploadType=resumable&name=k',
      'POST /storage/v1/b/loft/o/k/compose',
      'PATCH /storage/v1/b/loft/o/k',
    ];
    for (const line of lines) {
      expect(reasonIn(await rawRequest(stub, line, { body }))).toBe('413 uploadTooLarge');
    }
    await expectUnharmed(stub);
  });
});

describe('a request that is nonsense', () => {
  test.each([
    ['POST /storage/v1/b', '{', '400 parseError'],
    ['POST /storage/v1/b', '[1]', '400 parseError'],
    ['POST /storage/v1/b', '{"name":{}}', '400 required'],
    [
      'POST /upload/storage/v1/b/loft/o?uploadType=resumable&name=k',
      '{"metadata":1}',
      '400 invalid',
    ],
    ['POST /upload/storage/v1/b/loft/o?uploadType=resumable&name=k', 'nonsense', '400 parseError'],
    ['POST /upload/storage/v1/b/loft/o?uploadType=multipart&name=k', 'nonsense', '400 invalid'],
    ['POST /upload/storage/v1/b/loft/o?uploadType=other&name=k', 'x', '400 invalid'],
    ['POST /upload/storage/v1/b/loft/o?name=k', 'x', '400 invalid'],
    ['POST /storage/v1/b/loft/o/k/compose', '{"sourceObjects":{}}', '400 required'],
    ['PUT /upload/storage/v1/b/loft/o?upload_id=', 'x', '400 required'],
    ['PUT /upload/storage/v1/b/loft/o?upload_id=constructor', 'x', '404 notFound'],
    ['GET /storage/v1/b/loft/o?maxResults=-1', '', '400 invalid'],
    ['GET /storage/v1/b/loft/o?pageToken=%21', '', '400 invalid'],
    ['GET /storage/v1/b/loft/o/%ff', '', '501 notImplemented'],
    ['GET /storage/v1/b/loft/o/k?generation=x', '', '400 invalid'],
    ['GET /storage/v1/b/loft/acl', '', '501 notImplemented'],
    ['GET /favicon.ico', '', '501 notImplemented'],
    ['TRACE /storage/v1/b', '', '501 notImplemented'],
  ])('%s %s: %s', async (line, body, expected) => {
    await using stub = await start();
    expect(reasonIn(await rawRequest(stub, line, { body }))).toBe(expected);
    await expectUnharmed(stub);
  });

  test('in a header of an upload is refused', async () => {
    await using stub = await start();
    const open = 'POST /upload/storage/v1/b/loft/o?uploadType=resumable&name=k';
    const bad = await rawRequest(stub, open, { headers: { 'x-upload-content-length': '-1' } });
    expect(reasonIn(bad)).toBe('400 invalid');
    const { pathname, search } = new URL((await rawRequest(stub, open)).headers.location ?? '');
    for (const range of ['bytes', 'bytes 0-1', 'bytes 5-1/*', 'bytes 0-9/2', 'items 0-1/2']) {
      const headers = { 'content-range': range };
      const answer = await rawRequest(stub, `PUT ${pathname}${search}`, { headers, body: 'xx' });
      expect(reasonIn(answer)).toBe('400 invalid');
    }
    await expectUnharmed(stub);
  });

  test('on the wire ends its connection, and no other', async () => {
    await using stub = await start();
    const chunked = `${INSERT} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const bodies = [
      'GARBAGE\r\n\r\n',
      `${INSERT} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\nx`,
      `${INSERT} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx`,
      `${INSERT} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nshort`,
      `${chunked}zz\r\nx\r\n0\r\n\r\n`,
      `${chunked}5\r\nabc`,
      `${chunked}5\r\nabcde\r\n`,
      `${chunked}fffffffffffffffffff\r\nabc`,
    ];
    for (const bytes of bodies) await sendAndBreak(stub, bytes);
    await expectUnharmed(stub);
  });

  test('of any kind is survived', async () => {
    await using stub = await start();
    const random = seededRandom(11);
    const pieces = [
      '/storage/v1/b',
      '/upload/storage/v1/b',
      '/loft',
      '/o',
      '/k',
      '/rewriteTo',
      '/compose',
      '/b',
      '//',
      '/%00',
      '/__proto__',
      '?uploadType=',
      'multipart',
      'resumable',
      '&name=',
      '%F0',
      '&upload_id=',
      '&ifGenerationMatch=',
      '0',
      '..',
    ];
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
    for (let count = 0; count < 400; count += 1) {
      const path = Array.from(
        { length: 1 + randomBelow(random, 6) },
        () => pieces[randomBelow(random, pieces.length)],
      );
      const line = `${methods[randomBelow(random, methods.length)]} /${path.join('')}`;
      const { status } = await rawRequest(stub, line, { body: '{"name":"' });
      expect(status, line).not.toBe(500);
    }
    expect(stub.requests.all.filter(({ error }) => error !== undefined)).toEqual([]);
  });
});
