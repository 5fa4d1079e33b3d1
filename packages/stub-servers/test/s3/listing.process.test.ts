import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { BUCKET, failureOf, startPair } from './support/client.ts';

async function fill(client: S3Client, keys: readonly string[]): Promise<void> {
  const left = [...keys];
  const worker = async (): Promise<void> => {
    for (let Key = left.pop(); Key !== undefined; Key = left.pop()) {
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'x' }));
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

const list = (client: S3Client, input: Partial<ListObjectsV2CommandInput> = {}) =>
  client.send(new ListObjectsV2Command({ Bucket: BUCKET, ...input }));

/** All entries of a listing, page by page: keys and common prefixes in the order they came. */
async function listAll(
  client: S3Client,
  input: Partial<ListObjectsV2CommandInput>,
): Promise<{ readonly entries: readonly string[]; readonly pages: readonly number[] }> {
  const entries: string[] = [];
  const pages: number[] = [];
  let token: string | undefined;
  do {
    const page = await list(client, { ...input, ContinuationToken: token });
    const found = [
      ...(page.Contents ?? []).map(({ Key }) => Key ?? ''),
      ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix ?? ''),
    ];
    expect(page.KeyCount).toBe(found.length);
    entries.push(...found);
    pages.push(found.length);
    token = page.NextContinuationToken;
    expect(page.IsTruncated).toBe(token !== undefined);
  } while (token !== undefined);
  return { entries, pages };
}

test('a page has at most 1000 keys, and the next one goes on behind it', async () => {
  await using pair = await startPair();
  const keys = Array.from({ length: 1_001 }, (_, index) => `k/${String(index).padStart(5, '0')}`);
  await fill(pair.client, keys);
  const all = await listAll(pair.client, {});
  expect(all.pages).toEqual([1_000, 1]);
  expect(all.entries).toEqual(keys);
  expect((await list(pair.client, { MaxKeys: 5_000 })).KeyCount).toBe(1_000);
});

test('pages of exactly the rest are the last', async () => {
  await using pair = await startPair();
  await fill(pair.client, ['a', 'b', 'c', 'd']);
  expect((await listAll(pair.client, { MaxKeys: 2 })).pages).toEqual([2, 2]);
  expect((await listAll(pair.client, { MaxKeys: 3 })).pages).toEqual([3, 1]);
  expect(await list(pair.client, { MaxKeys: 0 })).toMatchObject({
    KeyCount: 0,
    IsTruncated: false,
  });
});

test('prefix, delimiter and start-after, whatever the size of the page', async () => {
  await using pair = await startPair();
  const { client } = pair;
  const keys = ['a', 'a/', 'a/1', 'a/2/x', 'a/2/y', 'a/3', 'ab', 'b/1', 'b/2', 'c', 'c//d', 'é/1'];
  await fill(client, keys);
  for (const MaxKeys of [1, 2, 3, 1_000]) {
    const seen = async (input: Partial<ListObjectsV2CommandInput>): Promise<string[]> => {
      const { entries } = await listAll(client, { ...input, MaxKeys });
      return [...entries].sort();
    };
    expect(await seen({ Delimiter: '/' })).toEqual(['a', 'a/', 'ab', 'b/', 'c', 'c/', 'é/']);
    expect(await seen({ Delimiter: '/', Prefix: 'a/' })).toEqual(['a/', 'a/1', 'a/2/', 'a/3']);
    expect(await seen({ Delimiter: '/', Prefix: 'a' })).toEqual(['a', 'a/', 'ab']);
    expect(await seen({ Prefix: 'a/2' })).toEqual(['a/2/x', 'a/2/y']);
    expect(await seen({ StartAfter: 'b/1' })).toEqual(['b/2', 'c', 'c//d', 'é/1']);
    expect(await seen({ StartAfter: 'a/2', Prefix: 'a/' })).toEqual(['a/2/x', 'a/2/y', 'a/3']);
    expect(await seen({ Delimiter: '//' })).toEqual(
      [...keys.filter((k) => k !== 'c//d'), 'c//'].sort(),
    );
    expect(await seen({ Prefix: 'no' })).toEqual([]);
  }
});

test('a token that was not given out, a wrong number and a wrong encoding are refused', async () => {
  await using pair = await startPair();
  const { client } = pair;
  expect(await failureOf(list(client, { ContinuationToken: 'made up' }))).toBe(
    '400 InvalidArgument',
  );
  expect(await failureOf(list(client, { MaxKeys: -1 }))).toBe('400 InvalidArgument');
  expect(await failureOf(list(client, { EncodingType: 'gzip' as 'url' }))).toBe(
    '400 InvalidArgument',
  );
  expect(await failureOf(list(client, { Bucket: 'nobucket' }))).toBe('404 NoSuchBucket');
});

test('the first version of the listing goes on from a marker, or is refused', async () => {
  await using pair = await startPair();
  const { client } = pair;
  await fill(client, ['a/1', 'a/2', 'b', 'c/1']);
  const v1 = (input = {}) =>
    client.send(new ListObjectsCommand({ Bucket: BUCKET, Delimiter: '/', MaxKeys: 1, ...input }));
  const first = await v1();
  expect(first).toMatchObject({ NextMarker: 'a/', IsTruncated: true });
  const second = await v1({ Marker: first.NextMarker });
  expect(second.Contents?.map(({ Key }) => Key)).toEqual(['b']);
  const third = await v1({ Marker: second.NextMarker });
  expect(third.CommonPrefixes).toEqual([{ Prefix: 'c/' }]);
  expect(third.IsTruncated).toBe(false);

  await using modern = await startPair({ listV2Only: true });
  expect(await failureOf(modern.client.send(new ListObjectsCommand({ Bucket: BUCKET })))).toBe(
    '501 NotImplemented',
  );
});

test('buckets are made, found, listed, and deleted when they are empty', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const create = (Bucket: string) => failureOf(client.send(new CreateBucketCommand({ Bucket })));
  expect(await create('second')).toBe('succeeded');
  expect(await create('second')).toBe('409 BucketAlreadyOwnedByYou');
  expect(await create('Capital')).toBe('400 InvalidBucketName');
  stub.createBucket('third');
  const { Buckets } = await client.send(new ListBucketsCommand({}));
  expect(Buckets?.map(({ Name }) => Name)).toEqual([BUCKET, 'second', 'third']);
  const head = (Bucket: string) => client.send(new HeadBucketCommand({ Bucket }));
  expect((await head(BUCKET)).BucketRegion).toBe('us-east-1');
  expect(await failureOf(head('fourth'))).toBe('404 NotFound');
  await client.send(new PutObjectCommand({ Bucket: 'second', Key: 'k', Body: 'x' }));
  const remove = (Bucket: string) => failureOf(client.send(new DeleteBucketCommand({ Bucket })));
  expect(await remove('second')).toBe('409 BucketNotEmpty');
  expect(await remove('third')).toBe('succeeded');
  expect(await remove('third')).toBe('404 NoSuchBucket');
  const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket: BUCKET }));
  expect(Status).toBeUndefined();
  const location = await client.send(new GetBucketLocationCommand({ Bucket: BUCKET }));
  expect(location.LocationConstraint ?? '').toBe('');
});
