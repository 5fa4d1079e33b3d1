import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Storage, type StorageOptions } from '@google-cloud/storage';
import { ManualClock, systemClock } from '@logloft/clock';
import { memorySource, type PluginOptions } from '@logloft/remote-storage';
import { contextWith } from '@logloft/remote-storage-testkit';
import { type GcsStub, startGcsStub } from '@logloft/stub-servers/gcs';
import { describe, expect, test } from 'vitest';
import { createObjectStore, GcsObjectStore } from '../src/index.ts';
import { BUCKET, bytesOf, FAST_RETRIES, PART_BYTES, readAll } from './support/open-store.ts';

const KEY = 'topic/segment.log';

async function stubWithToken(token: string): Promise<GcsStub> {
  return await startGcsStub({ buckets: [BUCKET], token });
}

function optionsFor(stub: GcsStub, more: PluginOptions): PluginOptions {
  return { 'gcs.bucket.name': BUCKET, 'gcs.endpoint.url': stub.url, ...more };
}

describe('the plugin', () => {
  test('sends an access token that it was given', async () => {
    await using stub = await stubWithToken('secret');
    const context = contextWith(systemClock, 1);
    const json = JSON.stringify({ access_token: 'secret' });
    const options = optionsFor(stub, {
      'gcs.credentials.json': json,
      'gcs.resumable.upload.chunk.size': String(PART_BYTES),
    });
    await using store = await createObjectStore(options, context);
    const bytes = bytesOf(1, 3 * PART_BYTES);
    await store.put(KEY, memorySource(bytes));
    expect((await readAll(store, KEY)).equals(bytes)).toBe(true);
    await store.delete([KEY]);
  });

  test('sends no credentials to an endpoint of one’s own unless it is given some', async () => {
    await using stub = await stubWithToken('secret');
    for (const more of [{}, { 'gcs.credentials.default': 'false' }]) {
      const context = contextWith(systemClock, 1);
      await using store = await createObjectStore(optionsFor(stub, more), context);
      await expect(store.head(KEY)).rejects.toMatchObject({ kind: 'denied' });
    }
  });

  test('reads the file of the credentials again when it has changed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'logloft-gcs-'));
    const path = join(directory, 'credentials.json');
    await using stub = await stubWithToken('second');
    try {
      await writeToken(path, 'first');
      const context = contextWith(new ManualClock(), 1);
      const options = optionsFor(stub, { 'gcs.credentials.path': path });
      await using store = await createObjectStore(options, context);
      await expect(store.head(KEY)).rejects.toMatchObject({ kind: 'denied' });
      // A refused token is looked up at once: the clock need not move.
      await writeToken(path, 'second');
      await expect(store.head(KEY)).rejects.toMatchObject({ kind: 'not-found' });
      // Damaged by somebody who writes it: what was read stays.
      await writeFile(path, '{"access_to');
      context.clock.advance(10_000);
      await expect(store.head(KEY)).rejects.toMatchObject({ kind: 'not-found' });
      expect(context.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
      // And by time alone, before the store refuses anything.
      await writeToken(path, 'third');
      context.clock.advance(10_000);
      await expect(store.head(KEY)).rejects.toMatchObject({ kind: 'denied' });
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test.each([
    ['is not there', undefined, 'missing.json'],
    ['is no JSON', 'secret', 'credentials.json'],
    ['is a list', '[]', 'credentials.json'],
    ['has no type', '{}', 'credentials.json'],
    ['has a type that is none', '{"type":"secret_account"}', 'credentials.json'],
    ['has no account', '{"type":"service_account"}', 'credentials.json'],
    [
      'has a damaged key',
      '{"type":"service_account","client_email":"a@b","private_key":"secret"}',
      'credentials.json',
    ],
    ['has a token that is none', '{"access_token":"a\\nb"}', 'credentials.json'],
  ])('refuses a file that %s, and does not show what is in it', async (_, text, name) => {
    const directory = await mkdtemp(join(tmpdir(), 'logloft-gcs-'));
    const path = join(directory, name);
    try {
      if (text !== undefined) await writeFile(path, text);
      const options = { 'gcs.bucket.name': BUCKET, 'gcs.credentials.path': path };
      const failure: unknown = await createObjectStore(options, contextWith(systemClock, 1)).catch(
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({
        kind: 'invalid-configuration',
        message: expect.stringContaining(path),
      });
      expect(String(failure)).not.toContain('secret');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

test('the key of a service account signs for real, by the SDK', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const key = {
    type: 'service_account',
    client_email: 'loft@example.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    private_key_id: 'key-1',
    // Outside Google's own domain tokens are signed here, and not fetched from an address that is fixed.
    universe_domain: 'example.com',
  };
  await using stub = await startGcsStub({ buckets: [BUCKET], serviceAccount: { publicKey } });
  const context = contextWith(systemClock, 1);
  const options = optionsFor(stub, { 'gcs.credentials.json': JSON.stringify(key) });
  await using store = await createObjectStore(options, context);
  await store.put(KEY, memorySource(bytesOf(1, 10)));
  expect((await readAll(store, KEY)).equals(bytesOf(1, 10))).toBe(true);
  const other = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const forged = { ...key, private_key: other.export({ type: 'pkcs8', format: 'pem' }) };
  const wrong = optionsFor(stub, { 'gcs.credentials.json': JSON.stringify(forged) });
  await using refused = await createObjectStore(wrong, context);
  await expect(refused.head(KEY)).rejects.toMatchObject({ kind: 'denied' });
});

describe('a ready client', () => {
  test('lends its credentials, and a token that was revoked is fetched anew once', async () => {
    await using stub = await stubWithToken('token-2');
    const auth = fakeAuth();
    const client = clientOf(stub.url, auth);
    const store = new GcsObjectStore(
      { bucket: BUCKET, client, retryPolicy: FAST_RETRIES },
      contextWith(systemClock, 1),
    );
    await store.put(KEY, memorySource(bytesOf(1, 10)));
    expect(auth.fetched).toBe(2);
    await Promise.all(Array.from({ length: 20 }, () => store.head(KEY)));
    expect(auth.fetched).toBe(2);
    await store.close();
  });

  test('whose token nobody takes is denied, and not asked for ever', async () => {
    await using stub = await stubWithToken('another');
    const auth = fakeAuth();
    const store = new GcsObjectStore(
      { bucket: BUCKET, client: clientOf(stub.url, auth), retryPolicy: FAST_RETRIES },
      contextWith(systemClock, 1),
    );
    await expect(store.head(KEY)).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('expired or revoked'),
    });
    expect(stub.requests.count()).toBe(2);
    await store.close();
  });

  test('that never gives a token ends in time, and by the signal', async () => {
    await using stub = await stubWithToken('secret');
    const clock = new ManualClock();
    const auth = { ...fakeAuth(), getRequestHeaders: () => new Promise<Headers>(() => undefined) };
    const store = new GcsObjectStore(
      { bucket: BUCKET, client: clientOf(stub.url, auth), tokenTimeoutMs: 300 },
      contextWith(clock, 1),
    );
    const waiting = expect(store.head(KEY)).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('Google credentials'),
    });
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(300);
    await waiting;
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const reading = expect(store.get(KEY, undefined, { signal: controller.signal })).rejects.toBe(
      reason,
    );
    controller.abort(reason);
    await reading;
    expect(stub.requests.count()).toBe(0);
    await store.close();
  });

  test('is left alone when the store is closed', async () => {
    await using stub = await startGcsStub({ buckets: [BUCKET] });
    const client = new Storage({ apiEndpoint: stub.url });
    const store = new GcsObjectStore({ bucket: BUCKET, client }, contextWith(systemClock, 1));
    await store.put(KEY, memorySource(bytesOf(1, 10)));
    await store.close();
    const [content] = await client.bucket(BUCKET).file(KEY).download();
    expect(content.equals(bytesOf(1, 10))).toBe(true);
  });
});

interface FakeAuth {
  readonly fetched: number;
  credentials: { access_token?: string; expiry_date?: number };
}

// Behaves as Google's library: keeps a token until it takes it for expired.
function fakeAuth(): FakeAuth & { getRequestHeaders: () => Promise<Headers> } {
  let fetched = 0;
  const fake = {
    get fetched() {
      return fetched;
    },
    credentials: {} as FakeAuth['credentials'],
    getRequestHeaders: async () => {
      if (fake.credentials.access_token === undefined || fake.credentials.expiry_date === 1) {
        fetched += 1;
        fake.credentials = { access_token: `token-${fetched}` };
      }
      return new Headers({ authorization: `Bearer ${fake.credentials.access_token}` });
    },
    getClient: async () => fake,
  };
  return fake;
}

function clientOf(url: string, auth: object): Storage {
  // Of the library's client, only what is used here.
  const authClient = auth as NonNullable<StorageOptions['authClient']>;
  const client = new Storage({ apiEndpoint: url, useAuthWithCustomEndpoint: true });
  Object.defineProperty(client, 'authClient', { value: authClient });
  return client;
}

async function writeToken(path: string, token: string): Promise<void> {
  // As tools do that rotate keys: whole, by renaming.
  await writeFile(`${path}.new`, JSON.stringify({ access_token: token }));
  await rename(`${path}.new`, path);
}
