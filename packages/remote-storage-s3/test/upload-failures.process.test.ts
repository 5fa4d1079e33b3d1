import { isRemoteStorageError, memorySource } from '@logloft/remote-storage';
import { failingSource, seededBytes } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import { BUCKET, failureOf, openStubStore, PART_BYTES } from './support/stub-store.ts';

const LARGE = 3 * PART_BYTES + 17;

describe('a part that fails', () => {
  test.each([
    ['503', { kind: 'answer', status: 503, code: 'SlowDown' }],
    ['500', { kind: 'answer', status: 500, code: 'InternalError' }],
    ['429', { kind: 'answer', status: 429, code: 'TooManyRequests' }],
    ['503 before the body was read', { kind: 'answer', status: 503, readBody: false }],
    ['a connection that is cut', { kind: 'cut-request', afterBytes: 1_000_000 }],
    ['a connection that is reset', { kind: 'cut-request', afterBytes: 1_000_000, reset: true }],
    ['an answer that is lost', { kind: 'lose-answer' }],
    ['a damaged body', { kind: 'answer', status: 400, code: 'BadDigest' }],
  ] as const)(
    'with %s is sent again from memory, and the source is read once',
    async (_, action) => {
      const { stub, store } = await openStubStore();
      const bytes = seededBytes(1, LARGE);
      const failing = stub.failures.add({ operation: 'UploadPart', times: 2, action });
      let reads = 0;
      const source = memorySource(bytes);
      await store.put('large', {
        size: source.size,
        read: (range, options) => {
          reads += 1;
          return source.read(range, options);
        },
      });
      expect(failing.fired).toBe(2);
      expect(reads).toBe(1);
      expect(stub.requests.count('UploadPart')).toBe(6);
      expect(stub.object(BUCKET, 'large')?.bytes().equals(Buffer.from(bytes))).toBe(true);
    },
  );

  test('for good ends the upload, and the store forgets its parts', async () => {
    const { stub, store } = await openStubStore();
    const action = { kind: 'answer', status: 500, code: 'InternalError' } as const;
    stub.failures.add({
      operation: 'UploadPart',
      match: ({ query }) => query.includes('partNumber=2'),
      action,
    });
    const failure = await failureOf(store.put('large', memorySource(seededBytes(1, LARGE))));
    expect(failure).toMatchObject({ kind: 'unavailable', retryable: true, key: 'large' });
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
    expect(stub.objects(BUCKET)).toEqual([]);
  });

  test('because its upload is forgotten has the upload begun anew, once', async () => {
    const { stub, store } = await openStubStore();
    const bytes = seededBytes(1, LARGE);
    let progress = 0;
    stub.failures.add({
      operation: 'UploadPart',
      skip: 2,
      times: 1,
      action: { kind: 'forget-upload' },
    });
    await store.put('large', memorySource(bytes), {
      onProgress: (more) => {
        progress += more;
      },
    });
    expect(stub.requests.count('CreateMultipartUpload')).toBe(2);
    expect(progress).toBe(LARGE);
    expect(stub.object(BUCKET, 'large')?.bytes().equals(Buffer.from(bytes))).toBe(true);
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
  });

  test('because uploads are forgotten again and again is a failure, not a loop', async () => {
    const { stub, store } = await openStubStore();
    stub.failures.add({ operation: 'UploadPart', action: { kind: 'forget-upload' } });
    const failure = await failureOf(store.put('large', memorySource(seededBytes(1, LARGE))));
    expect(failure).toMatchObject({ kind: 'unavailable', retryable: false });
    expect(stub.requests.count('CreateMultipartUpload')).toBe(2);
  });
});

test('a source that fails in the middle of a large object leaves no upload', async () => {
  const { stub, store } = await openStubStore();
  const failing = failingSource(seededBytes(1, LARGE), new Error('the source broke'));
  const failure = await failureOf(store.put('large', failing));
  expect(isRemoteStorageError(failure)).toBe(true);
  await stub.idle();
  expect(stub.pendingUploads(BUCKET)).toEqual([]);
  expect(stub.objects(BUCKET)).toEqual([]);
});

describe('completing', () => {
  test('that says 200 and carries an error is a failure, and is asked for again', async () => {
    const { stub, store } = await openStubStore();
    const body =
      '<?xml version="1.0" encoding="UTF-8"?>\n\n   <Error><Code>InternalError</Code>' +
      '<Message>We encountered an internal error. Please try again.</Message></Error>';
    const failing = stub.failures.add({
      operation: 'CompleteMultipartUpload',
      times: 1,
      action: { kind: 'answer', status: 200, body, headers: { 'Content-Type': 'application/xml' } },
    });
    const bytes = seededBytes(1, LARGE);
    await store.put('large', memorySource(bytes));
    expect(failing.fired).toBe(1);
    expect(stub.object(BUCKET, 'large')?.bytes().equals(Buffer.from(bytes))).toBe(true);
  });

  test('that always says 200 and carries an error leaves nothing behind', async () => {
    const { stub, store } = await openStubStore();
    const body = '<Error><Code>InternalError</Code><Message>no</Message></Error>';
    stub.failures.add({
      operation: 'CompleteMultipartUpload',
      action: { kind: 'answer', status: 200, body },
    });
    const failure = await failureOf(store.put('large', memorySource(seededBytes(1, LARGE))));
    expect(failure).toMatchObject({ kind: 'unavailable' });
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
    expect(stub.objects(BUCKET)).toEqual([]);
  });

  test.each([true, false])(
    'whose answer is lost has succeeded (ifAbsent: %s)',
    async (ifAbsent) => {
      const { stub, store } = await openStubStore();
      const bytes = seededBytes(1, LARGE);
      stub.failures.add({
        operation: 'CompleteMultipartUpload',
        times: 1,
        action: { kind: 'lose-answer' },
      });
      await store.put('large', memorySource(bytes), { ifAbsent });
      expect(stub.requests.count('CreateMultipartUpload')).toBe(1);
      expect(stub.object(BUCKET, 'large')?.bytes().equals(Buffer.from(bytes))).toBe(true);
    },
  );

  test('that conflicts with another writer has the upload begun anew', async () => {
    const { stub, store } = await openStubStore();
    stub.failures.add({
      operation: 'CompleteMultipartUpload',
      times: 3,
      action: { kind: 'answer', status: 409, code: 'ConditionalRequestConflict' },
    });
    await store.put('large', memorySource(seededBytes(1, LARGE)), { ifAbsent: true });
    expect(stub.requests.count('CreateMultipartUpload')).toBe(2);
    expect(stub.object(BUCKET, 'large')?.size).toBe(LARGE);
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
  });

  test('an upload that somebody aborted is no success', async () => {
    const { stub, store } = await openStubStore();
    stub.failures.add({
      operation: 'CompleteMultipartUpload',
      action: { kind: 'forget-upload' },
    });
    const failure = await failureOf(store.put('large', memorySource(seededBytes(1, LARGE))));
    expect(failure).toMatchObject({ kind: 'unavailable', retryable: false });
    expect(stub.objects(BUCKET)).toEqual([]);
  });
});

describe('a put of an absent key', () => {
  test.each([100, LARGE])('whose answer is lost has succeeded (%s bytes)', async (size) => {
    const { stub, store } = await openStubStore();
    const bytes = seededBytes(1, size);
    for (const operation of ['PutObject', 'CompleteMultipartUpload']) {
      stub.failures.add({ operation, times: 1, action: { kind: 'lose-answer' } });
    }
    await store.put('object', memorySource(bytes), { ifAbsent: true });
    expect(stub.object(BUCKET, 'object')?.bytes().equals(Buffer.from(bytes))).toBe(true);
  });

  test('that another writer got is refused, also after a failure of ours', async () => {
    const { stub, store } = await openStubStore();
    const theirs = seededBytes(2, 100);
    await store.put('object', memorySource(theirs));
    stub.failures.add({
      operation: 'PutObject',
      times: 1,
      action: { kind: 'answer', status: 500, code: 'InternalError' },
    });
    const writing = store.put('object', memorySource(seededBytes(1, 100)), { ifAbsent: true });
    expect(await failureOf(writing)).toMatchObject({ kind: 'precondition', retryable: false });
    expect(stub.object(BUCKET, 'object')?.bytes().equals(Buffer.from(theirs))).toBe(true);
  });

  test('of the same bytes as another writer’s is refused all the same', async () => {
    const { store } = await openStubStore();
    const bytes = seededBytes(1, 100);
    await store.put('object', memorySource(bytes), { ifAbsent: true });
    const writing = store.put('object', memorySource(bytes), { ifAbsent: true });
    expect(await failureOf(writing)).toMatchObject({ kind: 'precondition' });
  });

  test('whose outcome could not be learned succeeds when it is tried again as a whole', async () => {
    const { stub, store } = await openStubStore();
    const bytes = seededBytes(1, 100);
    stub.failures.add({ operation: 'PutObject', times: 1, action: { kind: 'lose-answer' } });
    for (const operation of ['PutObject', 'HeadObject']) {
      stub.failures.add({
        operation,
        times: operation === 'PutObject' ? 2 : 1,
        action: { kind: 'answer', status: 500, code: 'InternalError' },
      });
    }
    const first = store.put('object', memorySource(bytes), { ifAbsent: true });
    expect(await failureOf(first)).toMatchObject({ kind: 'unavailable', retryable: true });
    await store.put('object', memorySource(bytes), { ifAbsent: true });
    expect(stub.objects(BUCKET)).toHaveLength(1);
    const other = store.put('object', memorySource(seededBytes(2, 100)), { ifAbsent: true });
    expect(await failureOf(other)).toMatchObject({ kind: 'precondition' });
  });

  test('is refused at once by a store without conditional writes', async () => {
    const { stub, store } = await openStubStore({ conditionalWrites: false });
    const writing = store.put('object', memorySource(new Uint8Array(1)), { ifAbsent: true });
    expect(await failureOf(writing)).toMatchObject({ kind: 'invalid-configuration' });
    expect(stub.requests.count()).toBe(0);
  });
});

describe('stores that say "slow down"', () => {
  test('are sent fewer bodies at a time, and more again when they take them', async () => {
    const { stub, store } = await openStubStore({
      connection: { maxConnections: 4 },
      partsInFlight: 4,
      retryPolicy: {
        maxAttempts: 20,
        baseDelayMs: 1,
        throttledBaseDelayMs: 1,
        maxDelayMs: 2,
        maxRetryAfterMs: 1_000,
      },
    });
    const running: number[] = [];
    stub.failures.add({
      operation: 'UploadPart',
      match: () => {
        const answered = stub.requests.of('UploadPart').filter(({ status }) => status !== 0);
        running.push(running.length + 1 - answered.length);
        return running.length <= 8;
      },
      action: { kind: 'answer', status: 503, code: 'SlowDown', headers: { 'Retry-After': '0' } },
    });
    await store.put('large', memorySource(seededBytes(1, 6 * PART_BYTES)));
    expect(running[8]).toBe(1);
    expect(stub.object(BUCKET, 'large')?.size).toBe(6 * PART_BYTES);
  });

  test('and when to come back are heard', async () => {
    const { stub, store } = await openStubStore({
      retryPolicy: {
        maxAttempts: 3,
        baseDelayMs: 1,
        throttledBaseDelayMs: 1,
        maxDelayMs: 1,
        maxRetryAfterMs: 1_000,
      },
    });
    stub.failures.add({
      operation: 'PutObject',
      action: { kind: 'answer', status: 429, headers: { 'Retry-After': '3600' } },
    });
    const failure = await failureOf(store.put('object', memorySource(new Uint8Array(10))));
    expect(failure).toMatchObject({ kind: 'throttled', retryAfterMs: 3_600_000 });
    expect(stub.requests.count('PutObject')).toBe(1);
  });
});
