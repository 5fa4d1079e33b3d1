import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ManualClock, seededRandom } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { type GcsStub, startGcsStub } from '../../src/gcs/index.ts';
import { bucketOf, clientOf, failureOf } from './support/client.ts';
import { type RawAnswer, rawRequest, reasonIn, sendAndBreak } from './support/raw-request.ts';

const GRAIN = 256 * 1024;
const data = seededRandom(2).fill(Buffer.alloc(3 * GRAIN + 17));

async function start(): Promise<GcsStub> {
  return await startGcsStub({ buckets: ['loft'] });
}

/** Opens an upload of `k`; what it returns sends a PUT or a DELETE to its address. */
async function openUpload(
  stub: GcsStub,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<(range: string | undefined, body?: Uint8Array, method?: string) => Promise<RawAnswer>> {
  const path = `/upload/storage/v1/b/loft/o?uploadType=resumable&name=k${query}`;
  const answer = await rawRequest(stub, `POST ${path}`, { headers, body: '{}' });
  expect(answer.status).toBe(200);
  expect(answer.body).toHaveLength(0);
  const { pathname, search } = new URL(answer.headers.location ?? '');
  return async (range, body = Buffer.alloc(0), method = 'PUT') =>
    await rawRequest(stub, `${method} ${pathname}${search}`, {
      headers: range === undefined ? {} : { 'content-range': range },
      body,
    });
}

describe('a resumable upload by the client', () => {
  test.each([
    ['in one request', {}],
    ['in one request of known length', { metadata: { contentLength: data.length } }],
    ['in chunks', { chunkSize: GRAIN }],
    ['in chunks of known length', { chunkSize: GRAIN, metadata: { contentLength: data.length } }],
  ])('%s arrives whole', async (_, options) => {
    await using stub = await start();
    const file = bucketOf(stub).file('k');
    const target = file.createWriteStream({ resumable: true, contentType: 'x/y', ...options });
    await pipeline(Readable.from([data.subarray(0, 1000), data.subarray(1000)]), target);
    expect(stub.objects('loft')[0]).toMatchObject({ size: data.length, contentType: 'x/y' });
    expect(stub.objects('loft')[0]?.bytes().equals(data)).toBe(true);
    expect(stub.pendingUploads('loft')).toEqual([]);
    expect(stub.usedBytes).toBe(data.length);
    const puts = stub.requests.of('uploads.put').map(({ status }) => status);
    expect(puts).toEqual('chunkSize' in options ? [308, 308, 308, 200] : [200]);
  });

  test('in chunks that end with the data is over with the last full one', async () => {
    await using stub = await start();
    const file = bucketOf(stub).file('k');
    await file.save(data.subarray(0, 2 * GRAIN), { resumable: true, chunkSize: GRAIN });
    expect(stub.requests.of('uploads.put').map(({ status }) => status)).toEqual([308, 200]);
  });

  test('goes on where it was when a chunk is refused or broken', async () => {
    await using stub = await start();
    const storage = clientOf(stub, {
      retryOptions: { autoRetry: true, retryDelayMultiplier: 0.01 },
    });
    const busy = stub.failures.add({
      operation: 'uploads.put',
      skip: 1,
      times: 1,
      action: { kind: 'answer', status: 503 },
    });
    const broken = stub.failures.add({
      operation: 'uploads.put',
      skip: 1,
      times: 1,
      action: { kind: 'cut-request', afterBytes: GRAIN + 5, reset: true },
    });
    await storage
      .bucket('loft')
      .file('k')
      .save(data, {
        resumable: true,
        chunkSize: 2 * GRAIN,
        preconditionOpts: { ifGenerationMatch: 0 },
      });
    expect([busy.fired, broken.fired]).toEqual([1, 1]);
    expect(stub.objects('loft')[0]?.bytes().equals(data)).toBe(true);
    // The grain that arrived before the break is not sent again.
    expect(
      stub.requests.of('uploads.put').map(({ bytesIn, outcome }) => [bytesIn, outcome]),
    ).toEqual([
      [2 * GRAIN, 'answered'],
      [GRAIN + 17, 'answered'],
      [GRAIN + 5, 'cut'],
      [17, 'answered'],
    ]);
  });

  test('that is given up leaves no object', async () => {
    await using stub = await start();
    const file = bucketOf(stub).file('k');
    const abort = new AbortController();
    async function* source(): AsyncGenerator<Buffer> {
      yield data.subarray(0, 2 * GRAIN);
      abort.abort();
      yield data;
    }
    const target = file.createWriteStream({ resumable: true, chunkSize: GRAIN });
    await expect(pipeline(source(), target, { signal: abort.signal })).rejects.toThrow();
    await stub.idle();
    expect(stub.objects('loft')).toEqual([]);
  });

  test('is opened alone by createResumableUpload', async () => {
    await using stub = await start();
    const [uri] = await bucketOf(stub).file('k').createResumableUpload();
    expect(uri.startsWith(stub.url)).toBe(true);
    expect(stub.pendingUploads('loft')).toMatchObject([{ key: 'k', receivedBytes: 0 }]);
  });
});

describe('a resumable upload on the wire', () => {
  test('tells how far it got', async () => {
    await using stub = await start();
    const put = await openUpload(stub);
    const fresh = await put('bytes */*');
    expect([fresh.status, fresh.headers.range]).toEqual([308, undefined]);
    const first = await put(`bytes 0-${GRAIN - 1}/*`, data.subarray(0, GRAIN));
    expect([first.status, first.headers.range]).toEqual([308, `bytes=0-${GRAIN - 1}`]);
    const asked = await put('bytes */*');
    expect([asked.status, asked.headers.range]).toEqual([308, `bytes=0-${GRAIN - 1}`]);
    expect(stub.objects('loft')).toEqual([]);
    const end = data.length - 1;
    const last = await put(`bytes ${GRAIN}-${end}/${data.length}`, data.subarray(GRAIN));
    const md5Hash = createHash('md5').update(data).digest('base64');
    expect(JSON.parse(last.body.toString())).toMatchObject({ size: `${data.length}`, md5Hash });
    // Whoever lost the answer hears it again, however it asks.
    const again = await put('bytes */*');
    const repeated = await put(`bytes ${GRAIN}-${end}/${data.length}`, data.subarray(GRAIN));
    for (const { status, body } of [again, repeated]) {
      expect(status).toBe(200);
      expect(body.toString()).toBe(last.body.toString());
    }
  });

  test('keeps whole grains of a piece whose connection broke', async () => {
    await using stub = await start();
    const put = await openUpload(stub);
    const path = stub.requests.of('uploads.open')[0]?.path;
    const id = stub.pendingUploads('loft')[0]?.uploadId;
    const head =
      `PUT ${path}&upload_id=${id} HTTP/1.1\r\nHost: x\r\nContent-Length: ${data.length}\r\n` +
      `Content-Range: bytes 0-${data.length - 1}/${data.length}\r\n\r\n`;
    await sendAndBreak(stub, Buffer.concat([Buffer.from(head), data.subarray(0, 2 * GRAIN + 9)]));
    await stub.idle();
    expect((await put('bytes */*')).headers.range).toBe(`bytes=0-${2 * GRAIN - 1}`);
    expect(stub.usedBytes).toBe(2 * GRAIN);
    const range = `bytes ${2 * GRAIN}-${data.length - 1}/${data.length}`;
    expect((await put(range, data.subarray(2 * GRAIN))).status).toBe(200);
    expect(stub.objects('loft')[0]?.bytes().equals(data)).toBe(true);
  });

  test('ignores bytes that it has, and refuses a gap', async () => {
    await using stub = await start();
    const put = await openUpload(stub);
    await put(`bytes 0-${2 * GRAIN - 1}/*`, data.subarray(0, 2 * GRAIN));
    const gap = await put(
      `bytes ${3 * GRAIN}-${data.length - 1}/${data.length}`,
      data.subarray(3 * GRAIN),
    );
    expect(reasonIn(gap)).toBe('503 backendError');
    const wrong = Buffer.alloc(data.length - GRAIN, 1);
    data.copy(wrong, GRAIN, 2 * GRAIN);
    expect((await put(`bytes ${GRAIN}-${data.length - 1}/${data.length}`, wrong)).status).toBe(200);
    expect(stub.objects('loft')[0]?.bytes().equals(data)).toBe(true);
  });

  test('that is given up answers 499 from then on', async () => {
    await using stub = await start();
    const put = await openUpload(stub);
    await put(`bytes 0-${GRAIN - 1}/*`, data.subarray(0, GRAIN));
    const cancelled = await put(undefined, undefined, 'DELETE');
    expect([cancelled.status, cancelled.body.length]).toEqual([499, 0]);
    expect(stub.usedBytes).toBe(0);
    expect(stub.pendingUploads('loft')).toEqual([]);
    for (const method of ['PUT', 'DELETE']) {
      expect((await put('bytes */*', undefined, method)).status).toBe(499);
    }
  });

  test('cannot be given up once it is an object', async () => {
    await using stub = await start();
    const put = await openUpload(stub);
    await put(undefined, data);
    expect((await put(undefined, undefined, 'DELETE')).status).toBe(404);
    expect(stub.objects('loft')).toHaveLength(1);
  });

  test('is gone after a week, and unknown when it never was', async () => {
    const clock = new ManualClock();
    await using stub = await startGcsStub({ buckets: ['loft'], clock });
    const put = await openUpload(stub);
    clock.advance(7 * 86_400_000 + 1);
    expect(reasonIn(await put('bytes */*'))).toBe('410 notFound');
    const never = 'PUT /upload/storage/v1/b/loft/o?uploadType=resumable&upload_id=never';
    expect(reasonIn(await rawRequest(stub, never))).toBe('404 notFound');
  });

  test('can be forgotten by a script', async () => {
    await using stub = await start();
    const put = await openUpload(stub);
    await put(`bytes 0-${GRAIN - 1}/*`, data.subarray(0, GRAIN));
    const forgotten = stub.failures.add({
      operation: 'uploads.put',
      key: 'k',
      action: { kind: 'forget-upload' },
    });
    expect((await put(`bytes ${GRAIN}-*/*`, data.subarray(GRAIN))).status).toBe(404);
    expect(forgotten.fired).toBe(1);
    expect([stub.usedBytes, stub.objects('loft').length]).toEqual([0, 0]);
  });

  test('looks at its preconditions at the start, and again at the end', async () => {
    await using stub = await start();
    const file = bucketOf(stub).file('k');
    const put = await openUpload(stub, { query: '&ifGenerationMatch=0' });
    await file.save('faster', { resumable: false });
    expect(reasonIn(await put(undefined, data))).toBe('412 conditionNotMet');
    expect(stub.usedBytes).toBe('faster'.length);
    expect(stub.pendingUploads('loft')).toEqual([]);
    const late = 'POST /upload/storage/v1/b/loft/o?uploadType=resumable&name=k&ifGenerationMatch=0';
    expect(reasonIn(await rawRequest(stub, late))).toBe('412 conditionNotMet');
    const create = { resumable: true, preconditionOpts: { ifGenerationMatch: 0 } };
    expect(await failureOf(file.save('x', create))).toMatch(/^412/);
  });

  test('holds its client to the length that it announced', async () => {
    await using stub = await start();
    const headers = { 'x-upload-content-length': '10', 'x-upload-content-type': 'x/y' };
    const put = await openUpload(stub, { headers });
    expect(reasonIn(await put('bytes 0-*/*', Buffer.alloc(9)))).toBe('400 invalid');
    expect(reasonIn(await put('bytes 0-10/11', Buffer.alloc(11)))).toBe('400 invalid');
    expect((await put('bytes 0-9/10', Buffer.alloc(10))).status).toBe(200);
    expect(stub.objects('loft')[0]).toMatchObject({ size: 10, contentType: 'x/y' });
  });
});
