import { crc32 } from 'node:zlib';
import { ManualClock } from '@logloft/clock';
import { memorySource, type SegmentSource } from '@logloft/remote-storage';
import { gatedSource, seededBytes } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import { crc32Text } from '../src/crc32-combine.ts';
import { BUCKET, failureOf, openStubStore, PART_BYTES } from './support/stub-store.ts';

const LARGE = 2 * PART_BYTES + 17;

function headersOf(
  seen: Map<string, string>[],
): (request: { readonly headers: ReadonlyMap<string, string> }) => boolean {
  return ({ headers }) => {
    seen.push(new Map(headers));
    return false;
  };
}

describe('an object of at most one part', () => {
  test('is one request, with its checksum, without Expect, and without a hash of the body', async () => {
    const { stub, store } = await openStubStore();
    const bytes = seededBytes(1, 3 * 1024 * 1024);
    const seen: Map<string, string>[] = [];
    stub.failures.add({ match: headersOf(seen), action: { kind: 'hang' } });
    await store.put('object', memorySource(bytes));
    expect(stub.requests.all.map(({ operation }) => operation)).toEqual(['PutObject']);
    const [headers] = seen;
    expect(headers?.get('x-amz-content-sha256')).toBe('UNSIGNED-PAYLOAD');
    expect(headers?.get('x-amz-checksum-crc32')).toBe(crc32Text(crc32(bytes)));
    expect(headers?.has('expect')).toBe(false);
    expect(headers?.has('transfer-encoding')).toBe(false);
    expect(headers?.get('content-length')).toBe(String(bytes.byteLength));
    expect(stub.object(BUCKET, 'object')?.checksum?.value).toBe(crc32Text(crc32(bytes)));
  });

  test('of no bytes is one request, too', async () => {
    const { stub, store } = await openStubStore();
    await store.put('empty', memorySource(new Uint8Array(0)));
    expect(stub.requests.all.map(({ operation }) => operation)).toEqual(['PutObject']);
    expect(stub.object(BUCKET, 'empty')?.size).toBe(0);
  });

  test('may have a hash of the body in its signature', async () => {
    const { stub, store } = await openStubStore({ signedPayload: true });
    const seen: Map<string, string>[] = [];
    stub.failures.add({ match: headersOf(seen), action: { kind: 'hang' } });
    await store.put('object', memorySource(seededBytes(1, 100)));
    expect(seen[0]?.get('x-amz-content-sha256')).toMatch(/^[\da-f]{64}$/);
  });

  test('goes over the connection of the one before', async () => {
    const { store, proxy } = await openStubStore({ counted: true });
    for (let n = 0; n < 5; n += 1) {
      await store.put(`o/${n}`, memorySource(seededBytes(n, 3 * 1024 * 1024)));
    }
    expect(proxy?.made).toBe(1);
  });
});

describe('a larger object', () => {
  test('goes in parts of equal size but the last, each with its checksum, and completes with that of all', async () => {
    const { stub, store } = await openStubStore();
    const bytes = seededBytes(2, LARGE);
    const completed: Map<string, string>[] = [];
    stub.failures.add({
      operation: 'CompleteMultipartUpload',
      match: headersOf(completed),
      action: { kind: 'hang' },
    });
    await store.put('large', memorySource(bytes));
    const counts = ['CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload', 'PutObject'];
    expect(counts.map((operation) => stub.requests.count(operation))).toEqual([1, 3, 1, 0]);
    const sizes = stub.requests.of('UploadPart').map(({ bytesIn }) => bytesIn);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([PART_BYTES, PART_BYTES, 17]);
    expect(completed[0]?.get('x-amz-checksum-crc32')).toBe(crc32Text(crc32(bytes)));
    const found = stub.object(BUCKET, 'large');
    expect(found?.checksum).toMatchObject({ type: 'FULL_OBJECT', value: crc32Text(crc32(bytes)) });
    expect(found?.bytes().equals(Buffer.from(bytes))).toBe(true);
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
  });

  test('completes without a checksum of all where the store does not say that it compares it', async () => {
    const { stub, store } = await openStubStore({ stub: { checksums: 'ignore' } });
    const completed: Map<string, string>[] = [];
    stub.failures.add({
      operation: 'CompleteMultipartUpload',
      match: headersOf(completed),
      action: { kind: 'hang' },
    });
    await store.put('large', memorySource(seededBytes(2, LARGE)));
    expect(completed).toHaveLength(1);
    expect(completed[0]?.has('x-amz-checksum-crc32')).toBe(false);
    expect(stub.object(BUCKET, 'large')?.size).toBe(LARGE);
  });

  test('whose size is a bound only may turn out to be small', async () => {
    const { stub, store } = await openStubStore();
    const bytes = seededBytes(3, 1_000);
    const source: SegmentSource = {
      ...memorySource(bytes),
      size: 3 * PART_BYTES,
      sizeIsBound: true,
      read: (_range, options) => memorySource(bytes).read({ start: 0 }, options),
    };
    await store.put('bound', source);
    expect(stub.requests.all.map(({ operation }) => operation)).toEqual(['PutObject']);
    expect(stub.object(BUCKET, 'bound')?.size).toBe(1_000);
  });

  test('takes no more memory than all uploads share: parts wait for it', async () => {
    const { stub, store } = await openStubStore({ uploadMemoryBytes: 2 * PART_BYTES });
    let arrived = 0;
    let most = 0;
    stub.failures.add({
      operation: 'UploadPart',
      match: () => {
        // Whoever was answered has given its memory back, or will before it asks for more.
        const answered = stub.requests.of('UploadPart').filter(({ status }) => status !== 0);
        arrived += 1;
        most = Math.max(most, arrived - answered.length);
        return true;
      },
      action: { kind: 'delay', ms: 10 },
    });
    const objects = [1, 2, 3].map((n) => seededBytes(n, 2 * PART_BYTES));
    await Promise.all(objects.map((bytes, n) => store.put(`o/${n}`, memorySource(bytes))));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(2);
    for (const [n, bytes] of objects.entries()) {
      expect(stub.object(BUCKET, `o/${n}`)?.bytes().equals(Buffer.from(bytes))).toBe(true);
    }
  });

  test('shows that its bytes move before a part is done, so that nobody takes it for dead', async () => {
    const { store } = await openStubStore();
    const reports: number[] = [];
    await store.put('large', memorySource(seededBytes(1, LARGE)), {
      onProgress: (bytes) => reports.push(bytes),
    });
    const first = reports.findIndex((bytes) => bytes > 0);
    expect(reports.slice(0, first).length).toBeGreaterThan(5);
    expect(reports.reduce((sum, bytes) => sum + bytes, 0)).toBe(LARGE);
  });

  test('keeps the storage class and the encryption that were asked for, however large', async () => {
    const { stub, store } = await openStubStore({
      storageClass: 'STANDARD_IA',
      serverSideEncryption: 'AES256',
    });
    const seen: Map<string, string>[] = [];
    stub.failures.add({ match: headersOf(seen), action: { kind: 'hang' } });
    await store.put('small', memorySource(seededBytes(1, 10)));
    await store.put('large', memorySource(seededBytes(1, LARGE)));
    const begun = seen.filter((headers) => headers.has('x-amz-storage-class'));
    expect(begun).toHaveLength(2);
    for (const headers of begun) {
      expect(headers.get('x-amz-storage-class')).toBe('STANDARD_IA');
      expect(headers.get('x-amz-server-side-encryption')).toBe('AES256');
    }
  });
});

describe('an upload that is broken off', () => {
  // On a clock that stands, clean-ups get all the time they need.
  test('while parts are being sent stops them, and the store forgets those it has', async () => {
    const { stub, store } = await openStubStore({ clock: new ManualClock() });
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const hanging = stub.failures.add({
      operation: 'UploadPart',
      skip: 1,
      action: { kind: 'hang' },
    });
    const writing = store.put('large', memorySource(seededBytes(1, 4 * PART_BYTES)), {
      signal: controller.signal,
    });
    const failure = failureOf(writing);
    await hanging.whenFired(2);
    controller.abort(reason);
    expect(await failure).toBe(reason);
    await stub.idle();
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
    expect(stub.objects(BUCKET)).toEqual([]);
  });

  test('while it is being begun is forgotten as soon as its id is known', async () => {
    const { stub, store } = await openStubStore({ clock: new ManualClock() });
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const late = stub.failures.add({
      operation: 'CreateMultipartUpload',
      action: { kind: 'delay', ms: 50 },
    });
    const failure = failureOf(
      store.put('large', memorySource(seededBytes(1, LARGE)), { signal: controller.signal }),
    );
    await late.whenFired();
    controller.abort(reason);
    expect(await failure).toBe(reason);
    expect(stub.requests.count('AbortMultipartUpload')).toBe(1);
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
  });

  test('while it is being completed rejects with the reason', async () => {
    const { stub, store } = await openStubStore({ clock: new ManualClock() });
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const hanging = stub.failures.add({
      operation: 'CompleteMultipartUpload',
      action: { kind: 'hang' },
    });
    const failure = failureOf(
      store.put('large', memorySource(seededBytes(1, LARGE)), { signal: controller.signal }),
    );
    await hanging.whenFired();
    controller.abort(reason);
    expect(await failure).toBe(reason);
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
  });

  test('because the store is closed leaves nothing behind either', async () => {
    const { stub, store } = await openStubStore();
    const gated = gatedSource(seededBytes(1, 4 * PART_BYTES));
    const writing = failureOf(store.put('large', gated.source));
    await gated.reached;
    await store.close();
    expect(await writing).toMatchObject({ kind: 'aborted' });
    await stub.idle();
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
    expect(stub.objects(BUCKET)).toEqual([]);
  });
});
