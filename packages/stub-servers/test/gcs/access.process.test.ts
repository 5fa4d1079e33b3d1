import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Storage } from '@google-cloud/storage';
import { ManualClock } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { type GcsStub, startGcsStub } from '../../src/gcs/index.ts';
import { failureOf } from './support/client.ts';
import { rawRequest, reasonIn } from './support/raw-request.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const account = { publicKey: keys.publicKey, clientEmail: 'me@p.iam.gserviceaccount.com' };
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** A client that has the account's key file, and signs each request's token itself. */
function clientWithKey(stub: GcsStub, key: KeyObject): Storage {
  return new Storage({
    apiEndpoint: stub.url,
    useAuthWithCustomEndpoint: true,
    projectId: 'p',
    // Anything but the default makes the client sign instead of asking Google's own endpoint.
    universeDomain: 'example.test',
    retryOptions: { autoRetry: false },
    credentials: {
      type: 'service_account',
      client_email: account.clientEmail,
      private_key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      universe_domain: 'example.test',
    },
  });
}

function assertion(iat: number): string {
  const claims = { iss: account.clientEmail, iat, exp: iat + 3600 };
  const [head, body] = [{ alg: 'RS256' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signed = createSign('RSA-SHA256').update(`${head}.${body}`);
  return `${head}.${body}.${signed.sign(keys.privateKey, 'base64url')}`;
}

async function askToken(stub: GcsStub, form: Readonly<Record<string, string>>): Promise<unknown> {
  const body = new URLSearchParams(form).toString();
  const answer = await rawRequest(stub, 'POST /token', { body });
  return { status: answer.status, ...JSON.parse(answer.body.toString()) };
}

describe('a stub with a token', () => {
  test('lets in who bears it, and nobody else', async () => {
    await using stub = await startGcsStub({ buckets: ['loft'], token: 'open-sesame' });
    const list = async (authorization?: string): Promise<string> => {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await rawRequest(stub, 'GET /storage/v1/b/loft/o', { headers });
      if (answer.status === 200) return '200';
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
      return reasonIn(answer);
    };
    expect(await list()).toBe('401 required');
    expect(await list('Bearer open-sesame')).toBe('200');
    expect(await list('bearer open-sesame')).toBe('200');
    expect(await list('Bearer open-sesam')).toBe('401 authError');
    expect(await list('Bearer')).toBe('401 required');
    expect(await list('Basic open-sesame')).toBe('401 required');
  });

  test('takes the address of an open upload for one', async () => {
    await using stub = await startGcsStub({ buckets: ['loft'], token: 'open-sesame' });
    const open = 'POST /upload/storage/v1/b/loft/o?uploadType=resumable&name=k';
    expect((await rawRequest(stub, open)).status).toBe(401);
    const headers = { authorization: 'Bearer open-sesame' };
    const { pathname, search } = new URL(
      (await rawRequest(stub, open, { headers })).headers.location ?? '',
    );
    expect((await rawRequest(stub, `PUT ${pathname}${search}`, { body: 'x' })).status).toBe(200);
  });

  test('keeps nothing of what the uninvited send', async () => {
    await using stub = await startGcsStub({ buckets: ['loft'], token: 'open-sesame' });
    const insert = 'POST /upload/storage/v1/b/loft/o?uploadType=media&name=k';
    const answer = await rawRequest(stub, insert, { body: Buffer.alloc(3_000_000) });
    expect(reasonIn(answer)).toBe('401 required');
    expect([stub.usedBytes, stub.objects('loft').length]).toEqual([0, 0]);
    // It is read all the same, so that clients that are still sending hear the answer.
    expect(stub.requests.all[0]?.bytesIn).toBe(3_000_000);
  });
});

describe('a stub with a service account', () => {
  test('serves a client that has its key', async () => {
    await using stub = await startGcsStub({ buckets: ['loft'], serviceAccount: account });
    const file = clientWithKey(stub, keys.privateKey).bucket('loft').file('k');
    await file.save('hello', { resumable: false });
    // Not by `resumable: true`: there the client leaves its token out under an endpoint of one's own.
    const [address] = await file.createResumableUpload();
    expect((await fetch(address, { method: 'PUT', body: 'hello' })).status).toBe(200);
    expect((await file.download())[0].toString()).toBe('hello');
    const thief = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const stolen = clientWithKey(stub, thief).bucket('loft').file('k');
    expect(await failureOf(stolen.getMetadata())).toBe('401 authError');
  });

  test('hands the token to whoever signs for the account', async () => {
    const clock = new ManualClock();
    const options = { buckets: ['loft'], serviceAccount: account, token: 'open-sesame', clock };
    await using stub = await startGcsStub(options);
    const now = clock.now() / 1000;
    const good = { grant_type: GRANT, assertion: assertion(now) };
    expect(await askToken(stub, good)).toEqual({
      status: 200,
      access_token: 'open-sesame',
      expires_in: 3600,
      token_type: 'Bearer',
    });
    const refusals = [
      { ...good, assertion: assertion(now - 7201) },
      { ...good, assertion: assertion(now + 301) },
      { ...good, assertion: 'a.b.c' },
      { grant_type: GRANT },
    ];
    for (const form of refusals) {
      expect(await askToken(stub, form)).toMatchObject({ status: 400, error: 'invalid_grant' });
    }
    expect(await askToken(stub, { grant_type: 'password' })).toMatchObject({
      status: 400,
      error: 'unsupported_grant_type',
    });
  });

  test('that was not given one hands out nothing', async () => {
    await using stub = await startGcsStub({ token: 'open-sesame' });
    const form = { grant_type: GRANT, assertion: assertion(0) };
    expect(await askToken(stub, form)).toMatchObject({ status: 400, error: 'invalid_grant' });
  });

  test('makes up a token where it was given none', async () => {
    await using stub = await startGcsStub({ buckets: ['loft'], serviceAccount: account });
    const now = Math.floor(Date.now() / 1000);
    const form = { grant_type: GRANT, assertion: assertion(now) };
    expect(await askToken(stub, form)).toMatchObject({ status: 200, access_token: stub.token });
    const headers = { authorization: `Bearer ${stub.token}` };
    expect((await rawRequest(stub, 'GET /storage/v1/b/loft', { headers })).status).toBe(200);
  });
});
