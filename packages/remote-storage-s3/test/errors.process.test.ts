import { systemClock } from '@logloft/clock';
import { isRemoteStorageError, memorySource } from '@logloft/remote-storage';
import { seededBytes } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import type { S3ObjectStore } from '../src/index.ts';
import { BUCKET, failureOf, openStubStore } from './support/stub-store.ts';

const GOOD = { accessKeyId: 'stub-access-key', secretAccessKey: 'stub-secret-key' };

const CALLS: readonly [string, (store: S3ObjectStore) => Promise<unknown>][] = [
  ['put', (store) => store.put('object', memorySource(new Uint8Array(3)))],
  ['get', (store) => store.get('object')],
  ['head', (store) => store.head('object')],
  ['delete', (store) => store.delete(['object'])],
  ['delete of several', (store) => store.delete(['object', 'other'])],
  ['list', (store) => drain(store.list())],
];

const ONCE = {
  maxAttempts: 1,
  baseDelayMs: 1,
  throttledBaseDelayMs: 1,
  maxDelayMs: 1,
  maxRetryAfterMs: 1,
};

async function drain(heads: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of heads);
}

describe.each(CALLS)('%s', (_, call) => {
  test('in a bucket that is not there says so, and is not "not found"', async () => {
    const { store } = await openStubStore({ bucket: 'elsewhere' });
    const failure = await failureOf(call(store));
    expect(failure).toMatchObject({ kind: 'container-missing', retryable: false });
    expect(String(failure)).toContain('"elsewhere"');
    expect(String(failure)).toContain('s3.bucket.name');
  });

  test('with a key that nobody knows is denied, and names the settings', async () => {
    const credentials = { accessKeyId: 'nobody', secretAccessKey: 'nothing' };
    const { store } = await openStubStore({ connection: { credentials } });
    const failure = await failureOf(call(store));
    expect(failure).toMatchObject({ kind: 'denied', retryable: false });
  });

  test('without permission is denied, and names the permission, the bucket and the request', async () => {
    const deniedOperations = [
      'PutObject',
      'GetObject',
      'HeadObject',
      'DeleteObject',
      'DeleteObjects',
      'ListObjectsV2',
    ];
    const { store } = await openStubStore({
      stub: { credentials: [{ ...GOOD, deniedOperations }] },
    });
    const failure = await failureOf(call(store));
    expect(failure).toMatchObject({ kind: 'denied' });
    expect(String(failure)).toMatch(/Allow s3:(PutObject|GetObject|DeleteObject|ListBucket)/);
    expect(String(failure)).toContain(`"${BUCKET}"`);
    expect(String(failure)).toMatch(/\(request \w+\)/);
  });

  test('with credentials that have expired asks for new ones once, and is denied then', async () => {
    const { store } = await openStubStore({
      stub: { credentials: [{ ...GOOD, expired: true }] },
    });
    const failure = await failureOf(call(store));
    expect(failure).toMatchObject({ kind: 'denied', retryable: false });
  });

  test('against a server that does not listen is unavailable, and may be tried again', async () => {
    const { stub, store } = await openStubStore();
    await stub.close();
    const failure = await failureOf(call(store));
    expect(failure).toMatchObject({ kind: 'unavailable', retryable: true });
    expect(String(failure)).toContain('s3.endpoint.url');
  });

  test('against a server that never answers ends in time', async () => {
    const { stub, store } = await openStubStore({
      requestTimeoutMs: 60,
      idleTimeoutMs: 60,
      retryPolicy: ONCE,
    });
    stub.failures.add({ action: { kind: 'hang' } });
    expect(await failureOf(call(store))).toMatchObject({ kind: 'timeout', retryable: true });
    await stub.idle();
  });

  test('against a server that begins to answer and stops ends in time, and frees the connection', async () => {
    const { stub, store } = await openStubStore({
      requestTimeoutMs: 60,
      idleTimeoutMs: 60,
      retryPolicy: ONCE,
    });
    stub.failures.add({ action: { kind: 'stall-answer', afterBytes: 1 } });
    // An answer without a body is whole as soon as it begins.
    const outcome: unknown = await call(store).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (outcome === undefined) return;
    expect(isRemoteStorageError(outcome)).toBe(true);
    await stub.idle();
  });

  test('against a proxy that answers with a page is a typed error', async () => {
    const { stub, store } = await openStubStore();
    stub.failures.add({
      action: { kind: 'answer', status: 502, body: '<html><body>Bad Gateway</body>' },
    });
    expect(await failureOf(call(store))).toMatchObject({ kind: 'unavailable', retryable: true });
  });
});

test('a wrong secret is denied, and the message names the settings', async () => {
  const credentials = { ...GOOD, secretAccessKey: 'wrong' };
  const { store } = await openStubStore({ connection: { credentials } });
  const failure = await failureOf(store.get('object'));
  expect(failure).toMatchObject({ kind: 'denied' });
  expect(String(failure)).toContain('SignatureDoesNotMatch');
  expect(String(failure)).toContain('aws.secret.access.key');
});

test('credentials that have expired are asked for anew, and the call succeeds with the new ones', async () => {
  let refreshed = 0;
  const { store } = await openStubStore({
    stub: {
      credentials: [
        { accessKeyId: 'new', secretAccessKey: 'new-secret' },
        { accessKeyId: 'old', secretAccessKey: 'old-secret', expired: true },
      ],
    },
    connection: {
      credentials: async ({ forceRefresh = false } = {}) => {
        if (forceRefresh) refreshed += 1;
        const name = refreshed > 0 ? 'new' : 'old';
        return { accessKeyId: name, secretAccessKey: `${name}-secret` };
      },
    },
  });
  await store.put('object', memorySource(seededBytes(1, 10)));
  expect(refreshed).toBe(1);
  expect((await store.head('object')).size).toBe(10);
});

test('a clock that is off is made good by the time of the answer, and is mentioned in the log', async () => {
  const hour = 3_600_000;
  const { store, lines } = await openStubStore({
    stub: {
      clock: {
        now: () => systemClock.now() + hour,
        monotonic: () => systemClock.monotonic(),
        setTimer: (ms, fire) => systemClock.setTimer(ms, fire),
      },
    },
  });
  await store.put('object', memorySource(seededBytes(1, 10)));
  expect((await store.head('object')).size).toBe(10);
  expect(lines.filter(({ message }) => message.includes('clock'))).toHaveLength(1);
  expect(Math.abs((await store.serverTime()) - systemClock.now() - hour)).toBeLessThan(60_000);
});

test('the time of the store is told also to those whom it refuses', async () => {
  const credentials = { accessKeyId: 'nobody', secretAccessKey: 'nothing' };
  const { store } = await openStubStore({ connection: { credentials } });
  const ms = await store.serverTime();
  expect(Math.abs(ms - systemClock.now())).toBeLessThan(60_000);
});

describe('a read', () => {
  test('of an object that is not there is "not found", and HEAD says the same', async () => {
    const { store } = await openStubStore();
    expect(await failureOf(store.get('object'))).toMatchObject({ kind: 'not-found' });
    expect(await failureOf(store.head('object'))).toMatchObject({ kind: 'not-found' });
  });

  test('beyond the end is a bad range', async () => {
    const { store } = await openStubStore();
    await store.put('object', memorySource(seededBytes(1, 10)));
    const failure = await failureOf(store.get('object', { start: 10 }));
    expect(failure).toMatchObject({ kind: 'bad-range', key: 'object', retryable: false });
  });

  test('of a missing object without s3:ListBucket is denied, and the message says what it may mean', async () => {
    const { store } = await openStubStore({
      stub: { credentials: [{ ...GOOD, deniedOperations: ['ListObjectsV2'] }] },
    });
    const failure = await failureOf(store.get('object'));
    expect(failure).toMatchObject({ kind: 'denied' });
    expect(String(failure)).toContain('s3:ListBucket');
  });

  test('of an archived object says that it is archived, and is not tried again', async () => {
    const { stub, store } = await openStubStore();
    stub.failures.add({
      operation: 'GetObject',
      action: { kind: 'answer', status: 403, code: 'InvalidObjectState' },
    });
    const failure = await failureOf(store.get('object'));
    expect(failure).toMatchObject({ kind: 'unavailable', retryable: false });
    expect(String(failure)).toContain('archive');
  });

  test('in another region names that region', async () => {
    const { stub, store } = await openStubStore();
    stub.failures.add({
      action: {
        kind: 'answer',
        status: 301,
        code: 'PermanentRedirect',
        headers: { 'x-amz-bucket-region': 'eu-north-1' },
      },
    });
    for (const call of [() => store.get('object'), () => store.head('object')]) {
      const failure = await failureOf(call());
      expect(failure).toMatchObject({ kind: 'invalid-configuration' });
      expect(String(failure)).toContain('eu-north-1');
      expect(String(failure)).toContain('s3.region');
    }
  });
});

describe('stores of other makers', () => {
  test('that refuse checksum headers are served with s3.checksums none', async () => {
    const { stub, store } = await openStubStore({
      checksums: 'none',
      stub: { checksums: 'refuse' },
    });
    await store.put('small', memorySource(seededBytes(1, 10)));
    await store.put('large', memorySource(seededBytes(1, 6 * 1024 * 1024)));
    await store.delete(['small', 'other']);
    expect(stub.objects(BUCKET).map(({ key }) => key)).toEqual(['large']);
  });

  test('that refuse checksum headers are otherwise met with the name of that setting', async () => {
    const { store } = await openStubStore({ stub: { checksums: 'refuse' } });
    for (const size of [10, 6 * 1024 * 1024]) {
      const failure = await failureOf(store.put('object', memorySource(seededBytes(1, size))));
      expect(failure).toMatchObject({ kind: 'invalid-configuration' });
      expect(String(failure)).toContain('"s3.checksums" to none');
    }
  });

  test('that have no conditional writes are met with the name of that setting', async () => {
    const { store } = await openStubStore({ stub: { conditionalWrites: 'none' } });
    const writing = store.put('object', memorySource(new Uint8Array(1)), { ifAbsent: true });
    const failure = await failureOf(writing);
    expect(failure).toMatchObject({ kind: 'invalid-configuration' });
    expect(String(failure)).toContain('s3.conditional.writes');
  });

  test('that ignore Expect are not waited for: it is never sent, for no size', async () => {
    const { store } = await openStubStore({ stub: { expectContinue: 'ignore' } });
    await store.put('object', memorySource(seededBytes(1, 5 * 1024 * 1024)));
    expect((await store.head('object')).size).toBe(5 * 1024 * 1024);
  });

  test('whose errors have no words are understood by their status', async () => {
    const { stub, store } = await openStubStore();
    const kinds = [
      [400, 'unavailable'],
      [401, 'denied'],
      [403, 'denied'],
      [404, 'not-found'],
      [412, 'precondition'],
      [416, 'bad-range'],
      [429, 'throttled'],
      [500, 'unavailable'],
      [503, 'throttled'],
      [507, 'full'],
    ] as const;
    for (const [status, kind] of kinds) {
      const rule = stub.failures.add({ action: { kind: 'answer', status, body: '' } });
      const failure = await failureOf(store.get('object'));
      expect(isRemoteStorageError(failure) && failure.kind, `status ${status}`).toBe(kind);
      rule.remove();
    }
  });
});
