import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  type ChecksumAlgorithm,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BUCKET, failureOf, startPair } from './support/client.ts';

const MIN = 5 * 1024 * 1024;

class Upload {
  readonly uploadId: string;
  readonly #client: S3Client;
  readonly #key: string;

  private constructor(client: S3Client, key: string, uploadId: string) {
    this.#client = client;
    this.#key = key;
    this.uploadId = uploadId;
  }

  static async begin(
    client: S3Client,
    Key: string,
    extra: Partial<CreateMultipartUploadCommandInput> = {},
  ): Promise<Upload> {
    const { UploadId = '' } = await client.send(
      new CreateMultipartUploadCommand({ Bucket: BUCKET, Key, ...extra }),
    );
    return new Upload(client, Key, UploadId);
  }

  get #names() {
    return { Bucket: BUCKET, Key: this.#key, UploadId: this.uploadId };
  }

  async part(PartNumber: number, Body: Buffer | string, extra = {}): Promise<CompletedPart> {
    const { ETag, ChecksumCRC32, ChecksumCRC32C, ChecksumSHA1, ChecksumSHA256 } =
      await this.#client.send(
        new UploadPartCommand({ ...this.#names, PartNumber, Body, ...extra }),
      );
    return { PartNumber, ETag, ChecksumCRC32, ChecksumCRC32C, ChecksumSHA1, ChecksumSHA256 };
  }

  complete(Parts: readonly CompletedPart[], extra = {}) {
    return this.#client.send(
      new CompleteMultipartUploadCommand({
        ...this.#names,
        MultipartUpload: { Parts: [...Parts] },
        ...extra,
      }),
    );
  }

  abort() {
    return this.#client.send(new AbortMultipartUploadCommand(this.#names));
  }

  parts(extra = {}) {
    return this.#client.send(new ListPartsCommand({ ...this.#names, ...extra }));
  }
}

test('parts become one object when they are completed, and not before', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const upload = await Upload.begin(client, 'k', {
    ContentType: 'text/x-parts',
    Metadata: { a: '1' },
  });
  const first = Buffer.alloc(MIN, 'a');
  const two = await upload.part(2, 'tail');
  const one = await upload.part(1, first);
  expect(await failureOf(client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: 'k' })))).toBe(
    '404 NotFound',
  );
  const { ETag } = await upload.complete([one, two]);
  const md5 = (bytes: Buffer | string) => createHash('md5').update(bytes).digest();
  const etag = md5(Buffer.concat([md5(first), md5('tail')])).toString('hex');
  expect(ETag).toBe(`"${etag}-2"`);
  const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'k' }));
  const bytes = Buffer.from((await got.Body?.transformToByteArray()) ?? []);
  expect(bytes.equals(Buffer.concat([first, Buffer.from('tail')]))).toBe(true);
  expect(got).toMatchObject({ ETag, ContentType: 'text/x-parts', Metadata: { a: '1' } });
  expect(stub.pendingUploads(BUCKET)).toEqual([]);
  expect(stub.usedBytes).toBe(MIN + 4);
  // A range across the seam, and the parts by number.
  const seam = await client.send(
    new GetObjectCommand({ Bucket: BUCKET, Key: 'k', Range: `bytes=${MIN - 2}-${MIN + 1}` }),
  );
  expect(await seam.Body?.transformToString()).toBe('aata');
  const part = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'k', PartNumber: 2 }));
  expect(await part.Body?.transformToString()).toBe('tail');
  expect(part).toMatchObject({ PartsCount: 2, ContentRange: `bytes ${MIN}-${MIN + 3}/${MIN + 4}` });
  expect(
    await failureOf(client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'k', PartNumber: 3 }))),
  ).toBe('416 InvalidPartNumber');
});

test('all parts but the last have at least 5 MiB, unless the stub is told otherwise', async () => {
  await using pair = await startPair();
  const upload = await Upload.begin(pair.client, 'k');
  const small = await upload.part(1, Buffer.alloc(MIN - 1));
  const last = await upload.part(2, 'x');
  expect(await failureOf(upload.complete([small, last]))).toBe('400 EntityTooSmall');
  expect(await failureOf(upload.complete([small]))).toBe('succeeded');

  await using other = await startPair({ minPartBytes: 3 });
  const cheap = await Upload.begin(other.client, 'k');
  const parts = [await cheap.part(1, 'abc'), await cheap.part(7, 'de'), await cheap.part(9, 'f')];
  expect(await failureOf(cheap.complete(parts))).toBe('400 EntityTooSmall');
  expect(await failureOf(cheap.complete(parts.slice(0, 2)))).toBe('succeeded');
  expect(other.stub.object(BUCKET, 'k')?.bytes().toString()).toBe('abcde');
  // The part that was left out is gone with its upload.
  expect(other.stub.usedBytes).toBe(5);
});

test('a part can be sent anew: the last one counts', async () => {
  await using pair = await startPair();
  const upload = await Upload.begin(pair.client, 'k');
  const before = await upload.part(1, 'before');
  const after = await upload.part(1, 'after');
  expect(pair.stub.usedBytes).toBe(5);
  expect(await failureOf(upload.complete([before]))).toBe('400 InvalidPart');
  expect(await failureOf(upload.complete([after]))).toBe('succeeded');
});

test('a wrong list of parts is refused, and the upload stays', async () => {
  await using pair = await startPair({ minPartBytes: 0 });
  const { stub } = pair;
  const upload = await Upload.begin(pair.client, 'k');
  const one = await upload.part(1, 'one');
  const two = await upload.part(2, 'two');
  expect(await failureOf(upload.complete([two, one]))).toBe('400 InvalidPartOrder');
  expect(await failureOf(upload.complete([one, one]))).toBe('400 InvalidPartOrder');
  expect(await failureOf(upload.complete([one, { ...two, PartNumber: 3 }]))).toBe(
    '400 InvalidPart',
  );
  expect(await failureOf(upload.complete([{ ...one, ETag: two.ETag }]))).toBe('400 InvalidPart');
  expect(await failureOf(upload.complete([]))).toBe('400 MalformedXML');
  expect(await failureOf(upload.complete([one, two], { MpuObjectSize: 7 }))).toBe(
    '400 InvalidRequest',
  );
  expect(await failureOf(upload.part(0, 'x'))).toBe('400 InvalidArgument');
  expect(await failureOf(upload.part(10_001, 'x'))).toBe('400 InvalidArgument');
  expect(stub.pendingUploads(BUCKET)[0]?.parts).toEqual([
    { partNumber: 1, size: 3 },
    { partNumber: 2, size: 3 },
  ]);
  expect(await failureOf(upload.complete([one, two], { MpuObjectSize: 6 }))).toBe('succeeded');
});

test('an upload that was completed, aborted, never begun or of another key is not there', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const upload = await Upload.begin(client, 'k');
  const one = await upload.part(1, 'x');
  await upload.abort();
  expect(stub.usedBytes).toBe(0);
  for (const call of [
    () => upload.abort(),
    () => upload.part(2, 'x'),
    () => upload.parts(),
    () => upload.complete([one]),
  ]) {
    expect(await failureOf(call())).toBe('404 NoSuchUpload');
  }
  const done = await Upload.begin(client, 'k');
  const part = await done.part(1, 'x');
  await done.complete([part]);
  expect(await failureOf(done.complete([part]))).toBe('404 NoSuchUpload');
  const other = await Upload.begin(client, 'other');
  expect(
    await failureOf(
      client.send(
        new AbortMultipartUploadCommand({
          Bucket: BUCKET,
          Key: 'k',
          UploadId: other.uploadId,
        }),
      ),
    ),
  ).toBe('404 NoSuchUpload');
});

const ALGORITHMS: readonly ChecksumAlgorithm[] = ['CRC32', 'CRC32C', 'SHA1', 'SHA256'];

test.each(ALGORITHMS)('%s over parts: each is checked, and all are in the object', async (name) => {
  await using pair = await startPair({ minPartBytes: 0 });
  const { client } = pair;
  const field = `Checksum${name}` as const;
  const upload = await Upload.begin(client, 'k', { ChecksumAlgorithm: name });
  const extra = { ChecksumAlgorithm: name };
  const one = await upload.part(1, 'one', extra);
  const two = await upload.part(2, 'two', extra);
  expect(await failureOf(upload.complete([one, { ...two, [field]: undefined }]))).toBe(
    '400 InvalidRequest',
  );
  expect(await failureOf(upload.complete([one, { ...two, [field]: one[field] }]))).toBe(
    '400 InvalidPart',
  );
  const completed = await upload.complete([one, two]);
  expect(completed.ChecksumType).toBe('COMPOSITE');
  expect(completed[field]).toMatch(/-2$/);
  const head = await client.send(
    new HeadObjectCommand({ Bucket: BUCKET, Key: 'k', ChecksumMode: 'ENABLED' }),
  );
  expect(head[field]).toBe(completed[field]);
  const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'k' }));
  expect(await got.Body?.transformToString()).toBe('onetwo');
});

test('a checksum over the whole is compared with all of the parts', async () => {
  await using pair = await startPair({ minPartBytes: 0 });
  const { client } = pair;
  const upload = await Upload.begin(client, 'k', {
    ChecksumAlgorithm: 'CRC32',
    ChecksumType: 'FULL_OBJECT',
  });
  const parts = [await upload.part(1, 'one'), await upload.part(2, 'two')];
  const { ChecksumCRC32 } = await client.send(
    new PutObjectCommand({ Bucket: BUCKET, Key: 'same', Body: 'onetwo' }),
  );
  expect(await failureOf(upload.complete(parts, { ChecksumCRC32: 'AAAAAA==' }))).toBe(
    '400 BadDigest',
  );
  const completed = await upload.complete(parts, { ChecksumCRC32 });
  expect(completed).toMatchObject({ ChecksumCRC32, ChecksumType: 'FULL_OBJECT' });
  // Read back, the SDK verifies it.
  const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'k' }));
  expect(await got.Body?.transformToString()).toBe('onetwo');
});

test('a checksum that comes with the completion counts even where the upload was begun without', async () => {
  await using pair = await startPair({ minPartBytes: 0 });
  const upload = await Upload.begin(pair.client, 'k');
  const part = await upload.part(1, 'one');
  const { ChecksumCRC32 } = await pair.client.send(
    new PutObjectCommand({ Bucket: BUCKET, Key: 'same', Body: 'one' }),
  );
  expect(await failureOf(upload.complete([part], { ChecksumCRC32: 'AAAAAA==' }))).toBe(
    '400 BadDigest',
  );
  expect(await failureOf(upload.complete([part], { ChecksumCRC32 }))).toBe('succeeded');
});

test('parts come with the checksum that the upload was begun with', async () => {
  await using pair = await startPair({}, { requestChecksumCalculation: 'WHEN_REQUIRED' });
  const upload = await Upload.begin(pair.client, 'k', { ChecksumAlgorithm: 'SHA256' });
  expect(await failureOf(upload.part(1, 'x'))).toBe('400 InvalidRequest');
  expect(await failureOf(upload.part(1, 'x', { ChecksumAlgorithm: 'SHA1' }))).toBe(
    '400 InvalidRequest',
  );
  expect(await failureOf(upload.part(1, 'x', { ChecksumAlgorithm: 'SHA256' }))).toBe('succeeded');
  expect(pair.stub.usedBytes).toBe(1);
  const wrong = { ChecksumAlgorithm: 'SHA1', ChecksumType: 'FULL_OBJECT' } as const;
  expect(await failureOf(Upload.begin(pair.client, 'k', wrong))).toBe('400 InvalidRequest');
});

test('parts are listed in order, in pages', async () => {
  await using pair = await startPair();
  const upload = await Upload.begin(pair.client, 'a b');
  for (const number of [5, 1, 10_000, 2]) await upload.part(number, 'x'.repeat(number % 7));
  const first = await upload.parts({ MaxParts: 3 });
  expect(first.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
    [1, 1],
    [2, 2],
    [5, 5],
  ]);
  expect(first).toMatchObject({ IsTruncated: true, NextPartNumberMarker: '5', Key: 'a b' });
  const rest = await upload.parts({ PartNumberMarker: first.NextPartNumberMarker });
  expect(rest.Parts?.map(({ PartNumber }) => PartNumber)).toEqual([10_000]);
  expect(rest.IsTruncated).toBe(false);
});

test('uploads are listed by key and start, in pages, by prefix, and grouped', async () => {
  const clock = new ManualClock({ startMs: Date.now() });
  await using pair = await startPair({ clock });
  const { client } = pair;
  const begun: string[] = [];
  for (const key of ['b', 'a', 'dir/x', 'b', 'dir/y', 'e']) {
    begun.push((await Upload.begin(client, key)).uploadId);
    clock.advance(1_000);
  }
  const [b1, a, x, b2, y, e] = begun;
  const list = (extra = {}) =>
    client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET, ...extra }));
  expect((await list()).Uploads?.map(({ UploadId }) => UploadId)).toEqual([a, b1, b2, x, y, e]);
  const seen: string[] = [];
  let markers = {};
  for (let truncated = true; truncated; ) {
    const page = await list({ MaxUploads: 1, Delimiter: '/', ...markers });
    seen.push(
      ...(page.Uploads ?? []).map(({ UploadId }) => UploadId ?? ''),
      ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix ?? ''),
    );
    markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    truncated = page.IsTruncated ?? false;
  }
  expect(seen).toEqual([a, b1, b2, 'dir/', e]);
  expect((await list({ Prefix: 'dir/' })).Uploads?.map(({ Key }) => Key)).toEqual([
    'dir/x',
    'dir/y',
  ]);
});

test('a part is copied from all of an object, or from a range of it', async () => {
  await using pair = await startPair({ minPartBytes: 0 });
  const { client, stub } = pair;
  await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'from', Body: '0123456789' }));
  const upload = await Upload.begin(client, 'k');
  const copy = (PartNumber: number, CopySourceRange?: string) =>
    client.send(
      new UploadPartCopyCommand({
        Bucket: BUCKET,
        Key: 'k',
        UploadId: upload.uploadId,
        PartNumber,
        CopySource: `${BUCKET}/from`,
        CopySourceRange,
      }),
    );
  const one = await copy(1, 'bytes=2-4');
  const two = await copy(2);
  expect(await failureOf(copy(3, 'bytes=10-11'))).toBe('400 InvalidArgument');
  await upload.complete([
    { PartNumber: 1, ETag: one.CopyPartResult?.ETag },
    { PartNumber: 2, ETag: two.CopyPartResult?.ETag },
  ]);
  expect(stub.object(BUCKET, 'k')?.bytes().toString()).toBe('2340123456789');
});

test('ten thousand parts with their checksums can be completed', async () => {
  await using pair = await startPair({ minPartBytes: 0, authentication: 'ignore' });
  const { client, stub } = pair;
  const upload = await Upload.begin(client, 'k', { ChecksumAlgorithm: 'SHA256' });
  const one = await upload.part(1, 'x', { ChecksumAlgorithm: 'SHA256' });
  const parts = Array.from({ length: 10_000 }, (_, index) => ({ ...one, PartNumber: index + 1 }));
  // The document is understood, about 2 MiB of it; that part 2 is missing is found out afterwards.
  expect(await failureOf(upload.complete(parts))).toBe('400 InvalidPart');
  expect(stub.requests.of('CompleteMultipartUpload')[0]?.bytesIn).toBeGreaterThan(1024 * 1024);
});
