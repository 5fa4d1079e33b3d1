import { getEventListeners } from 'node:events';
import { ManualClock } from '@logloft/clock';
import { collectBytes, memorySource } from '@logloft/remote-storage';
import { seededBytes } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import {
  BUCKET,
  failureOf,
  openStubStore,
  PART_BYTES,
  type StubStore,
} from './support/stub-store.ts';

const SIZE = 4 * 1024 * 1024;

async function readAll(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.from(await collectBytes(pieces, 64 * 1024 * 1024));
}

async function withObject(
  options: Parameters<typeof openStubStore>[0] = {},
  size: number = SIZE,
): Promise<StubStore & { readonly bytes: Buffer }> {
  const opened = await openStubStore(options);
  const bytes = seededBytes(1, size);
  await opened.store.put('object', memorySource(bytes));
  opened.stub.requests.reset();
  return { ...opened, bytes: Buffer.from(bytes) };
}

describe('a read', () => {
  test('of a range is exactly one request, without a HEAD before', async () => {
    const { stub, store, bytes } = await withObject();
    const found = await readAll(await store.get('object', { start: 1_000, end: 1_999_999 }));
    expect(found.equals(bytes.subarray(1_000, 2_000_000))).toBe(true);
    expect(stub.requests.all.map(({ operation }) => operation)).toEqual(['GetObject']);
  });

  test('that is cut goes on from the byte where it stopped, of the same version', async () => {
    const { stub, store, bytes } = await withObject();
    const cut = stub.failures.add({
      operation: 'GetObject',
      times: 2,
      action: { kind: 'truncate-answer', afterBytes: 1024 * 1024, reset: true },
    });
    const asked: (string | undefined)[] = [];
    stub.failures.add({
      operation: 'GetObject',
      match: ({ headers }) => {
        asked.push(headers.get('range'), headers.get('if-match'));
        return false;
      },
      action: { kind: 'hang' },
    });
    const found = await readAll(await store.get('object', { start: 5 }));
    expect(found.equals(bytes.subarray(5))).toBe(true);
    expect(cut.fired).toBe(2);
    expect(asked[0]).toMatch(/^bytes=\d+-4194303$/);
    expect(asked[1]).toBe(`"${stub.object(BUCKET, 'object')?.etag}"`);
  });

  test('that is cut after the object was replaced is corrupt, never a mixture', async () => {
    const { stub, store } = await withObject();
    stub.failures.add({
      operation: 'GetObject',
      times: 1,
      action: { kind: 'truncate-answer', afterBytes: 1024 * 1024 },
    });
    const pieces = await store.get('object');
    await store.put('object', memorySource(seededBytes(2, SIZE)));
    expect(await failureOf(readAll(pieces))).toMatchObject({ kind: 'corrupt', key: 'object' });
  });

  test('that falls silent is asked for again', async () => {
    const clock = new ManualClock();
    const { stub, store, bytes } = await withObject({ clock });
    const half = SIZE / 2;
    stub.failures.add({
      operation: 'GetObject',
      times: 1,
      action: { kind: 'stall-answer', afterBytes: half },
    });
    const pieces = (await store.get('object'))[Symbol.asyncIterator]();
    const found: Buffer[] = [];
    const take = ({ value }: IteratorResult<Uint8Array>): void =>
      void found.push(Buffer.from(value));
    while (Buffer.concat(found).byteLength < half) take(await pieces.next());
    const next = pieces.next();
    // The reader is waiting now, and nobody will come.
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(30_000);
    for (let result = await next; !result.done; result = await pieces.next()) take(result);
    expect(Buffer.concat(found).equals(bytes)).toBe(true);
    expect(stub.requests.count('GetObject')).toBe(2);
  });

  test('of a whole object that was altered in the bucket is corrupt, and names both checksums', async () => {
    const { stub, store, bytes } = await withObject({}, 1_000);
    const damaged = Buffer.from(bytes);
    damaged[500] = (damaged[500] ?? 0) ^ 1;
    const checksum = stub.object(BUCKET, 'object')?.checksum?.value ?? '';
    stub.failures.add({
      operation: 'GetObject',
      action: {
        kind: 'answer',
        status: 200,
        body: damaged,
        headers: {
          'Content-Length': '1000',
          ETag: '"x"',
          'x-amz-checksum-crc32': checksum,
          'x-amz-checksum-type': 'FULL_OBJECT',
        },
      },
    });
    const failure = await failureOf(readAll(await store.get('object')));
    expect(failure).toMatchObject({ kind: 'corrupt', key: 'object' });
    expect(String(failure)).toContain(checksum);
    const unchecked = await withObject({ verifyReads: false }, 1_000);
    expect(await readAll(await unchecked.store.get('object'))).toHaveLength(1_000);
  });

  test('of a large object is compared with the checksum of the whole, too', async () => {
    const { stub, store, bytes } = await withObject({}, PART_BYTES + 5);
    let mode: string | undefined;
    stub.failures.add({
      operation: 'GetObject',
      match: ({ headers }) => {
        mode = headers.get('x-amz-checksum-mode');
        return false;
      },
      action: { kind: 'hang' },
    });
    expect((await readAll(await store.get('object'))).equals(bytes)).toBe(true);
    expect(mode).toBe('ENABLED');
    await readAll(await store.get('object', { start: 0, end: 99 }));
    expect(mode).toBeUndefined();
  });

  test.each([
    ['other bytes than were asked for', { 'Content-Range': 'bytes 1-100/4194304' }, 206],
    ['the whole object instead of a range', {}, 200],
  ])('that is answered with %s is corrupt', async (_, headers, status) => {
    const { stub, store } = await withObject();
    stub.failures.add({
      operation: 'GetObject',
      action: { kind: 'answer', status, body: new Uint8Array(100), headers },
    });
    const failure = await failureOf(store.get('object', { start: 0, end: 99 }));
    expect(failure).toMatchObject({ kind: 'corrupt' });
  });
});

describe('connections', () => {
  test('of 500 downloads that were dropped half-read are closed', async () => {
    const { store, proxy } = await withObject({ counted: true }, 1024 * 1024);
    for (let round = 0; round < 50; round += 1) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const pieces = await store.get('object', { start: index });
          const iterator = pieces[Symbol.asyncIterator]();
          if (round % 2 === 0) await iterator.next();
          await iterator.return?.();
        }),
      );
    }
    expect(proxy?.made).toBeGreaterThan(400);
    await proxy?.whenOpen(1);
    expect(await readAll(await store.get('object', { start: 0, end: 9 }))).toHaveLength(10);
  });

  test('of 60 reads that nobody looks at are not needed for the next one, once they are dropped', async () => {
    const { store } = await withObject({ connection: { maxConnections: 60 } });
    const unread = await Promise.all(Array.from({ length: 60 }, () => store.get('object')));
    for (const pieces of unread) await pieces[Symbol.asyncIterator]().return?.();
    expect(await readAll(await store.get('object', { start: 0, end: 9 }))).toHaveLength(10);
  });

  test('are as many as allowed for 200 reads at one time', async () => {
    const { store, proxy, bytes } = await withObject({
      counted: true,
      connection: { maxConnections: 16 },
    });
    const found = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const range = { start: index * 1_000, end: index * 1_000 + 9_999 };
        return (await readAll(await store.get('object', range))).equals(
          bytes.subarray(range.start, range.end + 1),
        );
      }),
    );
    expect(found.every(Boolean)).toBe(true);
    expect(proxy?.most).toBeLessThanOrEqual(16);
  });

  test('are closed with the store, and reads under way end', async () => {
    const { store, proxy } = await withObject({ counted: true });
    const iterator = (await store.get('object'))[Symbol.asyncIterator]();
    await iterator.next();
    await store.close();
    const rest = async (): Promise<void> => {
      for (;;) if ((await iterator.next()).done) return;
    };
    expect(await failureOf(rest())).toMatchObject({ kind: 'aborted' });
    await proxy?.whenOpen(0);
  });

  test('that cannot be had in time are a time-out that says so', async () => {
    const { store } = await withObject({
      connection: { maxConnections: 1 },
      idleTimeoutMs: 50,
      requestTimeoutMs: 5_000,
    });
    const held = await store.get('object');
    const failure = await failureOf(store.head('object'));
    expect(failure).toMatchObject({ kind: 'timeout' });
    expect(String(failure)).toContain('connections');
    await held[Symbol.asyncIterator]().return?.();
    expect((await store.head('object')).size).toBe(SIZE);
  });
});

describe('signals', () => {
  test('a read is ended while the store does not answer', async () => {
    const { stub, store } = await withObject();
    const hanging = stub.failures.add({ operation: 'GetObject', action: { kind: 'hang' } });
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const failure = failureOf(store.get('object', undefined, { signal: controller.signal }));
    await hanging.whenFired();
    controller.abort(reason);
    expect(await failure).toBe(reason);
    await stub.idle();
  });

  test('10,000 calls on one signal leave nothing on it', async () => {
    const { stub, store } = await withObject({}, 100);
    const { signal } = new AbortController();
    for (let round = 0; round < 9_900; round += 1) {
      await failureOf(store.get('object', { start: 5, end: 4 }, { signal }));
    }
    for (let round = 0; round < 100; round += 1) {
      await readAll(await store.get('object', { start: 0, end: 9 }, { signal }));
    }
    expect(stub.requests.count('GetObject')).toBe(100);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
