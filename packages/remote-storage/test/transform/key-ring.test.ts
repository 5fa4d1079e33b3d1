import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LayoutOptions, loadKeyFiles } from '../../src/index.ts';
import { KeyRing } from '../../src/transform/key-ring.ts';
import { KEY_PAIRS } from '../layout/fixed-encryptor.ts';

const [ONE, TWO] = KEY_PAIRS;
const DATA_KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const invalid = (message: RegExp): unknown =>
  expect.objectContaining({
    kind: 'invalid-configuration',
    message: expect.stringMatching(message),
  });

test('a data key is wrapped with the active pair, by its name, and never twice the same', () => {
  const ring = new KeyRing({ keyPairs: KEY_PAIRS, activeKeyPairId: 'k2' });
  const wrapped = ring.wrap(DATA_KEY);
  expect(wrapped).toMatch(/^k2:[A-Za-z0-9+/]{342}==$/);
  expect(ring.wrap(DATA_KEY)).not.toBe(wrapped);
  expect(Buffer.from(ring.unwrap(wrapped, 'm'))).toEqual(Buffer.from(DATA_KEY));
  expect(KeyRing.keyPairIdOf(wrapped)).toBe('k2');
});

test('what an older pair wrapped is read while that is on the ring', () => {
  const wrapped = new KeyRing({ keyPairs: [ONE], activeKeyPairId: 'k1' }).wrap(DATA_KEY);
  const rotated = new KeyRing({ keyPairs: KEY_PAIRS, activeKeyPairId: 'k2' });
  expect(Buffer.from(rotated.unwrap(wrapped, 'm'))).toEqual(Buffer.from(DATA_KEY));
  const retired = new KeyRing({ keyPairs: [TWO], activeKeyPairId: 'k2' });
  expect(() => retired.unwrap(wrapped, 'm')).toThrow(
    invalid(/"m" is encrypted under the key pair "k1", .*add "k1" to encryption.key.pairs/),
  );
});

test('a public key alone is enough to write, and says what is missing to read', () => {
  const { id, publicKey } = ONE;
  const ring = new KeyRing({ keyPairs: [{ id, publicKey }], activeKeyPairId: 'k1' });
  const wrapped = ring.wrap(DATA_KEY);
  expect(() => ring.unwrap(wrapped, 'm')).toThrow(
    invalid(/set encryption.key.pairs.k1.private.key.file/),
  );
  const reader = new KeyRing({ keyPairs: [{ id, privateKey: ONE.privateKey }] });
  expect(Buffer.from(reader.unwrap(wrapped, 'm'))).toEqual(Buffer.from(DATA_KEY));
  expect(() => reader.wrap(DATA_KEY)).toThrow(invalid(/set encryption.key.pair.id/));
});

test('another pair under the same name is denied', () => {
  const wrapped = new KeyRing({ keyPairs: [ONE], activeKeyPairId: 'k1' }).wrap(DATA_KEY);
  const other = new KeyRing({ keyPairs: [{ ...TWO, id: 'k1' }] });
  expect(() => other.unwrap(wrapped, 'the/manifest')).toThrow(
    expect.objectContaining({
      kind: 'denied',
      key: 'the/manifest',
      message: expect.stringContaining('"the/manifest"'),
    }),
  );
});

test.each(['', 'k1', ':AAAA', 'k1:', 'k1:*', 'k1:AAAA:AAAA', 'k1:AA'])(
  'the data key %j is corrupt',
  (wrapped) => {
    const ring = new KeyRing({ keyPairs: [ONE] });
    expect(() => ring.unwrap(wrapped, 'm')).toThrow(expect.objectContaining({ kind: 'corrupt' }));
  },
);

test('a data key of another length is corrupt', () => {
  const ring = new KeyRing({ keyPairs: [ONE], activeKeyPairId: 'k1' });
  const wrapped = ring.wrap(new Uint8Array(16));
  expect(() => ring.unwrap(wrapped, 'm')).toThrow(/has 16 bytes, not 32/);
});

const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
test.each<[string, Parameters<typeof loadKeyFiles>[0]['encryption'], RegExp]>([
  ['a name with a colon', { keyPairs: [{ ...ONE, id: 'a:b' }] }, /without a colon/],
  ['no name', { keyPairs: [{ ...ONE, id: '' }] }, /must have a name/],
  ['the same name twice', { keyPairs: [ONE, { ...TWO, id: 'k1' }] }, /is there twice/],
  ['no key', { keyPairs: [{ id: 'k1' }] }, /has no key/],
  ['files that were not read', { keyPairs: [{ id: 'k1', publicKeyFile: 'x' }] }, /loadKeyFiles/],
  ['keys of another kind', { keyPairs: [{ id: 'k1', ...elliptic }] }, /RSA of 2048 bits/],
  ['keys too short for OAEP', { keyPairs: [{ id: 'k1', ...short }] }, /RSA of 2048 bits/],
  ['keys of two pairs', { keyPairs: [{ ...ONE, privateKey: TWO.privateKey }] }, /does not belong/],
  [
    'a private key for the public',
    { keyPairs: [{ id: 'k1', publicKey: ONE.privateKey }] },
    /private key for its public/,
  ],
  [
    'a public key for the private',
    { keyPairs: [{ id: 'k1', privateKey: ONE.publicKey }] },
    /public key for its private/,
  ],
])('a ring with %s is refused', (_, encryption, message) => {
  expect(() => new KeyRing({ keyPairs: encryption?.keyPairs ?? [] })).toThrow(invalid(message));
});

test('an active pair that is not on the ring is refused', () => {
  expect(() => new KeyRing({ keyPairs: [ONE], activeKeyPairId: 'k3' })).toThrow(
    invalid(/"k3" is to be the active one/),
  );
});

let folder = '';
const pem = (key: KeyObject | undefined, type: 'spki' | 'pkcs8'): string =>
  String(key?.export({ type, format: 'pem' }));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'logloft-keys-'));
  await writeFile(join(folder, 'public.pem'), pem(ONE.publicKey, 'spki'));
  await writeFile(join(folder, 'private.pem'), pem(ONE.privateKey, 'pkcs8'));
  const locked = ONE.privateKey?.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  });
  await writeFile(join(folder, 'locked.pem'), String(locked));
  await writeFile(join(folder, 'text.pem'), 'no key at all');
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('keys are read from PEM files', async () => {
  const publicKeyFile = join(folder, 'public.pem');
  const privateKeyFile = join(folder, 'private.pem');
  const encryption = { keyPairs: [{ id: 'k1', publicKeyFile, privateKeyFile }, TWO] };
  const loaded = await loadKeyFiles({ encryption, keyPrefix: 'kept' });
  expect(loaded.keyPrefix).toBe('kept');
  const ring = new KeyRing({ ...loaded.encryption, activeKeyPairId: 'k1' });
  expect(Buffer.from(ring.unwrap(ring.wrap(DATA_KEY), 'm'))).toEqual(Buffer.from(DATA_KEY));
  const [pair] = loaded.encryption.keyPairs;
  expect(pair?.publicKey?.equals(createPublicKey(pem(ONE.publicKey, 'spki')))).toBe(true);
});

test('options without encryption have no files', async () => {
  const options: LayoutOptions = { keyPrefix: 'x' };
  expect(await loadKeyFiles(options)).toBe(options);
});

test.each([
  [
    'public',
    'missing.pem',
    /"encryption.key.pairs.k1.public.key.file": the file ".*missing.pem" cannot be read \(ENOENT\)/,
  ],
  ['public', 'text.pem', /text.pem" holds no public key in PEM form/],
  ['private', 'text.pem', /"encryption.key.pairs.k1.private.key.file": .* holds no private key/],
  ['private', 'public.pem', /holds no private key/],
  ['private', 'locked.pem', /PKCS#8, not encrypted/],
  ['private', '.', /cannot be read \(EISDIR\)/],
])('a %s key in the file %s is refused by option and path', async (kind, file, message) => {
  const pair = { id: 'k1', [`${kind}KeyFile`]: join(folder, file) };
  const loading = loadKeyFiles({ encryption: { keyPairs: [pair] } });
  await expect(loading).rejects.toEqual(invalid(message));
});

test('nothing that is thrown shows a key', async () => {
  const pair = { id: 'k1', privateKeyFile: join(folder, 'locked.pem') };
  const thrown = await loadKeyFiles({ encryption: { keyPairs: [pair] } }).catch(
    (error: unknown) => error,
  );
  expect(inspect(thrown, { depth: 10, showHidden: true })).not.toMatch(/BEGIN|MII/);
});
