import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import type { S3Credential } from '../../src/s3/index.ts';
import { BUCKET, clientOf, failureOf, localhostAgent, startPair } from './support/client.ts';
import { capture, errorIn, sendWire, type WireRequest } from './support/wire.ts';

const USERS: readonly S3Credential[] = [
  { accessKeyId: 'first', secretAccessKey: 'first-secret' },
  { accessKeyId: 'with/slash', secretAccessKey: 'second-secret', sessionToken: 'token' },
  { accessKeyId: 'expired', secretAccessKey: 'third-secret', sessionToken: 'old', expired: true },
  {
    accessKeyId: 'reader',
    secretAccessKey: 'fourth-secret',
    deniedOperations: ['PutObject', 'DeleteObject', 'ListObjectsV2'],
  },
];

async function startWithUsers(config: S3ClientConfig = {}) {
  const pair = await startPair({ credentials: USERS }, config);
  const as = (accessKeyId: string, secretAccessKey: string, sessionToken?: string) =>
    clientOf(pair.stub, {
      ...config,
      credentials: {
        accessKeyId,
        secretAccessKey,
        ...(sessionToken === undefined ? {} : { sessionToken }),
      },
    });
  return { ...pair, as, [Symbol.asyncDispose]: () => pair[Symbol.asyncDispose]() };
}

const put = () => new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: 'x' });

test('only a known user with the right secret and token gets in', async () => {
  await using started = await startWithUsers();
  const { as, stub } = started;
  const attempt = (...user: [string, string, string?]) => failureOf(as(...user).send(put()));
  expect(await attempt('first', 'first-secret')).toBe('succeeded');
  expect(await attempt('with/slash', 'second-secret', 'token')).toBe('succeeded');
  expect(await attempt('first', 'wrong-secret')).toBe('403 SignatureDoesNotMatch');
  expect(await attempt('nobody', 'first-secret')).toBe('403 InvalidAccessKeyId');
  expect(await attempt('with/slash', 'second-secret', 'other')).toBe('400 InvalidToken');
  expect(await attempt('with/slash', 'second-secret')).toBe('400 InvalidToken');
  expect(await attempt('first', 'first-secret', 'token')).toBe('400 InvalidToken');
  expect(await attempt('expired', 'third-secret', 'old')).toBe('400 ExpiredToken');
  expect(stub.requests.count('PutObject')).toBe(8);
});

test('a user may do what is not denied; without the right to list, missing is denied', async () => {
  await using started = await startWithUsers();
  const { as, client } = started;
  const reader = as('reader', 'fourth-secret');
  await client.send(put());
  const get = (Key: string) => reader.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
  expect(await failureOf(get('k'))).toBe('succeeded');
  expect(await failureOf(get('missing'))).toBe('403 AccessDenied');
  expect(
    await failureOf(reader.send(new HeadObjectCommand({ Bucket: BUCKET, Key: 'no' }))),
  ).toMatch(/^403 /);
  expect(await failureOf(reader.send(put()))).toBe('403 AccessDenied');
  expect(await failureOf(reader.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: 'k' })))).toBe(
    '403 AccessDenied',
  );
  expect(await failureOf(reader.send(new ListObjectsV2Command({ Bucket: BUCKET })))).toBe(
    '403 AccessDenied',
  );
});

test('a request is good for 15 minutes either way, and no longer', async () => {
  const clock = new ManualClock();
  await using pair = await startPair({ clock });
  const wire = await capture(pair.client, (client) => client.send(put()));
  const [, day = '', time = ''] = /^(.{8})T(.{6})Z$/.exec(wire.headers['x-amz-date'] ?? '') ?? [];
  const signedMs = Date.parse(
    `${day.replace(/(....)(..)/, '$1-$2-')}T${time.replace(/(..)(..)/, '$1:$2:')}Z`,
  );
  const after = async (ms: number): Promise<string> => {
    clock.setWallTime(signedMs + ms);
    return errorIn(await sendWire(pair.stub, wire));
  };
  const limit = 15 * 60_000;
  expect(await after(limit)).toBe('200 (no code)');
  expect(await after(-limit)).toBe('200 (no code)');
  expect(await after(limit + 1)).toBe('403 RequestTimeTooSkewed');
  expect(await after(-limit - 1)).toBe('403 RequestTimeTooSkewed');
});

test('another region, service or day in the scope is refused, as is no signature at all', async () => {
  await using pair = await startPair({ region: 'eu-north-1' });
  const { stub, client } = pair;
  expect(await failureOf(clientOf(stub, { region: 'us-east-1' }).send(put()))).toBe(
    '400 AuthorizationHeaderMalformed',
  );
  expect(await failureOf(client.send(put()))).toBe('succeeded');
  const wire = await capture(client, (each) => each.send(put()));
  const authorization = wire.headers['authorization'] ?? '';
  const withAuthorization = async (value: string): Promise<string> =>
    errorIn(await sendWire(stub, { ...wire, headers: { ...wire.headers, authorization: value } }));
  expect(await withAuthorization(authorization.replace('/s3/', '/ec2/'))).toBe(
    '400 AuthorizationHeaderMalformed',
  );
  expect(await withAuthorization(authorization.replace(/\/\d{8}\//, '/20200101/'))).toBe(
    '400 AuthorizationHeaderMalformed',
  );
  expect(await withAuthorization('AWS4-HMAC-SHA256 nonsense')).toBe(
    '400 AuthorizationHeaderMalformed',
  );
  expect(await withAuthorization('AWS first:signature')).toBe('400 InvalidRequest');
  const version2 = { path: `/${BUCKET}/k?AWSAccessKeyId=first&Signature=s&Expires=1` };
  expect(errorIn(await sendWire(stub, version2))).toBe('400 InvalidRequest');
  const { authorization: _gone, ...unsigned } = wire.headers;
  expect(errorIn(await sendWire(stub, { ...wire, headers: unsigned }))).toBe('403 AccessDenied');
});

test('whatever is signed cannot be changed, and what S3 acts upon cannot be added', async () => {
  await using pair = await startPair();
  const { stub, client } = pair;
  const wire = await capture(client, (each) =>
    each.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'k', Body: 'x', Metadata: { a: '1' } })),
  );
  const sent = async (change: Partial<WireRequest>): Promise<string> =>
    errorIn(await sendWire(stub, { ...wire, ...change }));
  const headers = (extra: Record<string, string>) => ({ ...wire.headers, ...extra });
  expect(await sent({ path: wire.path.replace('/k', '/other') })).toBe('403 SignatureDoesNotMatch');
  expect(await sent({ path: `${wire.path}&versionId=1` })).toBe('403 SignatureDoesNotMatch');
  expect(await sent({ headers: headers({ 'x-amz-meta-a': '2' }) })).toBe(
    '403 SignatureDoesNotMatch',
  );
  expect(await sent({ headers: headers({ 'x-amz-meta-b': '2' }) })).toBe('403 AccessDenied');
  expect(await sent({ method: 'POST' })).toBe('403 SignatureDoesNotMatch');
  expect(await sent({ body: Buffer.from('y') })).toBe('400 XAmzContentSHA256Mismatch');
  expect(stub.objects(BUCKET)).toHaveLength(0);
  expect(await sent({})).toBe('200 (no code)');
});

test('a presigned URL puts and gets until it expires, and only as it was signed', async () => {
  const clock = new ManualClock({ startMs: Date.UTC(2026, 5, 1, 12) });
  await using pair = await startPair(
    { clock, credentials: USERS },
    { requestChecksumCalculation: 'WHEN_REQUIRED' },
  );
  const { stub, client } = pair;
  const signingDate = new Date(clock.now());
  const sign = (command: GetObjectCommand | PutObjectCommand, expiresIn: number) =>
    getSignedUrl(client, command, { expiresIn, signingDate });
  const send = async (url: string, method = 'GET', body?: string): Promise<string> => {
    const { pathname, search } = new URL(url);
    const answer = await sendWire(stub, {
      method,
      path: pathname + search,
      headers: { host: `127.0.0.1:${stub.port}` },
      body: Buffer.from(body ?? ''),
    });
    return answer.status === 200 ? `200 ${answer.body.toString()}` : errorIn(answer);
  };
  const key = 'presigned + odd/é';
  const putUrl = await sign(new PutObjectCommand({ Bucket: BUCKET, Key: key }), 60);
  const getUrl = await sign(new GetObjectCommand({ Bucket: BUCKET, Key: key }), 60);
  expect(await send(putUrl, 'PUT', 'by url')).toBe('200 ');
  expect(await send(getUrl)).toBe('200 by url');
  expect(await send(getUrl, 'DELETE')).toBe('403 SignatureDoesNotMatch');
  const flipped = getUrl.replace(/(X-Amz-Signature=)(.)/, (_whole, name: string, digit: string) => {
    return name + (digit === '0' ? '1' : '0');
  });
  expect(await send(flipped)).toBe('403 SignatureDoesNotMatch');
  expect(await send(getUrl.replace('X-Amz-Expires=60', 'X-Amz-Expires=600'))).toBe(
    '403 SignatureDoesNotMatch',
  );
  expect(await send(getUrl.replace('presigned', 'presigneD'))).toBe('403 SignatureDoesNotMatch');
  expect(await send(getUrl.replace('X-Amz-Expires=60', 'X-Amz-Expires=604801'))).toBe(
    '400 AuthorizationQueryParametersError',
  );
  expect(await send(getUrl.replace(/X-Amz-Date=[^&]*/, ''))).toBe(
    '400 AuthorizationQueryParametersError',
  );
  clock.advance(60_000);
  expect(await send(getUrl)).toBe('200 by url');
  clock.advance(1);
  expect(await send(getUrl)).toBe('403 AccessDenied');
  clock.setWallTime(signingDate.getTime() - 16 * 60_000);
  expect(await send(getUrl)).toBe('403 AccessDenied');
});

test('virtual-host style names the bucket by the host', async () => {
  await using pair = await startPair();
  const { stub } = pair;
  for (const host of ['localhost', 's3.localhost']) {
    const client = clientOf(stub, {
      endpoint: `http://${host}:${stub.port}`,
      forcePathStyle: false,
      requestHandler: { httpAgent: localhostAgent() },
    });
    await client.send(new CreateBucketCommand({ Bucket: `by-${host.replace('.', '-')}` }));
    await client.send(
      new PutObjectCommand({ Bucket: BUCKET, Key: `${BUCKET}/of/${host}`, Body: 'x' }),
    );
    const got = await client.send(
      new GetObjectCommand({ Bucket: BUCKET, Key: `${BUCKET}/of/${host}` }),
    );
    expect(await got.Body?.transformToString()).toBe('x');
  }
  expect(stub.objects(BUCKET).map(({ key }) => key)).toEqual([
    'loft/of/localhost',
    'loft/of/s3.localhost',
  ]);
  expect(stub.buckets()).toEqual(['by-localhost', 'by-s3-localhost', BUCKET]);
});

test('with authentication off, no signature is looked at', async () => {
  await using pair = await startPair({ authentication: 'ignore' });
  const { stub } = pair;
  const client = clientOf(stub, { credentials: { accessKeyId: 'any', secretAccessKey: 'any' } });
  expect(await failureOf(client.send(put()))).toBe('succeeded');
  const answer = await sendWire(stub, { path: `/${BUCKET}/k` });
  expect(answer.body.toString()).toBe('x');
});
