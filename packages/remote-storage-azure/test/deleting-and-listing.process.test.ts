import { ContainerSASPermissions } from '@azure/storage-blob';
import { compareKeys, memorySource } from '@logloft/remote-storage';
import { describe, expect, test } from 'vitest';
import type { AzureObjectStore } from '../src/index.ts';
import { ACCOUNT } from './support/azurite.ts';
import { openStore } from './support/containers.ts';
import { type FaultyStore, faultyAzurite } from './support/faulty-azurite.ts';
import { failureOf } from './support/waiting.ts';

const openFaulty = faultyAzurite();

/** Keys of objects that are there, in the order in which they are listed. */
async function fill({ container }: FaultyStore, count: number): Promise<readonly string[]> {
  const keys = Array.from({ length: count }, (_, n) => `key/${String(n).padStart(4, '0')}`);
  const queue = keys.values();
  const work = async (): Promise<void> => {
    for (const key of queue) await container.getBlockBlobClient(key).upload('x', 1);
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return keys;
}

async function listed(store: AzureObjectStore, prefix?: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list({ prefix })) keys.push(key);
  return keys;
}

const REFUSED = {
  type: 'status',
  status: 403,
  headers: { 'x-ms-error-code': 'AuthorizationFailure' },
} as const;

describe('deleting', () => {
  test('one key is one request, and up to 256 are one as well', async () => {
    const opened = await openFaulty();
    const keys = await fill(opened, 300);
    const { store, requests } = opened;
    await store.delete(keys.slice(0, 1));
    await store.delete(keys.slice(1, 4));
    await store.delete(keys.slice(4));
    expect(requests()).toEqual(['DELETE', 'POST batch', 'POST batch', 'POST batch']);
    expect(await listed(store)).toEqual([]);
  });

  test('keys that are given twice, or are not there, are gone afterwards', async () => {
    const opened = await openFaulty();
    const keys = await fill(opened, 5);
    await opened.store.delete([...keys, ...keys, 'missing', 'missing/too']);
    expect(await listed(opened.store)).toEqual([]);
  });

  test('of many, only those that cannot be deleted stay, and the failure names one', async () => {
    const opened = await openFaulty();
    const { store, container } = opened;
    const keys = await fill(opened, 5);
    const leases = [1, 3].map((index) =>
      container.getBlobClient(keys[index] ?? '').getBlobLeaseClient(),
    );
    for (const lease of leases) await lease.acquireLease(-1);
    const failure = await failureOf(store.delete(keys));
    expect(failure).toMatchObject({ kind: 'precondition', key: 'key/0001' });
    expect(await listed(store)).toEqual(['key/0001', 'key/0003']);
    for (const lease of leases) await lease.releaseLease();
    await store.delete(keys);
    expect(await listed(store)).toEqual([]);
  });

  test('where batches are refused, keys go one by one, and no batch is tried again', async () => {
    const opened = await openFaulty();
    const { store, breakWith, requests } = opened;
    const keys = await fill(opened, 6);
    breakWith({ method: 'POST', fault: REFUSED });
    await store.delete(keys.slice(0, 3));
    await store.delete(keys.slice(3));
    expect(requests()).toEqual(['POST batch', ...Array(6).fill('DELETE')]);
    expect(await listed(store)).toEqual([]);
  });

  test('where single deletions are refused as well, that is the failure', async () => {
    const opened = await openFaulty();
    const { store, breakWith } = opened;
    const keys = await fill(opened, 3);
    breakWith({ fault: REFUSED });
    expect(await failureOf(store.delete(keys))).toMatchObject({ kind: 'denied' });
    breakWith();
    expect(await listed(store)).toEqual(keys);
  });

  test.each([{ status: 503 }, { status: 429 }, { status: 500 }])(
    'a batch that is answered $status twice is tried again',
    async ({ status }) => {
      const opened = await openFaulty();
      const { store, breakWith, requests } = opened;
      const keys = await fill(opened, 3);
      breakWith({ times: 2, fault: { type: 'status', status } });
      await store.delete(keys);
      expect(requests()).toEqual(['POST batch', 'POST batch', 'POST batch']);
      expect(await listed(store)).toEqual([]);
    },
  );

  test('a batch whose answer was lost, or was cut, is tried again', async () => {
    const opened = await openFaulty();
    const { store, breakWith } = opened;
    const keys = await fill(opened, 3);
    breakWith(
      { times: 1, fault: { type: 'drop-response' } },
      { times: 1, fault: { type: 'truncate-response', afterBytes: 100, reset: true } },
    );
    await store.delete(keys);
    expect(await listed(store)).toEqual([]);
  });

  test('snapshots do not keep an object from being deleted', async () => {
    const opened = await openFaulty();
    const { store, container } = opened;
    const keys = await fill(opened, 3);
    for (const key of keys) await container.getBlobClient(key).createSnapshot();
    await store.delete(keys.slice(0, 1));
    await store.delete(keys.slice(1));
    expect(await listed(store)).toEqual([]);
  });
});

describe('listing', () => {
  test('objects come page by page, each page being a request', async () => {
    const opened = await openFaulty({ pageKeys: 7 });
    const keys = await fill(opened, 30);
    expect(await listed(opened.store)).toEqual(keys);
    expect(opened.requests()).toEqual(Array(5).fill('GET list'));
  });

  test('whoever breaks off does not pay for further pages', async () => {
    const opened = await openFaulty({ pageKeys: 7 });
    await fill(opened, 30);
    for await (const { key } of opened.store.list()) if (key === 'key/0008') break;
    expect(opened.requests()).toEqual(['GET list', 'GET list']);
  });

  test('a page that fails, or is cut, is asked for again, and no object comes twice', async () => {
    const opened = await openFaulty({ pageKeys: 7 });
    const keys = await fill(opened, 20);
    opened.breakWith(
      { skip: 1, times: 2, fault: { type: 'status', status: 503 } },
      { skip: 2, times: 1, fault: { type: 'truncate-response', afterBytes: 200 } },
    );
    expect(await listed(opened.store)).toEqual(keys);
  });

  test('keys with signs of XML and of URLs come back as they are', async () => {
    const opened = await openFaulty();
    const keys = [
      'a&amp;b',
      'a<b>',
      'a"b\'',
      'a%2Fb',
      'a+b',
      'a b/ c',
      'a?b#c',
      'é\u0301',
      '𝄞',
      '～',
    ];
    for (const key of keys) await opened.store.put(key, memorySource(new Uint8Array(1)));
    expect(await listed(opened.store)).toEqual(keys.toSorted(compareKeys));
    expect(await listed(opened.store, 'a&')).toEqual(['a&amp;b']);
    for (const key of keys) expect((await opened.store.head(key)).size).toBe(1);
  });

  test('blocks of unfinished uploads are no objects', async () => {
    const opened = await openFaulty();
    const id = Buffer.from('block').toString('base64');
    await opened.container.getBlockBlobClient('unfinished').stageBlock(id, 'x', 1);
    expect(await listed(opened.store)).toEqual([]);
  });
});

describe('keys that a URL would change', () => {
  // What the SDK makes of them: `./a` and `l/../a` become `a`, and a backslash a slash.
  test.each(['./a', 'l/../a', 'a/..', 'a/.', 'a\\b', '..', 'a//b'])(
    '%j never reaches the server',
    async (key) => {
      const { store, requests } = await openFaulty();
      const source = memorySource(new Uint8Array(1));
      const calls = [
        store.put(key, source),
        store.get(key),
        store.head(key),
        store.delete(['b', key]),
      ];
      for (const call of calls) {
        expect(await failureOf(call)).toMatchObject({ kind: 'invalid-configuration', key });
      }
      expect(requests()).toEqual([]);
    },
  );

  test('keys that only look like steps of a path arrive as they are', async () => {
    const { store, container } = await openFaulty();
    const keys = ['...', '.a', 'a./b', '..a/b..', '%2e%2e/a', 'a/%2E/b', '.../...'];
    for (const key of keys) await store.put(key, memorySource(new Uint8Array(1)));
    const found: string[] = [];
    for await (const { name } of container.listBlobsFlat()) found.push(name);
    expect(found.toSorted()).toEqual(keys.toSorted());
  });

  test('254 parts are taken, 255 are not', async () => {
    const { store } = await openFaulty();
    const key = Array(254).fill('p').join('/');
    await store.put(key, memorySource(new Uint8Array(1)));
    expect((await store.head(key)).size).toBe(1);
    expect(await failureOf(store.head(`${key}/p`))).toMatchObject({
      kind: 'invalid-configuration',
    });
  });
});

describe('a SAS token', () => {
  const openWith = async (
    { container, proxy }: FaultyStore,
    permissions: string,
  ): Promise<AzureObjectStore> => {
    const url = await container.generateSasUrl({
      permissions: ContainerSASPermissions.parse(permissions),
      expiresOn: new Date(Date.now() + 3_600_000),
    });
    return await openStore({
      endpoint: `${proxy.url}/${ACCOUNT}`,
      container: container.containerName,
      accountKey: undefined,
      sasToken: new URL(url).search,
    });
  };

  test('with the permissions rcwdl is enough for everything', async () => {
    const opened = await openFaulty();
    const store = await openWith(opened, 'rcwdl');
    for (const key of ['a', 'b', 'c']) await store.put(key, memorySource(new Uint8Array(3)));
    expect((await store.head('a')).size).toBe(3);
    expect(await listed(store)).toEqual(['a', 'b', 'c']);
    await store.delete(['a', 'b', 'c', 'missing']);
    expect(await listed(store)).toEqual([]);
    await store.close();
  });

  test('that may only read is denied the rest, with what it lacks', async () => {
    const opened = await openFaulty();
    await opened.container.getBlockBlobClient('a').upload('x', 1);
    const store = await openWith(opened, 'r');
    expect((await store.head('a')).size).toBe(1);
    const writing = await failureOf(store.put('b', memorySource(new Uint8Array(3))));
    expect(writing).toMatchObject({ kind: 'denied', key: 'b' });
    expect(writing.message).toContain('rcwdl');
    expect(await failureOf(store.delete(['a']))).toMatchObject({ kind: 'denied' });
    await store.close();
  });
});
