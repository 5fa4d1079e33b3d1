import { isRemoteStorageError } from '@logloft/remote-storage';
import { describe, expect, test } from 'vitest';
import { AzureObjectStore, createObjectStore } from '../src/index.ts';
import { silentContext } from './support/containers.ts';
import { failureOf } from './support/waiting.ts';

const KEY = Buffer.alloc(64, 7).toString('base64');
const BY_KEY = {
  'azure.container.name': 'segments',
  'azure.account.name': 'account1',
  'azure.account.key': KEY,
};

async function refusal(options: Readonly<Record<string, string>>): Promise<string> {
  const failure = await failureOf(
    (async () => await createObjectStore(options, silentContext()))(),
  );
  expect(failure).toMatchObject({ kind: 'invalid-configuration', retryable: false });
  expect(isRemoteStorageError(failure)).toBe(true);
  return failure.message;
}

describe('options that are taken', () => {
  test.each<Readonly<Record<string, string>>>([
    BY_KEY,
    {
      'azure.container.name': '$root',
      'azure.account.name': 'account1',
      'azure.sas.token': 'sv=1&sig=a%3D',
    },
    {
      'azure.container.name': 'abc',
      'azure.account.name': 'account1',
      'azure.sas.token': '?sig=a&se=2030',
    },
    { 'azure.container.name': 'abc', 'azure.connection.string': 'UseDevelopmentStorage=true' },
    {
      'azure.container.name': 'abc',
      'azure.connection.string': `DefaultEndpointsProtocol=https;AccountName=account1;AccountKey=${KEY};EndpointSuffix=core.windows.net`,
    },
    {
      'azure.container.name': 'abc',
      'azure.connection.string':
        'BlobEndpoint=https://account1.blob.core.windows.net;SharedAccessSignature=sv=1&sig=a',
    },
    { ...BY_KEY, 'azure.endpoint.url': 'https://proxy.example/account1/' },
    { ...BY_KEY, 'azure.upload.block.size': '102400', 'azure.upload.checksum': 'md5' },
    { ...BY_KEY, 'azure.upload.block.size': '104857600', 'azure.upload.memory.bytes': '209715200' },
    { ...BY_KEY, 'azure.upload.block.size': '104857600' },
    { ...BY_KEY, 'azure.connections.max': '1', 'azure.connect.timeout.ms': '1' },
  ])('%j', async (options) => {
    const store = await createObjectStore(options, silentContext());
    expect(store.capabilities).toMatchObject({
      name: 'azure',
      durable: true,
      conditionalPut: true,
      paced: true,
      maxKeyBytes: 1024,
      readUnitBytes: 4 * 1024 * 1024,
    });
    await store[Symbol.asyncDispose]();
  });
});

describe('options that are refused', () => {
  test.each<readonly [string, Readonly<Record<string, string>>, RegExp]>([
    ['no container', { 'azure.account.name': 'account1' }, /"azure\.container\.name" is required/],
    [
      'a mistyped name',
      { ...BY_KEY, 'azure.acount.key': 'x' },
      /Did you mean "azure\.account\.key"\?/,
    ],
    ['a name of another store', { ...BY_KEY, 's3.region': 'x' }, /Unknown option "s3\.region"/],
    ['no account', { 'azure.container.name': 'abc' }, /account must be named/],
    ['a container in capitals', { ...BY_KEY, 'azure.container.name': 'Segments' }, /lower-case/],
    ['a short container', { ...BY_KEY, 'azure.container.name': 'ab' }, /3 to 63/],
    ['two hyphens', { ...BY_KEY, 'azure.container.name': 'a--b' }, /single hyphens/],
    ['a long container', { ...BY_KEY, 'azure.container.name': 'a'.repeat(64) }, /3 to 63/],
    ['an odd account', { ...BY_KEY, 'azure.account.name': 'Account/1' }, /account must be named/],
    ['key and token', { ...BY_KEY, 'azure.sas.token': '?sig=a' }, /not both/],
    ['a key that is none', { ...BY_KEY, 'azure.account.key': 'not base64!' }, /not base64/],
    [
      'a token without signature',
      {
        'azure.container.name': 'abc',
        'azure.account.name': 'account1',
        'azure.sas.token': 'sv=1',
      },
      /no signature/,
    ],
    [
      'a connection string and more',
      { ...BY_KEY, 'azure.connection.string': 'UseDevelopmentStorage=true' },
      /says it all/,
    ],
    [
      'a broken connection string',
      { 'azure.container.name': 'abc', 'azure.connection.string': `AccountKey=${KEY}` },
      /cannot be read/,
    ],
    ['no URL', { ...BY_KEY, 'azure.endpoint.url': 'account1.example' }, /http or https URL/],
    [
      'another protocol',
      { ...BY_KEY, 'azure.endpoint.url': 'ftp://a.example' },
      /http or https URL/,
    ],
    [
      'a token in the URL',
      { ...BY_KEY, 'azure.endpoint.url': 'https://a.example/?sig=a' },
      /no query/,
    ],
    [
      'a login in the URL',
      { ...BY_KEY, 'azure.endpoint.url': 'https://me:pw@a.example/' },
      /no login/,
    ],
    [
      'a tiny block',
      { ...BY_KEY, 'azure.upload.block.size': '1000' },
      /azure\.upload\.block\.size/,
    ],
    [
      'a block beyond the memory',
      {
        ...BY_KEY,
        'azure.upload.block.size': '104857600',
        'azure.upload.memory.bytes': '67108864',
      },
      /must hold a block/,
    ],
    ['an unknown checksum', { ...BY_KEY, 'azure.upload.checksum': 'crc64' }, /none or md5/],
    ['no number', { ...BY_KEY, 'azure.connections.max': 'many' }, /azure\.connections\.max/],
    ['a SOCKS5 proxy', { ...BY_KEY, 'proxy.host': 'proxy' }, /HTTPS_PROXY/],
  ])('%s', async (_, options, says) => {
    const message = await refusal(options);
    expect(message).toMatch(says);
    for (const secret of [KEY, 'not base64!', 'me:pw']) expect(message).not.toContain(secret);
  });
});

test('bounds of the class are those of the options', async () => {
  const place = { container: 'segments', accountName: 'account1', accountKey: KEY };
  const open = (more: object): Promise<AzureObjectStore> =>
    AzureObjectStore.open({ ...place, ...more }, silentContext());
  for (const [name, values] of [
    ['blockBytes', [0, 65_535, 0.5, Number.NaN]],
    ['blocksInFlight', [0, 65]],
    ['uploadMemoryBytes', [0]],
    ['requestTimeoutMs', [0, 2 ** 31]],
    ['idleTimeoutMs', [0, -1]],
    ['pageKeys', [0, 5_001]],
    ['maxConnections', [0, 10_001]],
    ['connectTimeoutMs', [0]],
    ['answerTimeoutMs', [0]],
  ] as const) {
    for (const value of values) {
      const failure = await failureOf(open({ [name]: value }));
      expect(failure).toMatchObject({ kind: 'invalid-configuration' });
      expect(failure.message).toContain(name);
    }
  }
  await (await open({})).close();
});
