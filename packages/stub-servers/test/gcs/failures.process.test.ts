import { ManualClock, seededRandom } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { type FailureAction, type GcsStub, startGcsStub } from '../../src/gcs/index.ts';
import { bucketOf, failureOf } from './support/client.ts';
import { rawRequest, reasonIn } from './support/raw-request.ts';

const data = seededRandom(3).fill(Buffer.alloc(600_000));
const DOWNLOAD = 'GET /storage/v1/b/loft/o/k?alt=media';
const INSERT = 'POST /upload/storage/v1/b/loft/o?uploadType=media&name=k';

async function start(): Promise<GcsStub> {
  return await startGcsStub({ buckets: ['loft'] });
}

/** What a client makes of an answer that ends too early, or of none. */
async function wireFailure(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => 'succeeded',
    (error: NodeJS.ErrnoException) => error.code,
  );
}

describe('a scripted failure', () => {
  test.each([
    [400, 'invalid'],
    [401, 'authError'],
    [403, 'forbidden'],
    [404, 'notFound'],
    [408, 'invalid'],
    [412, 'conditionNotMet'],
    [429, 'rateLimitExceeded'],
    [500, 'backendError'],
    [502, 'backendError'],
    [503, 'backendError'],
  ])('of status %i gives the reason that goes with it: %s', async (status, reason) => {
    await using stub = await start();
    const rule = stub.failures.add({
      operation: 'objects.get',
      action: { kind: 'answer', status },
    });
    const file = bucketOf(stub).file('k');
    expect(await failureOf(file.getMetadata())).toBe(`${status} ${reason}`);
    expect(rule.fired).toBe(1);
    // Other operations go on.
    expect(await failureOf(file.save('x', { resumable: false }))).toBe('succeeded');
  });

  test('says what it is told to say', async () => {
    await using stub = await start();
    stub.failures.add({
      operation: 'objects.list',
      times: 1,
      action: {
        kind: 'answer',
        status: 403,
        code: 'storageQuotaExceeded',
        message: 'no more',
        headers: { 'Retry-After': '7' },
      },
    });
    stub.failures.add({ action: { kind: 'answer', status: 502, body: '<html>proxy</html>' } });
    const first = await rawRequest(stub, 'GET /storage/v1/b/loft/o');
    expect(reasonIn(first)).toBe('403 storageQuotaExceeded');
    expect(first.headers['retry-after']).toBe('7');
    const second = await rawRequest(stub, 'GET /storage/v1/b/loft/o');
    expect([second.status, second.body.toString()]).toEqual([502, '<html>proxy</html>']);
    stub.failures.clear();
    expect((await rawRequest(stub, 'GET /storage/v1/b/loft/o')).status).toBe(200);
  });

  test('of a download speaks plain text, as the service does there', async () => {
    await using stub = await start();
    stub.failures.add({ action: { kind: 'answer', status: 503, message: 'busy' } });
    const answer = await rawRequest(stub, DOWNLOAD);
    expect([answer.status, answer.body.toString()]).toEqual([503, 'busy']);
  });

  test('picks its requests by operation and key, after some and for a while', async () => {
    await using stub = await start();
    const action: FailureAction = { kind: 'answer', status: 503 };
    const rule = stub.failures.add({
      operation: 'objects.insert',
      key: /^a\//,
      skip: 1,
      times: 2,
      action,
    });
    const save = (key: string): Promise<string> =>
      failureOf(bucketOf(stub).file(key).save('x', { resumable: false }));
    const outcomes: string[] = [];
    for (const key of ['a/1', 'b/1', 'a/2', 'a/3', 'a/4']) outcomes.push(await save(key));
    expect(outcomes).toEqual([
      'succeeded',
      'succeeded',
      '503 backendError',
      '503 backendError',
      'succeeded',
    ]);
    expect(rule.fired).toBe(2);
  });

  test('before the body is read answers without it', async () => {
    await using stub = await start();
    stub.failures.add({ times: 1, action: { kind: 'answer', status: 429, readBody: false } });
    expect((await rawRequest(stub, INSERT, { body: 'x' })).status).toBe(429);
    expect((await rawRequest(stub, INSERT, { body: 'x' })).status).toBe(200);
  });

  test.each([
    ['cut', { kind: 'cut-request', afterBytes: 100_000 }],
    ['reset', { kind: 'cut-request', afterBytes: 100_000, reset: true }],
    ['cut at its very end', { kind: 'cut-request', afterBytes: data.length }],
  ] as const)('by which an upload is %s leaves nothing', async (_, action) => {
    await using stub = await start();
    stub.failures.add({ action });
    expect(await wireFailure(rawRequest(stub, INSERT, { body: data }))).toMatch(/ECONNRESET|EPIPE/);
    await stub.idle();
    expect(stub.objects('loft')).toEqual([]);
    expect(stub.usedBytes).toBe(0);
    expect(stub.requests.all.map(({ outcome }) => outcome)).toEqual(['cut']);
  });

  test('by which the answer is lost leaves what was done', async () => {
    await using stub = await start();
    const create = `${INSERT}&ifGenerationMatch=0`;
    stub.failures.add({ times: 1, action: { kind: 'lose-answer' } });
    expect(await wireFailure(rawRequest(stub, create, { body: data }))).toBe('ECONNRESET');
    expect(stub.object('loft', 'k')?.size).toBe(data.length);
    // What a client sees that tries again.
    expect(reasonIn(await rawRequest(stub, create, { body: data }))).toBe('412 conditionNotMet');
    expect(stub.requests.all.map(({ outcome }) => outcome)).toEqual(['lost', 'answered']);
  });

  test('truncates a download at the byte', async () => {
    await using stub = await start();
    await rawRequest(stub, INSERT, { body: data });
    stub.failures.add({ action: { kind: 'truncate-answer', afterBytes: 1234 } });
    const answer = await fetch(`${stub.url}${DOWNLOAD.slice(4)}`);
    expect(answer.headers.get('content-length')).toBe(String(data.length));
    const received: Uint8Array[] = [];
    const read = async (): Promise<void> => {
      for await (const piece of answer.body ?? []) received.push(piece);
    };
    await expect(read()).rejects.toThrow();
    expect(Buffer.concat(received).equals(data.subarray(0, 1234))).toBe(true);
  });

  test('stalls a download at the byte until the client goes', async () => {
    await using stub = await start();
    await rawRequest(stub, INSERT, { body: data });
    const rule = stub.failures.add({ action: { kind: 'stall-answer', afterBytes: 1234 } });
    const abort = new AbortController();
    const answer = await fetch(`${stub.url}${DOWNLOAD.slice(4)}`, { signal: abort.signal });
    let received = 0;
    const read = async (): Promise<void> => {
      for await (const piece of answer.body ?? []) {
        received += piece.byteLength;
        if (received === 1234) abort.abort();
      }
    };
    await expect(read()).rejects.toThrow();
    await stub.idle();
    expect([received, rule.fired]).toEqual([1234, 1]);
  });

  test('delays by the clock, and hangs for ever', async () => {
    const clock = new ManualClock();
    await using stub = await startGcsStub({ buckets: ['loft'], clock });
    const slow = stub.failures.add({ times: 1, action: { kind: 'delay', ms: 60_000 } });
    const answered = rawRequest(stub, INSERT, { body: 'x' });
    await slow.whenFired();
    expect(stub.objects('loft')).toEqual([]);
    clock.advance(60_000);
    expect((await answered).status).toBe(200);
    const silent = stub.failures.add({ action: { kind: 'hang' } });
    const abort = new AbortController();
    const hanging = fetch(`${stub.url}/storage/v1/b/loft/o`, { signal: abort.signal });
    await silent.whenFired();
    abort.abort();
    await expect(hanging).rejects.toThrow('aborted');
    await stub.idle();
  });

  test('is refused when it could not be carried out', async () => {
    await using stub = await start();
    expect(() => stub.failures.add({ action: { kind: 'answer', status: 99 } })).toThrow(RangeError);
    expect(() => stub.failures.add({ action: { kind: 'delay', ms: -1 } })).toThrow(RangeError);
  });
});

describe('the log', () => {
  test('tells what came, what was answered, and how many bytes that took', async () => {
    await using stub = await start();
    await rawRequest(stub, INSERT, { body: data });
    await rawRequest(stub, DOWNLOAD, { headers: { range: 'bytes=0-9' } });
    await rawRequest(stub, 'DELETE /storage/v1/b/loft/o/none');
    await stub.idle();
    expect(stub.requests.all).toMatchObject([
      { operation: 'objects.insert', method: 'POST', status: 200, bytesIn: data.length, key: 'k' },
      { operation: 'objects.download', status: 206, bytesIn: 0, bytesOut: 10, bucket: 'loft' },
      { operation: 'objects.delete', status: 404, key: 'none' },
    ]);
    expect(stub.requests.count('objects.download')).toBe(1);
    stub.requests.reset();
    expect(stub.requests.count()).toBe(0);
  });
});
