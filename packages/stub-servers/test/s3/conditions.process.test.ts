import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BUCKET, failureOf, startPair } from './support/client.ts';
import { capture, Talk, wireText } from './support/wire.ts';

const put = (input: Partial<PutObjectCommandInput> = {}) =>
  new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: 'x', ...input });

async function onePart(client: S3Client, Key: string, Body: string) {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: BUCKET, Key }));
  const part = { Bucket: BUCKET, Key, UploadId, PartNumber: 1, Body };
  const { ETag } = await client.send(new UploadPartCommand(part));
  return {
    Bucket: BUCKET,
    Key,
    UploadId,
    MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
  };
}

test('of twelve who create one object at once, one succeeds', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const wires = [];
  for (let writer = 0; writer < 12; writer += 1) {
    const Body = `writer ${String(writer).padStart(2, '0')} `.repeat(1_000);
    wires.push(await capture(client, (each) => each.send(put({ Body, IfNoneMatch: '*' }))));
  }
  // All are let in and half read before the first of them is whole, so that none is refused early.
  const talks = wires.map((wire) => {
    const talk = new Talk(stub.port);
    talk.socket.write(wireText(wire, 5_000));
    return talk;
  });
  const isHalf = () => stub.requests.all.filter(({ bytesIn }) => bytesIn === 5_000).length === 12;
  while (!isHalf()) await new Promise((resolve) => setImmediate(resolve));
  for (const [index, talk] of talks.entries())
    talk.socket.write(wires[index]?.body.subarray(5_000) ?? '');
  await Promise.all(talks.map((talk) => talk.until(/\r\n\r\n/)));
  const statuses = talks.map(({ text }) => text.slice(9, 12));
  expect(statuses.toSorted()).toEqual(['200', ...Array.from({ length: 11 }, () => '412')]);
  const winner = wires[statuses.indexOf('200')];
  expect(stub.object(BUCKET, 'k')?.bytes()).toEqual(winner?.body);
  for (const talk of talks) talk.socket.destroy();
  await stub.idle();
  expect(stub.usedBytes).toBe(10_000);
});

test('of twelve SDK clients that create one object, one succeeds', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      failureOf(client.send(put({ Body: `writer ${index}`, IfNoneMatch: '*' }))),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === '412 PreconditionFailed')).toHaveLength(11);
  const winner = outcomes.indexOf('succeeded');
  expect(stub.object(BUCKET, 'k')?.bytes().toString()).toBe(`writer ${winner}`);
});

test('of twelve who complete an upload of one object at once, one succeeds', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const uploads = await Promise.all(
    Array.from({ length: 12 }, (_, index) => onePart(client, 'k', `upload ${index}`)),
  );
  const outcomes = await Promise.all(
    uploads.map((upload) =>
      failureOf(client.send(new CompleteMultipartUploadCommand({ ...upload, IfNoneMatch: '*' }))),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'succeeded')).toHaveLength(1);
  expect(stub.object(BUCKET, 'k')?.bytes().toString()).toBe(
    `upload ${outcomes.indexOf('succeeded')}`,
  );
  // Those that lost are there still: their owners have to abort them.
  expect(stub.pendingUploads(BUCKET)).toHaveLength(11);
});

test('a write for one version fails on another, and on none', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  expect(await failureOf(client.send(put({ IfMatch: '"no"' })))).toBe('404 NoSuchKey');
  const { ETag } = await client.send(put());
  expect(await failureOf(client.send(put({ IfMatch: '"no"' })))).toBe('412 PreconditionFailed');
  expect(await failureOf(client.send(put({ IfMatch: ETag, Body: 'y' })))).toBe('succeeded');
  expect(await failureOf(client.send(put({ IfMatch: ETag, Body: 'z' })))).toBe(
    '412 PreconditionFailed',
  );
  const upload = await onePart(client, 'k', 'z');
  const complete = (IfMatch: string | undefined) =>
    failureOf(client.send(new CompleteMultipartUploadCommand({ ...upload, IfMatch })));
  expect(await complete(ETag)).toBe('412 PreconditionFailed');
  expect(await complete(`"${stub.object(BUCKET, 'k')?.etag}"`)).toBe('succeeded');
  const copy = new CopyObjectCommand({
    Bucket: BUCKET,
    Key: 'k',
    CopySource: `${BUCKET}/k`,
    MetadataDirective: 'REPLACE',
    IfNoneMatch: '*',
  });
  expect(await failureOf(client.send(copy))).toBe('412 PreconditionFailed');
  expect(await failureOf(client.send(put({ IfNoneMatch: ETag })))).toBe('501 NotImplemented');
});

test('a delete for one version fails on another, and on none', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const remove = (IfMatch: string | undefined) =>
    failureOf(client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: 'k', IfMatch })));
  expect(await remove('"any"')).toBe('404 NoSuchKey');
  const { ETag } = await client.send(put());
  expect(await remove('"any"')).toBe('412 PreconditionFailed');
  const both = await client.send(
    new DeleteObjectsCommand({
      Bucket: BUCKET,
      Delete: {
        Objects: [
          { Key: 'k', ETag: '"any"' },
          { Key: 'k', ETag },
        ],
      },
    }),
  );
  expect(both.Errors?.map(({ Code }) => Code)).toEqual(['PreconditionFailed']);
  expect(both.Deleted?.map(({ Key }) => Key)).toEqual(['k']);
  expect(stub.objects(BUCKET)).toHaveLength(0);
  await client.send(put());
  expect(await remove('*')).toBe('succeeded');
});

test('a read is answered 304 or 412 as its conditions say', async () => {
  const clock = new ManualClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5) + 678 });
  await using pair = await startPair({ clock }, { systemClockOffset: clock.now() - Date.now() });
  const { client } = pair;
  const { ETag } = await client.send(put());
  const read = (conditions: object) =>
    failureOf(client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'k', ...conditions })));
  const stored = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
  const before = new Date(stored.getTime() - 1_000);
  expect(await read({ IfMatch: ETag })).toBe('succeeded');
  expect(await read({ IfMatch: `"no", ${ETag}` })).toBe('succeeded');
  expect(await read({ IfMatch: '"no"' })).toBe('412 PreconditionFailed');
  expect(await read({ IfNoneMatch: ETag })).toMatch(/^304 /);
  expect(await read({ IfNoneMatch: '"no"' })).toBe('succeeded');
  expect(await read({ IfModifiedSince: stored })).toMatch(/^304 /);
  expect(await read({ IfModifiedSince: before })).toBe('succeeded');
  expect(await read({ IfUnmodifiedSince: stored })).toBe('succeeded');
  expect(await read({ IfUnmodifiedSince: before })).toBe('412 PreconditionFailed');
  // A condition on the ETag takes the place of the one on the time.
  expect(await read({ IfMatch: ETag, IfUnmodifiedSince: before })).toBe('succeeded');
  expect(await read({ IfNoneMatch: '"no"', IfModifiedSince: stored })).toBe('succeeded');
});

test('a store without conditional writes answers 501 to each of them', async () => {
  await using pair = await startPair({ conditionalWrites: 'none' });
  const { client, stub } = pair;
  await client.send(put());
  const upload = await onePart(client, 'k', 'z');
  for (const conditions of [{ IfNoneMatch: '*' }, { IfMatch: '*' }]) {
    expect(await failureOf(client.send(put(conditions)))).toBe('501 NotImplemented');
    expect(
      await failureOf(
        client.send(new CompleteMultipartUploadCommand({ ...upload, ...conditions })),
      ),
    ).toBe('501 NotImplemented');
  }
  const remove = new DeleteObjectCommand({ Bucket: BUCKET, Key: 'k', IfMatch: '*' });
  expect(await failureOf(client.send(remove))).toBe('501 NotImplemented');
  expect(stub.object(BUCKET, 'k')?.bytes().toString()).toBe('x');
});
