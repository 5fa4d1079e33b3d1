import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import {
  type ChecksumAlgorithm,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { sha256Hex, signChunk, signingKey } from '../../src/s3/signature-v4.ts';
import { BUCKET, clientOf, failureOf, startPair } from './support/client.ts';
import { capture, errorIn, sendWire, type WireRequest } from './support/wire.ts';

const ALGORITHMS: readonly ChecksumAlgorithm[] = ['CRC32', 'CRC32C', 'SHA1', 'SHA256'];

const put = (input: Partial<PutObjectCommandInput>) =>
  new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: 'body', ...input });

test.each(ALGORITHMS)('%s: right is kept and given back, wrong is refused', async (algorithm) => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const field = `Checksum${algorithm}` as const;
  const stored = await client.send(put({ ChecksumAlgorithm: algorithm }));
  expect(stored[field]).toBe(stub.object(BUCKET, 'k')?.checksum?.value);
  // The SDK verifies what it reads against this.
  const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'k' }));
  expect(await got.Body?.transformToString()).toBe('body');
  expect(got).toMatchObject({ [field]: stored[field], ChecksumType: 'FULL_OBJECT' });
  const head = await client.send(
    new HeadObjectCommand({ Bucket: BUCKET, Key: 'k', ChecksumMode: 'ENABLED' }),
  );
  expect(head[field]).toBe(stored[field]);
  const plain = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key: 'k' }));
  expect(plain[field]).toBeUndefined();
  const wrong = Buffer.from(stored[field] ?? '', 'base64');
  wrong[0] = (wrong[0] ?? 0) ^ 1;
  const refused = put({ Body: 'body', Key: 'wrong', [field]: wrong.toString('base64') });
  expect(await failureOf(client.send(refused))).toBe('400 BadDigest');
  expect(await failureOf(client.send(put({ Key: 'short', [field]: 'AAAA' })))).toBe(
    '400 InvalidRequest',
  );
  expect(stub.objects(BUCKET).map(({ key }) => key)).toEqual(['k']);
  expect(stub.usedBytes).toBe(4);
});

test('what the stub hands out for looking at is a copy', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  await client.send(put({}));
  stub.object(BUCKET, 'k')?.bytes().fill(0);
  const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'k' }));
  expect(await got.Body?.transformToString()).toBe('body');
});

test('Content-MD5 is checked, whatever the dialect', async () => {
  for (const checksums of ['verify', 'ignore', 'refuse'] as const) {
    await using pair = await startPair(
      { checksums },
      { requestChecksumCalculation: 'WHEN_REQUIRED' },
    );
    const md5 = (text: string) => createHash('md5').update(text).digest('base64');
    const send = (ContentMD5: string) => failureOf(pair.client.send(put({ ContentMD5 })));
    expect(await send(md5('body'))).toBe('succeeded');
    expect(await send(md5('other'))).toBe('400 BadDigest');
    expect(await send('nonsense')).toBe('400 InvalidDigest');
  }
});

async function captureStream(client: S3Client): Promise<WireRequest> {
  return await capture(client, (each) =>
    each.send(
      put({ Body: Readable.from([Buffer.from('strea'), Buffer.from('med')]), ContentLength: 8 }),
    ),
  );
}

test('a trailer must be there, be right, and end the body', async () => {
  await using pair = await startPair();
  const { client, stub } = pair;
  const wire = await captureStream(client);
  expect(wire.headers).toMatchObject({
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'x-amz-trailer': 'x-amz-checksum-crc32',
    'x-amz-decoded-content-length': '8',
  });
  const text = wire.body.toString('latin1');
  const send = async (body: string): Promise<string> =>
    errorIn(await sendWire(stub, { ...wire, body: Buffer.from(body, 'latin1') }));
  const wrong = Buffer.alloc(4, 7).toString('base64');
  const trailer = /x-amz-checksum-crc32:(\S+)/;
  expect(await send(text.replace(trailer, `x-amz-checksum-crc32:${wrong}`))).toBe('400 BadDigest');
  expect(await send(text.replace(trailer, 'x-amz-checksum-crc32:?'))).toBe(
    '400 MalformedTrailerError',
  );
  expect(await send(text.replace(/x-amz-checksum-crc32:\S+\r\n/, ''))).toBe(
    '400 MalformedTrailerError',
  );
  expect(await send(text.replace(trailer, 'no colon here'))).toBe('400 MalformedTrailerError');
  expect(await send(text.replace('strea', 'STREA'))).toBe('400 BadDigest');
  expect(await send(text.replace('5\r\n', '6\r\n'))).toBe('400 IncompleteBody');
  expect(await send(text.replace('5\r\n', 'five\r\n'))).toBe('400 IncompleteBody');
  expect(await send(text.replace('5\r\n', 'fffffffffffff\r\n'))).toBe('400 IncompleteBody');
  expect(await send(text.slice(0, -2))).toBe('400 IncompleteBody');
  expect(await send(`${text}more`)).toBe('400 IncompleteBody');
  expect(await send(text.replace('5\r\nstrea\r\n', ''))).toBe('400 IncompleteBody');
  expect(await send('')).toBe('400 IncompleteBody');
  expect(await send('5'.repeat(10_000))).toBe('400 IncompleteBody');
  expect(stub.objects(BUCKET)).toHaveLength(0);
  expect(stub.usedBytes).toBe(0);
  expect(await send(text)).toBe('200 (no code)');
  expect(stub.object(BUCKET, 'k')?.bytes().toString()).toBe('streamed');
});

test('a body signed chunk by chunk is taken, and a chunk that was changed is not', async () => {
  await using pair = await startPair({}, { requestChecksumCalculation: 'WHEN_REQUIRED' });
  const { client, stub } = pair;
  const chunks = ['first chunk ', 'second', ''];
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: object }).headers, {
        'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
        'x-amz-decoded-content-length': String(chunks.join('').length),
        'content-encoding': 'aws-chunked',
      });
      return next(args);
    },
    { step: 'build', priority: 'low', name: 'stream' },
  );
  const wire = await capture(client, (each) => each.send(put({ Body: '' })));
  const authorization = wire.headers['authorization'] ?? '';
  const [, scope = ''] = /Credential=[^/]+\/([^,]+)/.exec(authorization) ?? [];
  let [, previousSignature = ''] = /Signature=(\w+)/.exec(authorization) ?? [];
  const time = wire.headers['x-amz-date'] ?? '';
  const key = signingKey(stub.credentials.secretAccessKey, scope);
  let text = '';
  for (const chunk of chunks) {
    const signed = { previousSignature, sha256: sha256Hex(chunk) };
    previousSignature = signChunk(key, { time, scope }, signed);
    text += `${chunk.length.toString(16)};chunk-signature=${previousSignature}\r\n${chunk}\r\n`;
  }
  const send = async (body: string): Promise<string> => {
    const headers = { ...wire.headers, 'content-length': String(body.length) };
    return errorIn(await sendWire(stub, { ...wire, headers, body: Buffer.from(body) }));
  };
  expect(await send(text.replace('second', 'Second'))).toBe('403 SignatureDoesNotMatch');
  expect(stub.objects(BUCKET)).toEqual([]);
  expect(await send(text)).toBe('200 (no code)');
  expect(stub.object(BUCKET, 'k')?.bytes().toString()).toBe('first chunk second');
});

test('one checksum a request: an announced one must come, and unknown ones are not guessed at', async () => {
  await using pair = await startPair({ authentication: 'ignore' });
  const { stub } = pair;
  const send = async (headers: Record<string, string>): Promise<string> =>
    errorIn(
      await sendWire(stub, {
        method: 'PUT',
        path: `/${BUCKET}/k`,
        headers: { 'content-length': '4', ...headers },
        body: Buffer.from('body'),
      }),
    );
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32('body'));
  const right = { 'x-amz-checksum-crc32': sum.toString('base64') };
  expect(await send(right)).toBe('200 (no code)');
  expect(await send({ ...right, 'x-amz-checksum-sha1': 'x' })).toBe('400 InvalidRequest');
  expect(await send({ 'x-amz-sdk-checksum-algorithm': 'CRC32' })).toBe('400 InvalidRequest');
  expect(await send({ 'x-amz-checksum-crc64nvme': 'AAAAAAAAAAA=' })).toBe('501 NotImplemented');
  expect(await send({ 'x-amz-content-sha256': 'nonsense' })).toBe('400 InvalidArgument');
  expect(await send({ 'x-amz-content-sha256': '0'.repeat(64) })).toBe(
    '400 XAmzContentSHA256Mismatch',
  );
  expect(await send({ 'x-amz-content-sha256': 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD' })).toBe(
    '501 NotImplemented',
  );
});

test('a store that ignores checksums takes wrong ones and gives none back', async () => {
  await using pair = await startPair({ checksums: 'ignore' });
  const { client, stub } = pair;
  expect(await failureOf(client.send(put({ ChecksumCRC32: 'AAAAAA==' })))).toBe('succeeded');
  const wire = await captureStream(client);
  const body = wire.body.toString('latin1').replace(/crc32:\S+/, 'crc32:AAAAAA==');
  expect((await sendWire(stub, { ...wire, body: Buffer.from(body, 'latin1') })).status).toBe(200);
  const got = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'k' }));
  expect(got.ChecksumCRC32).toBeUndefined();
  expect(await got.Body?.transformToString()).toBe('streamed');
});

test('a store that refuses checksums needs the SDK told so', async () => {
  await using pair = await startPair({ checksums: 'refuse' });
  const { client, stub } = pair;
  const stream = () => put({ Body: Readable.from([Buffer.from('x')]), ContentLength: 1 });
  expect(await failureOf(client.send(put({})))).toBe('501 NotImplemented');
  expect(await failureOf(client.send(stream()))).toBe('501 NotImplemented');
  expect(
    await failureOf(
      client.send(
        new CreateMultipartUploadCommand({
          Bucket: BUCKET,
          Key: 'k',
          ChecksumAlgorithm: 'CRC32',
        }),
      ),
    ),
  ).toBe('501 NotImplemented');
  const compatible = clientOf(stub, {
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  expect(await failureOf(compatible.send(put({})))).toBe('succeeded');
  expect(await failureOf(compatible.send(stream()))).toBe('succeeded');
  const { UploadId } = await compatible.send(
    new CreateMultipartUploadCommand({ Bucket: BUCKET, Key: 'p' }),
  );
  const part = new UploadPartCommand({
    Bucket: BUCKET,
    Key: 'p',
    UploadId,
    PartNumber: 1,
    Body: 'x',
  });
  expect(await failureOf(compatible.send(part))).toBe('succeeded');
  // The SDK has no setting for this one.
  const deletion = new DeleteObjectsCommand({
    Bucket: BUCKET,
    Delete: { Objects: [{ Key: 'k' }] },
  });
  expect(await failureOf(compatible.send(deletion))).toBe('501 NotImplemented');
});

test('DeleteObjects without any digest is refused', async () => {
  await using pair = await startPair({ authentication: 'ignore' });
  const body = Buffer.from('<Delete><Object><Key>k</Key></Object></Delete>');
  const send = async (headers: Record<string, string>): Promise<string> =>
    errorIn(
      await sendWire(pair.stub, {
        method: 'POST',
        path: `/${BUCKET}?delete`,
        headers: { 'content-length': String(body.length), ...headers },
        body,
      }),
    );
  expect(await send({})).toBe('400 InvalidRequest');
  const md5 = createHash('md5').update(body).digest('base64');
  expect(await send({ 'content-md5': md5 })).toBe('200 (no code)');
});
