import { expect, test } from 'vitest';
import { ObjectStoreRemoteStorage, readLayoutOptions } from '../../src/index.ts';
import { MapObjectStore } from '../map-object-store.ts';
import { manualContext } from '../segment-fixture.ts';

const refused = (message: RegExp): unknown =>
  expect.objectContaining({
    code: 'LOGLOFT_REMOTE_INVALID_CONFIGURATION',
    message: expect.stringMatching(message),
  });

const KEYS = {
  'encryption.key.pairs': 'k1, k2',
  'encryption.key.pairs.k1.public.key.file': '/keys/1.pub',
  'encryption.key.pairs.k1.private.key.file': '/keys/1.pem',
  'encryption.key.pairs.k2.public.key.file': '/keys/2.pub',
};

test("the options of compression, encryption, mask and rate have the names of Aiven's plugin", () => {
  const read = readLayoutOptions({
    'key.prefix': 'loft/',
    'key.prefix.mask': 'true',
    'compression.enabled': 'true',
    'compression.heuristic.enabled': 'true',
    'encryption.enabled': 'true',
    'encryption.key.pair.id': 'k2',
    ...KEYS,
    'upload.rate.limit.bytes.per.second': '1048576',
    'unfinished.uploads.max.age.ms': '0',
    'segment.format': 'kafka',
  });
  expect(read).toMatchObject({
    keyPrefix: 'loft/',
    keyPrefixMask: true,
    compressionEnabled: true,
    compressionHeuristicEnabled: true,
    encryption: {
      enabled: true,
      keyPairId: 'k2',
      keyPairs: [
        { id: 'k1', publicKeyFile: '/keys/1.pub', privateKeyFile: '/keys/1.pem' },
        { id: 'k2', publicKeyFile: '/keys/2.pub', privateKeyFile: undefined },
      ],
    },
    uploadBytesPerSecond: 1_048_576,
    unfinishedUploadsMaxAgeMs: 0,
  });
});

test('by default nothing is compressed, encrypted, masked or held back', () => {
  expect(readLayoutOptions({})).toMatchObject({
    keyPrefixMask: false,
    chunkBytes: 4_194_304,
    compressionEnabled: false,
    compressionHeuristicEnabled: false,
    encryption: undefined,
    uploadBytesPerSecond: undefined,
    unfinishedUploadsMaxAgeMs: 86_400_000,
  });
});

test('key pairs are kept for reading when encryption is off', () => {
  expect(readLayoutOptions(KEYS).encryption).toMatchObject({
    enabled: false,
    keyPairs: [{ id: 'k1' }, { id: 'k2' }],
  });
});

test.each<[Record<string, string>, RegExp]>([
  [{ 'encryption.enabled': 'true' }, /"encryption.key.pairs" is required/],
  [{ 'encryption.enabled': 'true', ...KEYS }, /"encryption.key.pair.id" is required/],
  [
    { 'encryption.enabled': 'true', ...KEYS, 'encryption.key.pair.id': 'k3' },
    /"encryption.key.pair.id" is "k3", which is not in encryption.key.pairs/,
  ],
  [
    { 'encryption.key.pairs': 'k1' },
    /"encryption.key.pairs.k1.public.key.file" is required, since "k1"/,
  ],
  [{ 'encryption.key.pairs': 'k1,k1' }, /different ids without a colon/],
  [{ 'encryption.key.pairs': 'a:b' }, /different ids without a colon/],
  [
    { ...KEYS, 'encryption.key.pairs.k1.public.key.fil': 'x' },
    /Did you mean "encryption.key.pairs.k1.public.key.file"/,
  ],
  [{ 'encryption.key.pairs.k1.public.key.file': 'x' }, /Unknown option/],
  [{ 'encryption.key.pairs.__proto__.public.key.file': 'x' }, /Unknown option/],
  [{ 'compresion.enabled': 'true' }, /Did you mean "compression.enabled"/],
  [{ 'upload.rate.limit.bytes.per.second': '0' }, /an integer from 1 to/],
  [{ 'upload.rate.limit.bytes.per.second': '9007199254740992' }, /an integer from 1 to/],
  [{ 'segment.format': 'iceberg' }, /"segment.format=iceberg" .* alpha .* not serve/],
  [{ 'structure.provider.class': 'x' }, /"structure.provider.class" .* alpha .* not serve/],
  [{ 'iceberg.namespace': 'x' }, /"iceberg.namespace" .* alpha .* not serve/],
])('the options %j are refused', (options, message) => {
  expect(() => readLayoutOptions(options)).toThrow(refused(message));
});

test('a rate beyond 10^9 and a key pair of an odd name are taken', () => {
  const rate = readLayoutOptions({ 'upload.rate.limit.bytes.per.second': `${2 ** 40}` });
  expect(rate.uploadBytesPerSecond).toBe(2 ** 40);
  const odd = readLayoutOptions({
    'encryption.key.pairs': '__proto__',
    'encryption.key.pairs.__proto__.private.key.file': 'x',
  });
  expect(odd.encryption?.keyPairs).toEqual([
    { id: '__proto__', publicKeyFile: undefined, privateKeyFile: 'x' },
  ]);
});

test.each([
  ['OBJECT_PREFIX', 120, undefined],
  ['OBJECT_PREFIX', 140, /OBJECT_PREFIX never fits/],
  ['OBJECT_KEY', 900, undefined],
  ['OBJECT_PREFIX,OBJECT_KEY', 40, undefined],
  ['OBJECT_PREFIX,OBJECT_KEY', 60, /OBJECT_KEY never fits/],
  ['REMOTE_SIZE,OBJECT_PREFIX', 900, /OBJECT_PREFIX never fits/],
] as const)(
  '%s with a prefix of %i bytes is refused only when it never fits',
  (fields, length, message) => {
    const read = readLayoutOptions({
      'key.prefix': `${'p'.repeat(length - 1)}/`,
      'custom.metadata.fields.include': fields,
    });
    const open = (): ObjectStoreRemoteStorage =>
      new ObjectStoreRemoteStorage(new MapObjectStore(), read, manualContext());
    if (message === undefined) expect(open).not.toThrow();
    else expect(open).toThrow(refused(message));
  },
);

test.each([
  { chunkBytes: 0 },
  { chunkBytes: 1.5 },
  { chunkBytes: 2 ** 30 },
  { uploadBytesPerSecond: 0 },
  { uploadBytesPerSecond: Number.NaN },
])('%j is refused', (options) => {
  expect(
    () => new ObjectStoreRemoteStorage(new MapObjectStore(), options, manualContext()),
  ).toThrow(refused(/must be an integer/));
});
