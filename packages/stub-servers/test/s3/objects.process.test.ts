import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BUCKET, failureOf, startPair } from './support/client.ts';

test('an object comes back with its bytes, type, headers and metadata', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const put = await client.send(
    new PutObjectCommand({
      Bucket: BUCKET,
      Key: 'a/b',
      Body: 'hello',
      ContentType: 'text/x-loft',
      CacheControl: 'no-store',
      ContentDisposition: 'attachment',
      ContentLanguage: 'de',
      ContentEncoding: 'identity',
      Metadata: { one: '1', constructor: 'two', __proto__x: 'three' },
    }),
  );
  expect(put.ETag).toBe('"5d41402abc4b2a76b9719d911017c592"');
  const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'a/b' }));
  expect(await got.Body?.transformToString()).toBe('hello');
  expect(got).toMatchObject({
    ETag: put.ETag,
    ContentLength: 5,
    ContentType: 'text/x-loft',
    CacheControl: 'no-store',
    ContentDisposition: 'attachment',
    ContentLanguage: 'de',
    ContentEncoding: 'identity',
    AcceptRanges: 'bytes',
    Metadata: { one: '1', constructor: 'two', __proto__x: 'three' },
  });
  const head = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: 'a/b' }));
  expect(head).toMatchObject({ ETag: put.ETag, ContentLength: 5, Metadata: { one: '1' } });
  expect(stub.object(BUCKET, 'a/b')?.bytes().toString()).toBe('hello');
  expect(stub.object(BUCKET, 'a/b')).toMatchObject({ contentType: 'text/x-loft', size: 5 });
});

test('an empty object is an object', async () => {
  await using pair = await startPair();
  const { client } = pair;
  await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'empty', Body: Buffer.alloc(0) }));
  const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'empty' }));
  expect(await got.Body?.transformToByteArray()).toHaveLength(0);
  expect(got.ContentLength).toBe(0);
});

test('a stream arrives through aws-chunked framing with its trailer checked, or plain', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const pieces = Array.from({ length: 40 }, (_, index) => Buffer.alloc(9_973, index));
  const whole = Buffer.concat(pieces);
  for (const [key, sum] of [
    ['framed', undefined],
    ['plain', Buffer.from(await crcOf(whole)).toString('base64')],
  ] as const) {
    await client.send(
      new PutObjectCommand({
        Bucket: BUCKET,
        Key: key,
        Body: Readable.from(pieces),
        ContentLength: whole.length,
        ...(sum === undefined ? {} : { ChecksumCRC32: sum }),
      }),
    );
    expect(stub.object(BUCKET, key)?.bytes().equals(whole)).toBe(true);
    expect(stub.object(BUCKET, key)?.checksum?.algorithm).toBe('CRC32');
    const head = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: key }));
    expect(head.ContentEncoding).toBeUndefined();
  }
  const [framed, plain] = stub.requests.of('PutObject');
  expect(framed?.bytesIn).toBeGreaterThan(whole.length);
  expect(plain?.bytesIn).toBe(whole.length);
});

async function crcOf(bytes: Uint8Array): Promise<Uint8Array> {
  const { crc32 } = await import('node:zlib');
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

const ODD_KEYS = [
  'a//b',
  '..',
  '../x',
  'x/../y',
  './x',
  ' leading and trailing ',
  'a+b',
  'a%2Bb',
  '100%',
  'quotes\'"()!*',
  'back\\slash',
  'ümläut/日本/😀',
  'tab\tand\u0001control',
  'a&b=c?d#e;f,g:h@i$j',
  '<xml>&amp;</xml>',
  'constructor',
  '__proto__',
  'hasOwnProperty',
  '/leading',
  'trailing/',
  '//',
  `${'é'.repeat(511)}xy`,
];

test('odd keys are told apart, listed in the order of their bytes, copied and deleted', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  for (const Key of ODD_KEYS) {
    await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: `body of ${Key}` }));
  }
  for (const Key of ODD_KEYS) {
    const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
    expect(await got.Body?.transformToString()).toBe(`body of ${Key}`);
  }
  const sorted = [...ODD_KEYS].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const listed = await client.send(new ListObjectsV2Command({ Bucket: BUCKET }));
  expect(listed.Contents?.map(({ Key }) => Key)).toEqual(sorted);
  const encoded = await client.send(
    new ListObjectsV2Command({ Bucket: BUCKET, EncodingType: 'url' }),
  );
  expect(encoded.Contents?.map(({ Key }) => decodeURIComponent(Key ?? ''))).toEqual(sorted);
  for (const [index, key] of ODD_KEYS.entries()) {
    await client.send(
      new CopyObjectCommand({
        Bucket: BUCKET,
        Key: `copy-${index}`,
        CopySource: `${BUCKET}/${key.split('/').map(encodeURIComponent).join('/')}`,
      }),
    );
    expect(stub.object(BUCKET, `copy-${index}`)?.bytes().toString()).toBe(`body of ${key}`);
  }
  const deleted = await client.send(
    new DeleteObjectsCommand({
      Bucket: BUCKET,
      Delete: { Objects: ODD_KEYS.map((Key) => ({ Key })) },
    }),
  );
  expect(deleted.Errors).toBeUndefined();
  expect(deleted.Deleted?.map(({ Key }) => Key)).toEqual(ODD_KEYS);
  expect(stub.objects(BUCKET)).toHaveLength(ODD_KEYS.length);
});

test('a key of 1024 bytes is taken, one more is not, nor is metadata above 2 KiB', async () => {
  await using pair = await startPair();
  const put = (Key: string, Metadata = {}): Promise<unknown> =>
    pair.client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'x', Metadata }));
  expect(await failureOf(put('k'.repeat(1024)))).toBe('succeeded');
  expect(await failureOf(put('k'.repeat(1025)))).toBe('400 KeyTooLongError');
  expect(await failureOf(put('meta', { m: 'v'.repeat(2047) }))).toBe('succeeded');
  expect(await failureOf(put('meta', { m: 'v'.repeat(2048) }))).toBe('400 MetadataTooLarge');
});

test('what is missing is named: key, bucket; nothing but a status for a HEAD', async () => {
  await using pair = await startPair();
  const { client } = pair;
  const get = (Bucket: string): Promise<unknown> =>
    client.send(new GetObjectCommand({ Bucket, Key: 'no' }));
  expect(await failureOf(get(BUCKET))).toBe('404 NoSuchKey');
  expect(await failureOf(get('nobucket'))).toBe('404 NoSuchBucket');
  expect(await failureOf(client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: 'no' })))).toBe(
    '404 NotFound',
  );
  expect(
    await failureOf(client.send(new PutObjectCommand({ Bucket: 'nobucket', Key: 'k', Body: 'x' }))),
  ).toBe('404 NoSuchBucket');
});

test('ranges: closed, open, suffix, beyond the end; none of an empty object', async () => {
  await using pair = await startPair();
  const { client } = pair;
  await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'ten', Body: '0123456789' }));
  await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'none', Body: Buffer.alloc(0) }));
  const range = async (Range: string, Key = 'ten'): Promise<string> => {
    const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key, Range }));
    const text = await got.Body?.transformToString();
    return `${got.$metadata.httpStatusCode} ${got.ContentRange ?? ''} ${text} ${got.ChecksumCRC32 ?? '-'}`;
  };
  expect(await range('bytes=2-4')).toBe('206 bytes 2-4/10 234 -');
  expect(await range('bytes=7-')).toBe('206 bytes 7-9/10 789 -');
  expect(await range('bytes=-3')).toBe('206 bytes 7-9/10 789 -');
  expect(await range('bytes=-30')).toBe('206 bytes 0-9/10 0123456789 -');
  expect(await range('bytes=8-99')).toBe('206 bytes 8-9/10 89 -');
  expect(await failureOf(range('bytes=10-'))).toBe('416 InvalidRange');
  expect(await failureOf(range('bytes=-0'))).toBe('416 InvalidRange');
  expect(await failureOf(range('bytes=0-', 'none'))).toBe('416 InvalidRange');
  expect(await failureOf(range('bytes=-1', 'none'))).toBe('416 InvalidRange');
  // Not a range that S3 knows: the whole object, with its checksum.
  expect(await range('bytes=5-2')).toMatch(/^200 {2}0123456789 [\w+/]{6}==$/);
  const head = await client.send(
    new HeadObjectCommand({ Bucket: BUCKET, Key: 'ten', Range: 'bytes=1-2' }),
  );
  expect(head).toMatchObject({ ContentLength: 2, ContentRange: 'bytes 1-2/10' });
});

test('a copy takes the metadata along or replaces it, and heeds conditions on its source', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const { ETag } = await client.send(
    new PutObjectCommand({ Bucket: BUCKET, Key: 'from', Body: 'x', Metadata: { a: '1' } }),
  );
  const copy = (Key: string, extra = {}): Promise<unknown> =>
    client.send(
      new CopyObjectCommand({ Bucket: BUCKET, Key, CopySource: `${BUCKET}/from`, ...extra }),
    );
  await copy('kept');
  await copy('replaced', { MetadataDirective: 'REPLACE', Metadata: { b: '2' } });
  expect([...(stub.object(BUCKET, 'kept')?.metadata ?? [])]).toEqual([['a', '1']]);
  expect([...(stub.object(BUCKET, 'replaced')?.metadata ?? [])]).toEqual([['b', '2']]);
  expect(await failureOf(copy('from'))).toBe('400 InvalidRequest');
  expect(await failureOf(copy('c', { CopySourceIfMatch: '"no"' }))).toBe('412 PreconditionFailed');
  expect(await failureOf(copy('c', { CopySourceIfNoneMatch: ETag }))).toBe(
    '412 PreconditionFailed',
  );
  expect(await failureOf(copy('c', { CopySource: `${BUCKET}/no` }))).toBe('404 NoSuchKey');
  expect(await failureOf(copy('c', { CopySource: 'nothing' }))).toBe('400 InvalidArgument');
  expect(stub.object(BUCKET, 'c')).toBeUndefined();
});

test('deleting is idempotent, quiet when asked, and bounded by 1000 keys', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: 'x' }));
  for (let turn = 0; turn < 2; turn += 1) {
    const { $metadata } = await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: 'k' }));
    expect($metadata.httpStatusCode).toBe(204);
  }
  const many = (count: number, Quiet: boolean): Promise<{ Deleted?: unknown[] | undefined }> =>
    client.send(
      new DeleteObjectsCommand({
        Bucket: BUCKET,
        Delete: { Quiet, Objects: Array.from({ length: count }, (_, i) => ({ Key: `k${i}` })) },
      }),
    );
  expect((await many(1_000, false)).Deleted).toHaveLength(1_000);
  expect((await many(1_000, true)).Deleted).toBeUndefined();
  expect(await failureOf(many(1_001, false))).toBe('400 MalformedXML');
  expect(stub.usedBytes).toBe(0);
});

test('there is one version, and no other is read, copied or deleted', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: 'x' }));
  const only = { Bucket: BUCKET, Key: 'k', VersionId: 'null' };
  expect(await failureOf(client.send(new GetObjectCommand(only)))).toBe('succeeded');
  const other = { ...only, VersionId: 'other' };
  expect(await failureOf(client.send(new GetObjectCommand(other)))).toBe('404 NoSuchVersion');
  expect(await failureOf(client.send(new DeleteObjectCommand(other)))).toBe('404 NoSuchVersion');
  const copy = { Bucket: BUCKET, Key: 'copy', CopySource: `${BUCKET}/k?versionId=other` };
  expect(await failureOf(client.send(new CopyObjectCommand(copy)))).toBe('404 NoSuchVersion');
  const Delete = { Objects: [{ Key: 'k', VersionId: 'other' }] };
  const { Errors } = await client.send(new DeleteObjectsCommand({ Bucket: BUCKET, Delete }));
  expect(Errors?.map(({ Code }) => Code)).toEqual(['NoSuchVersion']);
  expect(stub.objects(BUCKET).map(({ key }) => key)).toEqual(['k']);
  await client.send(new DeleteObjectCommand(only));
  expect(stub.objects(BUCKET)).toEqual([]);
});

test('memory is counted: what is replaced or deleted is given back', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const put = (bytes: number): Promise<unknown> =>
    client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: Buffer.alloc(bytes) }));
  await put(1_000);
  expect(stub.usedBytes).toBe(1_000);
  await put(200);
  expect(stub.usedBytes).toBe(200);
  await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: 'k' }));
  expect(stub.usedBytes).toBe(0);
});

test('every date comes from the clock that was given', async () => {
  const clock = new ManualClock({ startMs: Date.UTC(2026, 1, 3, 4, 5, 6) });
  await using pair = await startPair({ clock }, { systemClockOffset: clock.now() - Date.now() });
  const { client } = pair;
  await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: 'x' }));
  const got = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: 'k' }));
  expect(got.LastModified?.toISOString()).toBe('2026-02-03T04:05:06.000Z');
});
