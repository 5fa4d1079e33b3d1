import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memorySource, type SegmentSource } from '@logloft/remote-storage';
import { gatedSource, seededBytes } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import { ACCOUNT } from './support/azurite.ts';
import { openStore } from './support/containers.ts';
import { faultyAzurite, QUICK_RETRIES } from './support/faulty-azurite.ts';
import { failureOf, turn, until } from './support/waiting.ts';

const KIB = 1024;
const BLOCK = 64 * KIB;
const openFaulty = faultyAzurite();

describe('requests', () => {
  test('an object that fits into a block is one request, an empty one too', async () => {
    const { store, requests } = await openFaulty({ blockBytes: BLOCK });
    await store.put('small', memorySource(seededBytes(1, BLOCK)));
    await store.put('empty', memorySource(new Uint8Array(0)));
    expect(requests()).toEqual(['PUT', 'PUT']);
  });

  test('a larger one is a request for each block, and one that makes it an object', async () => {
    const { store, requests, container } = await openFaulty({ blockBytes: BLOCK });
    const bytes = seededBytes(2, 5 * BLOCK + 1);
    await store.put('large', memorySource(bytes));
    expect(requests()).toEqual([...Array(6).fill('PUT block'), 'PUT blocklist']);
    expect(await container.getBlobClient('large').downloadToBuffer()).toEqual(Buffer.from(bytes));
  });

  test('an object that would take more than 50,000 blocks gets larger ones', async () => {
    const { store, proxy, container } = await openFaulty({ blockBytes: BLOCK });
    const bytes = seededBytes(3, 300_000);
    const source: SegmentSource = {
      ...memorySource(bytes),
      size: 50_000 * 200_000,
      sizeIsBound: true,
      read: () => memorySource(bytes).read({ start: 0 }),
    };
    await store.put('bound', source);
    expect(
      proxy.log
        .map(({ requestBytes }) => requestBytes)
        .slice(0, 2)
        .toSorted(),
    ).toEqual([100_000, 200_000]);
    expect(await container.getBlobClient('bound').downloadToBuffer()).toEqual(Buffer.from(bytes));
  });

  test('what no number of blocks can hold is refused before anything is sent', async () => {
    const { store, requests } = await openFaulty();
    const source = {
      ...memorySource(new Uint8Array(1)),
      size: store.capabilities.maxObjectBytes + 1,
    };
    const failure = await failureOf(store.put('huge', source));
    expect(failure).toMatchObject({ kind: 'invalid-configuration', key: 'huge' });
    expect(requests()).toEqual([]);
  });

  test('with the md5 option, every request with bytes carries their digest', async () => {
    const seen: { readonly claimed: unknown; readonly real: string }[] = [];
    const server = createServer(async (request, response) => {
      const hash = createHash('md5');
      for await (const piece of request) hash.update(piece);
      const { url = '', headers } = request;
      if (!url.includes('blocklist')) {
        seen.push({ claimed: headers['content-md5'], real: hash.digest('base64') });
      }
      response.writeHead(201).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}/${ACCOUNT}`;
    const store = await openStore({
      endpoint,
      container: 'container',
      blockBytes: BLOCK,
      checksum: 'md5',
    });
    try {
      await store.put('small', memorySource(seededBytes(4, 1_000)));
      await store.put('large', memorySource(seededBytes(5, 3 * BLOCK)));
    } finally {
      await store.close();
      await new Promise((resolve) => server.close(resolve));
    }
    expect(seen).toHaveLength(4);
    for (const { claimed, real } of seen) expect(claimed).toBe(real);
  });

  test('bytes that were altered on the way are sent again', async () => {
    const { store, breakWith, container } = await openFaulty({ checksum: 'md5' });
    const headers = { 'x-ms-error-code': 'Md5Mismatch' };
    breakWith({ times: 1, fault: { type: 'status', status: 400, headers } });
    await store.put('object', memorySource(seededBytes(6, 1_000)));
    const { contentMD5 } = await container.getBlobClient('object').getProperties();
    const digest = createHash('md5').update(seededBytes(6, 1_000)).digest();
    expect(Buffer.from(contentMD5 ?? [])).toEqual(digest);
  });
});

describe('unfinished uploads', () => {
  test('a put that fails after three blocks leaves nothing visible, and the next takes fresh block ids', async () => {
    const { store, container, breakWith } = await openFaulty({
      blockBytes: BLOCK,
      blocksInFlight: 1,
    });
    const blob = container.getBlockBlobClient('object');
    const bytes = seededBytes(7, 6 * BLOCK);
    breakWith({ skip: 3, fault: { type: 'status', status: 403 } });
    expect(await failureOf(store.put('object', memorySource(bytes)))).toMatchObject({
      kind: 'denied',
    });
    expect(await blob.exists()).toBe(false);
    const left = await blob.getBlockList('uncommitted');
    const leftNames = (left.uncommittedBlocks ?? []).map(({ name }) => name);
    expect(leftNames).toHaveLength(3);

    breakWith();
    await store.put('object', memorySource(bytes));
    expect(await blob.downloadToBuffer()).toEqual(Buffer.from(bytes));
    const { committedBlocks = [], uncommittedBlocks = [] } = await blob.getBlockList('all');
    expect(uncommittedBlocks).toEqual([]);
    expect(committedBlocks).toHaveLength(6);
    for (const { name } of committedBlocks) expect(leftNames).not.toContain(name);
  });

  test('all block ids of an object have one length', async () => {
    const { store, container } = await openFaulty({ blockBytes: BLOCK });
    await store.put('object', memorySource(seededBytes(8, 12 * BLOCK)));
    const list = await container.getBlockBlobClient('object').getBlockList('committed');
    const ids = (list.committedBlocks ?? []).map(({ name }) => Buffer.from(name, 'base64'));
    expect(new Set(ids.map(({ byteLength }) => byteLength))).toEqual(new Set([39]));
  });

  test('an abort while the source pauses rejects at once, and no further request is made', async () => {
    const { store, requests } = await openFaulty({ blockBytes: BLOCK });
    const gated = gatedSource(seededBytes(9, 8 * BLOCK));
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const writing = store.put('object', gated.source, { signal: controller.signal });
    await gated.reached;
    await until(() => requests().length >= 3);
    controller.abort(reason);
    await expect(writing).rejects.toBe(reason);
    const after = requests().length;
    gated.open();
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(requests()).toHaveLength(after);
    expect(requests()).not.toContain('PUT blocklist');
  });

  test('an abort while blocks are on their way ends their requests, and frees the connections', async () => {
    const { store, breakWith, proxy, container } = await openFaulty({ blockBytes: BLOCK });
    breakWith({ fault: { type: 'blackhole' } });
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const source = memorySource(seededBytes(10, 8 * BLOCK));
    const writing = store.put('object', source, { signal: controller.signal });
    await until(() => proxy.log.length === 4);
    controller.abort(reason);
    await expect(writing).rejects.toBe(reason);
    await until(() => proxy.log.every(({ outcome }) => outcome === 'client-gone'));
    await until(() => store.openConnections === 0);
    expect(await container.getBlobClient('object').exists()).toBe(false);
  });

  test('a writer that loses its blocks to a faster one of the same key begins anew', async () => {
    const { store, container, requests } = await openFaulty({ blockBytes: BLOCK });
    const blob = container.getBlockBlobClient('object');
    const bytes = seededBytes(11, 4 * BLOCK);
    const gated = gatedSource(bytes);
    let progress = 0;
    const writing = store.put('object', gated.source, {
      onProgress: (more) => {
        progress += more;
      },
    });
    await gated.reached;
    await until(() => requests().length >= 1);
    await blob.upload('faster', 6);
    gated.open();
    await writing;
    expect(await blob.downloadToBuffer()).toEqual(Buffer.from(bytes));
    expect(progress).toBe(bytes.byteLength);
  });

  test('with ifAbsent, it finds that the key exists', async () => {
    const { store, container, requests } = await openFaulty({ blockBytes: BLOCK });
    const blob = container.getBlockBlobClient('object');
    const gated = gatedSource(seededBytes(12, 4 * BLOCK));
    const writing = store.put('object', gated.source, { ifAbsent: true });
    await gated.reached;
    await until(() => requests().length >= 1);
    await blob.upload('faster', 6);
    gated.open();
    expect(await failureOf(writing)).toMatchObject({ kind: 'precondition', key: 'object' });
    expect(String(await blob.downloadToBuffer())).toBe('faster');
  });
});

describe('failures', () => {
  test.each([429, 503, 500])(
    '%s twice, then success: a block is sent again from memory',
    async (status) => {
      const { store, breakWith, requests, container } = await openFaulty({
        blockBytes: BLOCK,
        blocksInFlight: 1,
      });
      const fault = { type: 'status', status, retryAfterSeconds: 0 } as const;
      breakWith({ path: 'comp=block&', times: 2, fault }, { path: 'blocklist', times: 2, fault });
      const bytes = seededBytes(status, 2 * BLOCK);
      let read = 0;
      const source: SegmentSource = {
        ...memorySource(bytes),
        read(...args) {
          read += 1;
          return memorySource(bytes).read(...args);
        },
      };
      await store.put('object', source);
      expect(read).toBe(1);
      expect(requests().filter((request) => request === 'PUT block')).toHaveLength(4);
      expect(requests().filter((request) => request === 'PUT blocklist')).toHaveLength(3);
      expect(await container.getBlobClient('object').downloadToBuffer()).toEqual(
        Buffer.from(bytes),
      );
    },
  );

  test.each(['reset', 'cut-request'] as const)(
    'a connection that breaks (%s) does not break a put',
    async (type) => {
      const { store, breakWith, container } = await openFaulty({ blockBytes: BLOCK });
      breakWith({ times: 1, fault: { type, afterBytes: 1_000, reset: true } });
      await store.put('small', memorySource(seededBytes(14, 10_000)));
      breakWith({ skip: 1, times: 2, fault: { type, afterBytes: 1_000, reset: true } });
      await store.put('large', memorySource(seededBytes(15, 4 * BLOCK)));
      const sizes = ['small', 'large'].map(async (key) => {
        const { contentLength } = await container.getBlobClient(key).getProperties();
        return contentLength;
      });
      expect(await Promise.all(sizes)).toEqual([10_000, 4 * BLOCK]);
    },
  );

  test('when all attempts fail, nothing is visible and the failure can be tried again', async () => {
    const { store, breakWith, requests, container } = await openFaulty();
    breakWith({
      fault: { type: 'status', status: 503, headers: { 'x-ms-error-code': 'ServerBusy' } },
    });
    const failure = await failureOf(store.put('object', memorySource(seededBytes(16, 100))));
    expect(failure).toMatchObject({ kind: 'throttled', retryable: true, key: 'object' });
    expect(requests()).toHaveLength(QUICK_RETRIES.maxAttempts);
    expect(await container.getBlobClient('object').exists()).toBe(false);
  });

  test('an answer that comes before all bytes are sent is heard at once', async () => {
    const { store, breakWith, proxy } = await openFaulty({ blockBytes: 8 * 1024 * KIB });
    const headers = { 'x-ms-error-code': 'AuthorizationPermissionMismatch' };
    breakWith({ fault: { type: 'status', status: 403, headers, readBody: false } });
    const bytes = seededBytes(17, 8 * 1024 * KIB);
    expect(await failureOf(store.put('object', memorySource(bytes)))).toMatchObject({
      kind: 'denied',
    });
    expect(proxy.log).toHaveLength(1);
    await until(() => store.openConnections === 0);
  });
});

describe('lost answers', () => {
  test('a create whose answer was lost succeeds when the object is ours', async () => {
    const { store, breakWith, requests, container } = await openFaulty();
    breakWith({ method: 'PUT', times: 1, fault: { type: 'drop-response' } });
    await store.put('object', memorySource(seededBytes(18, 1_000)), { ifAbsent: true });
    expect(requests()).toEqual(['PUT', 'PUT', 'HEAD']);
    expect((await container.getBlobClient('object').getProperties()).contentLength).toBe(1_000);
  });

  test('the same of an object in blocks', async () => {
    const { store, breakWith, container } = await openFaulty({ blockBytes: BLOCK });
    breakWith({ path: 'blocklist', times: 1, fault: { type: 'drop-response', reset: true } });
    const bytes = seededBytes(19, 3 * BLOCK);
    await store.put('object', memorySource(bytes), { ifAbsent: true });
    expect(await container.getBlobClient('object').downloadToBuffer()).toEqual(Buffer.from(bytes));
  });

  test("somebody else's object is a conflict, also after a lost answer", async () => {
    const { store, breakWith, container } = await openFaulty();
    const blob = container.getBlockBlobClient('object');
    await blob.upload('theirs', 6, { metadata: { logloftupload: 'another' } });
    breakWith({ method: 'PUT', times: 1, fault: { type: 'drop-response' } });
    const writing = store.put('object', memorySource(seededBytes(20, 6)), { ifAbsent: true });
    expect(await failureOf(writing)).toMatchObject({ kind: 'precondition' });
    expect(String(await blob.downloadToBuffer())).toBe('theirs');
  });

  test('a replacement in blocks whose answer was lost is made again', async () => {
    const { store, breakWith, container } = await openFaulty({ blockBytes: BLOCK });
    const bytes = seededBytes(21, 3 * BLOCK);
    await store.put('object', memorySource(seededBytes(22, 3 * BLOCK)));
    breakWith({ path: 'blocklist', times: 1, fault: { type: 'drop-response' } });
    await store.put('object', memorySource(bytes));
    expect(await container.getBlobClient('object').downloadToBuffer()).toEqual(Buffer.from(bytes));
  });
});
