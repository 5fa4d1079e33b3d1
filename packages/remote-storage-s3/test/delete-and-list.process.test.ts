import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { systemClock } from '@logloft/clock';
import { compareKeys, memorySource } from '@logloft/remote-storage';
import { seededBytes } from '@logloft/remote-storage-testkit';
import type { S3Stub } from '@logloft/stub-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { S3ObjectStore } from '../src/index.ts';
import { BUCKET, failureOf, openStubStore } from './support/stub-store.ts';

function plainClient({ url: endpoint, credentials, region }: S3Stub): S3Client {
  const client = new S3Client({ endpoint, credentials, region, forcePathStyle: true });
  onTestFinished(() => client.destroy());
  return client;
}

async function keysOf(store: S3ObjectStore, prefix?: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list({ prefix })) keys.push(key);
  return keys;
}

async function fill(store: S3ObjectStore, keys: readonly string[]): Promise<void> {
  const bytes = seededBytes(1, 10);
  for (let at = 0; at < keys.length; at += 50) {
    const some = keys.slice(at, at + 50);
    await Promise.all(some.map((key) => store.put(key, memorySource(bytes))));
  }
}

const MANY = Array.from({ length: 1_203 }, (_, n) => `many/${String(n).padStart(5, '0')}`);

describe('deleting', () => {
  test('1,203 objects are two requests; listing them is two pages, also after one that failed', async () => {
    const { stub, store } = await openStubStore();
    await fill(store, [...MANY, 'other']);
    expect(await keysOf(store, 'many/')).toEqual(MANY);
    expect(stub.requests.count('ListObjectsV2')).toBe(2);
    stub.failures.add({
      operation: 'ListObjectsV2',
      skip: 1,
      times: 2,
      action: { kind: 'answer', status: 500, code: 'InternalError' },
    });
    expect(await keysOf(store, 'many/')).toEqual(MANY);
    expect(stub.requests.count('ListObjectsV2')).toBe(6);
    await store.delete([...MANY, 'missing']);
    expect(stub.requests.count('DeleteObjects')).toBe(2);
    expect(await keysOf(store)).toEqual(['other']);
  });

  test('is one request an object where the store can do no more', async () => {
    const { stub, store } = await openStubStore({ deleteObjects: 'single' });
    const keys = MANY.slice(0, 20);
    await fill(store, keys);
    await store.delete([...keys, 'missing']);
    expect(stub.requests.count('DeleteObjects')).toBe(0);
    expect(stub.requests.count('DeleteObject')).toBe(21);
    expect(await keysOf(store)).toEqual([]);
  });

  test('carries Content-MD5 and no checksum where the store wants that', async () => {
    const { stub, store } = await openStubStore({ deleteMd5: true, stub: { checksums: 'refuse' } });
    let md5: string | undefined;
    stub.failures.add({
      operation: 'DeleteObjects',
      match: ({ headers }) => {
        md5 = headers.get('content-md5');
        return false;
      },
      action: { kind: 'hang' },
    });
    await store.delete(['a', 'b']);
    expect(md5).toMatch(/^[\w+/]{22}==$/);
  });

  test('tries again only the keys that may yet go, and says which did not', async () => {
    const { stub, store } = await openStubStore();
    await fill(store, ['a', 'b', 'c', 'd', 'e']);
    const answer = (errors: string): string =>
      `<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${errors}</DeleteResult>`;
    const error = (key: string, code: string): string =>
      `<Error><Key>${key}</Key><Code>${code}</Code><Message>no</Message></Error>`;
    stub.failures.add({
      operation: 'DeleteObjects',
      times: 1,
      action: {
        kind: 'answer',
        status: 200,
        body: answer(error('b', 'InternalError') + error('d', 'AccessDenied')),
      },
    });
    const failure = await failureOf(store.delete(['a', 'b', 'c', 'd', 'e']));
    expect(failure).toMatchObject({ kind: 'denied', key: 'd' });
    expect(stub.requests.count('DeleteObjects')).toBe(2);
    // The first answer was made up, so only what the second request named is gone.
    expect(await keysOf(store)).toEqual(['a', 'c', 'd', 'e']);
  });

  test('that fails is tried again', async () => {
    const { stub, store } = await openStubStore();
    await fill(store, ['a', 'b']);
    for (const operation of ['DeleteObjects', 'DeleteObject']) {
      stub.failures.add({
        operation,
        times: 2,
        action: { kind: 'answer', status: 503, code: 'SlowDown' },
      });
    }
    await store.delete(['a']);
    await store.delete(['a', 'b']);
    expect(await keysOf(store)).toEqual([]);
  });
});

describe('listing', () => {
  test('gives keys as they are, also those that XML or a query could spoil', async () => {
    const { store } = await openStubStore();
    const keys = [
      ' leading',
      'trailing ',
      'a+b',
      'a%20b',
      'a&b<c>"d\'',
      '__proto__',
      'ü/𝄞',
      '~(x)!*',
    ];
    await fill(store, keys);
    expect(await keysOf(store)).toEqual(keys.toSorted(compareKeys));
    expect(await keysOf(store, 'a%')).toEqual(['a%20b']);
    for (const key of keys) expect((await store.head(key)).size).toBe(10);
    await store.delete(keys);
    expect(await keysOf(store)).toEqual([]);
  });

  test('whose page does not end is refused before it fills the memory', async () => {
    const { stub, store } = await openStubStore();
    const body = Buffer.alloc(33 * 1024 * 1024, '<ListBucketResult>');
    stub.failures.add({
      operation: 'ListObjectsV2',
      action: { kind: 'answer', status: 200, body },
    });
    expect(await failureOf(keysOf(store))).toMatchObject({ kind: 'corrupt' });
  });

  test('that a store repeats for ever is an error', async () => {
    const { stub, store } = await openStubStore();
    const body =
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>' +
      '</ListBucketResult>';
    stub.failures.add({
      operation: 'ListObjectsV2',
      action: { kind: 'answer', status: 200, body },
    });
    expect(await failureOf(keysOf(store))).toMatchObject({ kind: 'unavailable', retryable: false });
    expect(stub.requests.count('ListObjectsV2')).toBe(2);
  });
});

describe('unfinished uploads', () => {
  test('below the prefix that are old enough are forgotten, and no others', async () => {
    const { stub, store } = await openStubStore();
    const client = plainClient(stub);
    const begin = (key: string): Promise<unknown> =>
      client.send(new CreateMultipartUploadCommand({ Bucket: BUCKET, Key: key }));
    for (const key of ['ours/a', 'ours/b +ü', 'ours/c', 'theirs/a']) await begin(key);
    await store.put('ours/object', memorySource(seededBytes(1, 10)));
    expect(await store.removeUnfinished({ prefix: 'ours/', olderThanMs: 60_000 })).toBe(0);
    expect(await store.removeUnfinished({ prefix: 'ours/', olderThanMs: 0 })).toBe(3);
    expect(stub.pendingUploads(BUCKET).map(({ key }) => key)).toEqual(['theirs/a']);
    expect(await store.removeUnfinished({ olderThanMs: 0 })).toBe(1);
    expect(await keysOf(store)).toEqual(['ours/object']);
  });

  test('are told by the time of the injected clock', async () => {
    const clock = {
      now: (): number => systemClock.now() + 3_600_000,
      monotonic: (): number => systemClock.monotonic(),
      setTimer: (ms: number, fire: () => void) => systemClock.setTimer(ms, fire),
    };
    const { stub, store } = await openStubStore({ clock });
    const client = plainClient(stub);
    await client.send(new CreateMultipartUploadCommand({ Bucket: BUCKET, Key: 'old' }));
    expect(await store.removeUnfinished({ olderThanMs: 3_700_000 })).toBe(0);
    expect(await store.removeUnfinished({ olderThanMs: 3_500_000 })).toBe(1);
  });

  test('that somebody else ended meanwhile do not count', async () => {
    const { stub, store } = await openStubStore();
    const client = plainClient(stub);
    const { UploadId } = await client.send(
      new CreateMultipartUploadCommand({ Bucket: BUCKET, Key: 'a' }),
    );
    stub.failures.add({
      operation: 'AbortMultipartUpload',
      times: 1,
      action: { kind: 'forget-upload' },
    });
    expect(await store.removeUnfinished({ olderThanMs: 0 })).toBe(0);
    const again = client.send(
      new AbortMultipartUploadCommand({ Bucket: BUCKET, Key: 'a', UploadId }),
    );
    expect(await failureOf(again)).toMatchObject({ name: 'NoSuchUpload' });
  });

  test('of 1,050 are found over two pages', async () => {
    const { stub, store } = await openStubStore();
    const client = plainClient(stub);
    for (let at = 0; at < 1_050; at += 50) {
      const keys = Array.from({ length: 50 }, (_, n) => `k/${at + n}`);
      await Promise.all(
        keys.map((Key) => client.send(new CreateMultipartUploadCommand({ Bucket: BUCKET, Key }))),
      );
    }
    expect(await store.removeUnfinished({ prefix: 'k/', olderThanMs: 0 })).toBe(1_050);
    expect(stub.requests.count('ListMultipartUploads')).toBe(2);
    expect(stub.pendingUploads(BUCKET)).toEqual([]);
  });
});
