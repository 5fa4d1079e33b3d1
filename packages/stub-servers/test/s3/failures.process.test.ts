import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import type { FailureAction, FailureRule } from '../../src/s3/index.ts';
import { BUCKET, clientOf, failureOf, startPair } from './support/client.ts';
import { capture, sendWire } from './support/wire.ts';

const put = (input: Partial<PutObjectCommandInput> = {}) =>
  new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: 'x', ...input });
const get = (Key = 'k') => new GetObjectCommand({ Bucket: BUCKET, Key });

async function startWith(rule: Partial<FailureRule> & { action: FailureAction }) {
  const pair = await startPair();
  await pair.client.send(put({ Body: '0123456789' }));
  pair.stub.requests.reset();
  const failure = pair.stub.failures.add(rule);
  return { ...pair, failure, [Symbol.asyncDispose]: () => pair[Symbol.asyncDispose]() };
}

test('an answer by script has the status, code, headers and body it was given', async () => {
  await using pair = await startWith({
    action: {
      kind: 'answer',
      status: 429,
      code: 'TooManyRequests',
      message: 'slower',
      headers: { 'Retry-After': '7' },
    },
  });
  const { stub, client } = pair;
  expect(await failureOf(client.send(get()))).toBe('429 TooManyRequests');
  const answer = await sendWire(stub, { path: `/${BUCKET}/k` });
  expect(answer.status).toBe(429);
  expect(answer.headers['retry-after']).toBe('7');
  expect(answer.headers['x-amz-request-id']).toMatch(/^[\dA-F]{16}$/);
  expect(answer.body.toString()).toContain('<Message>slower</Message>');
  pair.failure.remove();
  expect(pair.failure.fired).toBe(2);
  stub.failures.add({ action: { kind: 'answer', status: 503 } });
  expect(await failureOf(client.send(get()))).toBe('503 SlowDown');
  stub.failures.clear();
  stub.failures.add({ action: { kind: 'answer', status: 200, body: '<not/><xml' } });
  const odd = await sendWire(stub, { path: `/${BUCKET}/k` });
  expect([odd.status, odd.body.toString()]).toEqual([200, '<not/><xml']);
});

test('an answer comes after the body, or before it', async () => {
  for (const readBody of [true, false]) {
    await using pair = await startWith({
      operation: 'PutObject',
      times: 1,
      action: { kind: 'answer', status: 503, readBody },
    });
    const { client, stub } = pair;
    const Body = Buffer.alloc(300_000);
    expect(await failureOf(client.send(put({ Body })))).toBe('503 SlowDown');
    expect(stub.requests.all[0]).toMatchObject({
      status: 503,
      bytesIn: readBody ? Body.length : 0,
      outcome: 'answered',
    });
    // Nothing of the body that nobody read gets in the way of the next request.
    expect(await failureOf(client.send(put({ Body })))).toBe('succeeded');
  }
});

test('rules pick by operation, key, pattern and predicate; they skip, and they run out', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  await client.send(put());
  await client.send(put({ Key: 'other' }));
  const answer = (status: number): FailureAction => ({ kind: 'answer', status });
  const byKey = stub.failures.add({ operation: 'GetObject', key: 'other', action: answer(500) });
  const byPattern = stub.failures.add({ key: /^k$/g, skip: 1, times: 2, action: answer(503) });
  const byPredicate = stub.failures.add({
    match: ({ method, headers }) => method === 'HEAD' && headers.has('range'),
    action: answer(403),
  });
  const seen = async (call: Promise<unknown>): Promise<string> =>
    (await failureOf(call)).split(' ')[0] ?? '';
  expect(await seen(client.send(get('other')))).toBe('500');
  expect(await seen(client.send(put({ Key: 'other' })))).toBe('succeeded');
  const four = [];
  for (let turn = 0; turn < 4; turn += 1) four.push(await seen(client.send(get())));
  expect(four).toEqual(['succeeded', '503', '503', 'succeeded']);
  const head = (Range?: string) => new HeadObjectCommand({ Bucket: BUCKET, Key: 'k', Range });
  expect(await seen(client.send(head()))).toBe('succeeded');
  expect(await seen(client.send(head('bytes=0-')))).toBe('403');
  expect([byKey.fired, byPattern.fired, byPredicate.fired]).toEqual([1, 2, 1]);
  expect(byPattern.matched).toBe(3);
});

test('the SDK gets over failures that pass', async () => {
  await using pair = await startWith({ times: 2, action: { kind: 'answer', status: 500 } });
  const client = clientOf(pair.stub, { maxAttempts: 3 });
  const got = await client.send(get());
  expect(await got.Body?.transformToString()).toBe('0123456789');
  expect(got.$metadata.attempts).toBe(3);
  expect(pair.stub.requests.count('GetObject')).toBe(3);
  client.destroy();
});

test('a delay is as long as the clock says', async () => {
  const clock = new ManualClock({ startMs: Date.now() });
  await using pair = await startPair({ clock });
  const { client, stub } = pair;
  const slow = stub.failures.add({ times: 1, action: { kind: 'delay', ms: 60_000 } });
  let settled = false;
  const call = client.send(put()).finally(() => {
    settled = true;
  });
  await slow.whenFired();
  await clock.advanceAsync(59_999);
  expect(settled).toBe(false);
  expect(stub.requests.all[0]).toMatchObject({ status: 0, outcome: 'running' });
  await clock.advanceAsync(1);
  await call;
  expect(clock.pendingTimers).toBe(0);
});

test('a request that is held waits for its client to go, and is then forgotten', async () => {
  await using pair = await startWith({ action: { kind: 'hang' } });
  const { client, stub, failure } = pair;
  const abort = new AbortController();
  const call = failureOf(
    client.send(put({ Body: Buffer.alloc(500_000) }), { abortSignal: abort.signal }),
  );
  await failure.whenFired();
  const enough = AbortSignal.abort(new Error('enough'));
  await expect(stub.idle({ signal: enough })).rejects.toThrow('enough');
  abort.abort();
  expect(await call).toBe('AbortError');
  await stub.idle();
  expect(stub.requests.all[0]).toMatchObject({ status: 0, outcome: 'cut' });
  expect(stub.object(BUCKET, 'k')?.size).toBe(10);
});

test('a request that is cut leaves nothing, by FIN and by RST, early, midway and at its end', async () => {
  for (const reset of [false, true]) {
    for (const afterBytes of [0, 1, 150_000, 300_000, 400_000]) {
      await using pair = await startWith({
        operation: 'PutObject',
        action: { kind: 'cut-request', afterBytes, reset },
      });
      const { client, stub } = pair;
      const outcome = await failureOf(client.send(put({ Body: Buffer.alloc(300_000) })));
      expect(outcome).toMatch(/^(ECONNRESET|EPIPE)$/);
      await stub.idle();
      expect(stub.requests.all[0]).toMatchObject({
        status: 0,
        outcome: 'cut',
        bytesIn: Math.min(afterBytes, 300_000),
      });
      expect(stub.object(BUCKET, 'k')?.bytes().toString()).toBe('0123456789');
      expect(stub.usedBytes).toBe(10);
    }
  }
});

test('a cut holds for requests without a body, too', async () => {
  await using pair = await startWith({ action: { kind: 'cut-request', afterBytes: 5 } });
  expect(await failureOf(pair.client.send(get()))).toBe('ECONNRESET');
});

test('an answer is truncated, or stalls, behind the given number of bytes', async () => {
  await using truncated = await startWith({ action: { kind: 'truncate-answer', afterBytes: 4 } });
  const got = await truncated.client.send(get());
  expect(got.ContentLength).toBe(10);
  expect(await failureOf(Promise.resolve(got.Body?.transformToString()))).toBe('ECONNRESET');
  await truncated.stub.idle();
  expect(truncated.stub.requests.all[0]).toMatchObject({
    status: 200,
    bytesOut: 4,
    outcome: 'lost',
  });

  await using stalled = await startWith({ action: { kind: 'stall-answer', afterBytes: 4 } });
  const abort = new AbortController();
  const slow = await stalled.client.send(get(), { abortSignal: abort.signal });
  const pieces: string[] = [];
  const reading = failureOf(
    (async () => {
      for await (const piece of slow.Body as AsyncIterable<Buffer>) {
        pieces.push(piece.toString());
        abort.abort();
      }
    })(),
  );
  expect(await reading).not.toBe('succeeded');
  expect(pieces).toEqual(['0123']);
  await stalled.stub.idle();
  expect(stalled.stub.requests.all[0]).toMatchObject({ bytesOut: 4, outcome: 'lost' });
});

test('an answer that is lost leaves what was done', async () => {
  for (const reset of [false, true]) {
    await using pair = await startWith({
      operation: 'PutObject',
      times: 1,
      action: { kind: 'lose-answer', reset },
    });
    const { client, stub } = pair;
    const create = () => client.send(put({ Key: 'new', IfNoneMatch: '*' }));
    expect(await failureOf(create())).toBe('ECONNRESET');
    expect(stub.object(BUCKET, 'new')?.size).toBe(1);
    expect(await failureOf(create())).toBe('412 PreconditionFailed');
    expect(stub.requests.all.map(({ outcome }) => outcome)).toEqual(['lost', 'answered']);
    expect(stub.requests.all.map(({ failure }) => failure)).toEqual(['lose-answer', undefined]);
  }
});

test('an upload is forgotten by the request that names it', async () => {
  await using pair = await startWith({
    operation: 'UploadPart',
    skip: 1,
    times: 1,
    action: { kind: 'forget-upload' },
  });
  const { client, stub } = pair;
  const names = { Bucket: BUCKET, Key: 'k' };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(names));
  const part = (PartNumber: number) =>
    failureOf(client.send(new UploadPartCommand({ ...names, UploadId, PartNumber, Body: 'x' })));
  expect(await part(1)).toBe('succeeded');
  expect(await part(2)).toBe('404 NoSuchUpload');
  expect(await part(1)).toBe('404 NoSuchUpload');
  expect(stub.usedBytes).toBe(10);
});

test('a script is asked before the signature, as a load balancer would be', async () => {
  await using pair = await startWith({ action: { kind: 'answer', status: 503 } });
  const wire = await capture(pair.client, (each) => each.send(get()));
  expect((await sendWire(pair.stub, { ...wire, headers: {} })).status).toBe(503);
});

test('closing ends what is held and delayed, and leaves no timer', async () => {
  const clock = new ManualClock({ startMs: Date.now() });
  const pair = await startPair({ clock });
  const { client, stub } = pair;
  const held = stub.failures.add({ key: 'held', action: { kind: 'hang' } });
  const slow = stub.failures.add({ key: 'slow', action: { kind: 'delay', ms: 1_000 } });
  const calls = ['held', 'slow'].map((Key) => failureOf(client.send(put({ Key }))));
  await Promise.all([held.whenFired(), slow.whenFired()]);
  expect(clock.pendingTimers).toBe(1);
  await Promise.all([stub.close(), stub.close()]);
  expect(await Promise.all(calls)).toEqual(['ECONNRESET', 'ECONNRESET']);
  expect(clock.pendingTimers).toBe(0);
  expect(await failureOf(client.send(put()))).toBe('ECONNREFUSED');
  client.destroy();
});
