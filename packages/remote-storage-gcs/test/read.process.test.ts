import { getEventListeners } from 'node:events';
import { ManualClock, systemClock } from '@logloft/clock';
import { GuardedObjectStore, memorySource } from '@logloft/remote-storage';
import { contextWith } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import { BUCKET, bytesOf, FAST_RETRIES, openStub, readAll } from './support/open-store.ts';

const KEY = 'topic/segment.log';
const SIZE = 3_000_000;

describe('reading', () => {
  test('a range is exactly one request', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const bytes = bytesOf(1, SIZE);
    await store.put(KEY, memorySource(bytes));
    stub.requests.reset();
    const read = await readAll(store, KEY, { start: 1_000, end: 1_000_999 });
    expect(read.equals(bytes.subarray(1_000, 1_001_000))).toBe(true);
    expect(stub.requests.counts()).toEqual(new Map([['objects.download', 1]]));
  });

  // S66: a reset while the body was read was never retried. The SDK falls silent after the FIN.
  test.each([
    ['cut', { kind: 'truncate-answer', afterBytes: 1_000_000 } as const],
    ['reset', { kind: 'truncate-answer', afterBytes: 1_000_000, reset: true } as const],
  ])(
    'an answer that is %s goes on from the next byte, of the same generation',
    async (_, action) => {
      await using opened = await openStub();
      const { stub, store } = opened;
      const bytes = bytesOf(1, SIZE);
      await store.put(KEY, memorySource(bytes));
      const [object] = stub.objects(BUCKET);
      for (const range of [undefined, { start: 7 }, { start: 7, end: SIZE - 2 }]) {
        stub.requests.reset();
        const cuts = stub.failures.add({ operation: 'objects.download', times: 2, action });
        const read = await readAll(store, KEY, range);
        expect(cuts.fired).toBe(2);
        expect(read.equals(bytes.subarray(range?.start ?? 0, (range?.end ?? SIZE) + 1))).toBe(true);
        const paths = stub.requests.of('objects.download').map(({ path }) => path);
        expect(paths).toHaveLength(3);
        for (const path of paths.slice(1)) {
          expect(path).toContain(`generation=${object?.generation}`);
        }
      }
    },
  );

  test('an answer that falls silent goes on over another connection', async () => {
    const clock = new ManualClock();
    await using opened = await openStub({ idleTimeoutMs: 5_000 }, clock);
    const { stub, store } = opened;
    const bytes = bytesOf(1, SIZE);
    await store.put(KEY, memorySource(bytes));
    stub.failures.add({
      operation: 'objects.download',
      times: 1,
      action: { kind: 'stall-answer', afterBytes: 1_000_000 },
    });
    const pieces = await store.get(KEY);
    const kept: Uint8Array[] = [];
    let received = 0;
    const reading = (async () => {
      for await (const piece of pieces) {
        kept.push(piece);
        received += piece.byteLength;
      }
    })();
    await eventually(() => received === 1_000_000);
    await advanceUntil(clock, reading);
    expect(Buffer.concat(kept).equals(bytes)).toBe(true);
    expect(stub.requests.count('objects.download')).toBe(2);
  });

  test('an object that is replaced while it is read is never mixed with the new one', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    await store.put(KEY, memorySource(bytesOf(1, SIZE)));
    const action = { kind: 'truncate-answer', afterBytes: 1_000_000 } as const;
    stub.failures.add({ operation: 'objects.download', times: 1, action });
    const iterator = (await store.get(KEY))[Symbol.asyncIterator]();
    await iterator.next();
    await store.put(KEY, memorySource(bytesOf(2, SIZE)));
    const rest = (async () => {
      while (!(await iterator.next()).done);
    })();
    await expect(rest).rejects.toMatchObject({ kind: 'corrupt', key: KEY });
  });

  test('an object that is read whole is compared with its checksum, a range is not', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const headers = { 'x-goog-hash': 'crc32c=AAAAAA==,md5=AAAA', 'x-goog-generation': '1' };
    const action = { kind: 'answer', status: 200, headers, body: bytesOf(1, 1_000) } as const;
    stub.failures.add({ operation: 'objects.download', action });
    await expect(readAll(store, KEY)).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining('AAAAAA=='),
    });
    await using unchecked = await openStub({ verifyReads: false });
    unchecked.stub.failures.add({ operation: 'objects.download', action });
    expect((await readAll(unchecked.store, KEY)).equals(bytesOf(1, 1_000))).toBe(true);
  });

  test('a range that starts beyond the end is bad, and a malformed one is not even asked for', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    await store.put(KEY, memorySource(bytesOf(1, 10)));
    await store.put('empty', memorySource(new Uint8Array(0)));
    const bad = { kind: 'bad-range' };
    await expect(store.get(KEY, { start: 10 })).rejects.toMatchObject(bad);
    await expect(store.get('empty', { start: 0 })).rejects.toMatchObject(bad);
    stub.requests.reset();
    await expect(store.get(KEY, { start: 5, end: 4 })).rejects.toMatchObject(bad);
    await expect(store.get(KEY, { start: -1 })).rejects.toMatchObject(bad);
    expect(stub.requests.length).toBe(0);
    expect(await readAll(store, 'empty')).toHaveLength(0);
    expect((await readAll(store, KEY, { start: 9, end: 1_000 })).byteLength).toBe(1);
  });

  test.each([
    ['the whole object', { status: 200, headers: {} }],
    ['another range', { status: 206, headers: { 'content-range': 'bytes 1-10/100' } }],
    ['a range of another length', { status: 206, headers: { 'content-range': 'bytes 0-8/100' } }],
    ['a range it does not tell', { status: 206, headers: {} }],
  ])('a store that gives %s for a range is not believed', async (_, answer) => {
    await using opened = await openStub();
    const { stub, store } = opened;
    stub.failures.add({ action: { kind: 'answer', body: bytesOf(1, 10), ...answer } });
    const reading = store.get(KEY, { start: 0, end: 9 });
    await expect(reading).rejects.toMatchObject({ kind: 'unavailable', retryable: false });
    await eventually(() => store.connectionsInUse === 0);
  });

  test.each([
    ['packed', { 'content-encoding': 'gzip' }],
    ['shortened', { 'x-goog-stored-content-length': '11' }],
  ])('bytes that something on the way has %s are not taken for the object', async (_, headers) => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const body = bytesOf(1, 10);
    stub.failures.add({ action: { kind: 'answer', status: 200, headers, body } });
    await expect(store.get(KEY)).rejects.toMatchObject({ kind: 'unavailable', retryable: false });
  });

  // S74: connections leaked when a download was dropped.
  test('500 downloads that are dropped half-read leave no connection', async () => {
    await using opened = await openStub();
    const { store } = opened;
    await store.put(KEY, memorySource(bytesOf(1, 1_000_000)));
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const iterator = (await store.get(KEY))[Symbol.asyncIterator]();
          // Some are not even begun.
          if (index % 2 === 0) await iterator.next();
          await iterator.return?.();
        }),
      );
    }
    await eventually(() => store.connectionsInUse === 0);
    expect((await store.head(KEY)).size).toBe(1_000_000);
  });

  test('200 reads at once share eight connections', async () => {
    await using opened = await openStub({ maxConnections: 8 });
    const { store } = opened;
    const bytes = bytesOf(1, 1_000_000);
    await store.put(KEY, memorySource(bytes));
    let most = 0;
    const reads = Array.from({ length: 200 }, async (_, index) => {
      const start = index * 4_000;
      const read = await readAll(store, KEY, { start, end: start + 9_999 });
      most = Math.max(most, store.connectionsInUse);
      return read.equals(bytes.subarray(start, start + 10_000));
    });
    expect(await Promise.all(reads)).toEqual(reads.map(() => true));
    expect(most).toBeLessThanOrEqual(8);
  });

  // S75: listeners piled up on a long-lived signal.
  test('thousands of calls with one signal leave no listener on it', async () => {
    await using opened = await openStub();
    const { store } = opened;
    await store.put(KEY, memorySource(bytesOf(1, 10)));
    const { signal } = new AbortController();
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          if (index % 2 === 0) await store.head('missing', { signal }).catch(() => undefined);
          else for await (const _piece of await store.get(KEY, undefined, { signal }));
        }),
      );
      expect(getEventListeners(signal, 'abort').length).toBe(0);
    }
  });

  // S76.
  test('a 429 and a 503 before the answer are tried again by the layer that guards every store', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    await store.put(KEY, memorySource(bytesOf(1, 10)));
    const guarded = new GuardedObjectStore(store, contextWith(systemClock, 1), {
      retryPolicy: FAST_RETRIES,
    });
    for (const operation of ['objects.download', 'objects.get']) {
      for (const status of [429, 503]) {
        stub.failures.add({ operation, times: 1, action: { kind: 'answer', status } });
      }
    }
    expect((await readAll(guarded, KEY)).equals(bytesOf(1, 10))).toBe(true);
    expect((await guarded.head(KEY)).size).toBe(10);
  });

  test('aborting ends a read at once, also while its answer is awaited', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const hanging = stub.failures.add({ action: { kind: 'hang' } });
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const { signal } = controller;
    const calls = [
      store.get(KEY, undefined, { signal }),
      store.head(KEY, { signal }),
      store.delete(['a', 'b', 'c'], { signal }),
      store.list({ signal })[Symbol.asyncIterator]().next(),
    ];
    const outcomes = Promise.allSettled(calls);
    await hanging.whenFired(6);
    controller.abort(reason);
    for (const outcome of await outcomes) expect(outcome).toEqual({ status: 'rejected', reason });
    await eventually(() => store.connectionsInUse === 0);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('listing', () => {
  test('pages of a thousand come in the byte order of their keys, each when it is asked for', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const keys = Array.from({ length: 1_001 }, (_, index) => `k/${String(index).padStart(5, '0')}`);
    for (let at = 0; at < keys.length; at += 100) {
      const some = keys.slice(at, at + 100);
      await Promise.all(some.map((key) => store.put(key, memorySource(new Uint8Array(1)))));
    }
    stub.requests.reset();
    // The second page fails at first.
    const action = { kind: 'answer', status: 503 } as const;
    stub.failures.add({ operation: 'objects.list', skip: 1, times: 1, action });
    const found: string[] = [];
    for await (const { key } of store.list({ prefix: 'k/' })) {
      if (found.length === 0) expect(stub.requests.count('objects.list')).toBe(1);
      found.push(key);
    }
    expect(found).toEqual(keys);
    expect(stub.requests.count('objects.list')).toBe(3);
    stub.requests.reset();
    for await (const _ of store.list()) break;
    expect(stub.requests.count('objects.list')).toBe(1);
  });

  test.each([
    ['no JSON', '<html>'],
    ['no list', '{"items": {}}'],
    ['an object without a name', '{"items": [{"size": "1"}]}'],
    ['a size that is no number', '{"items": [{"name": "a", "size": "1e99"}]}'],
    ['a page that repeats', '{"nextPageToken": "again"}'],
  ])('an answer that is %s is an error, and no endless loop', async (_, body) => {
    await using opened = await openStub();
    const { stub, store } = opened;
    stub.failures.add({ action: { kind: 'answer', status: 200, body } });
    const listing = (async () => {
      for await (const _ of store.list());
    })();
    await expect(listing).rejects.toMatchObject({ kind: 'unavailable', retryable: false });
  });
});

describe('deleting', () => {
  test('many keys go in parallel, within the bound, each tried again on its own', async () => {
    await using opened = await openStub({ deleteConcurrency: 4 });
    const { stub, store } = opened;
    const keys = Array.from({ length: 50 }, (_, index) => `k/${index}`);
    await Promise.all(keys.map((key) => store.put(key, memorySource(new Uint8Array(1)))));
    const action = { kind: 'answer', status: 503 } as const;
    stub.failures.add({ operation: 'objects.delete', key: 'k/15', times: 2, action });
    await store.delete([...keys, 'missing', 'k/1']);
    expect(stub.objects(BUCKET)).toEqual([]);
    // Fifty, the missing one, and two again; the key that came twice went once.
    expect(stub.requests.count('objects.delete')).toBe(53);
    stub.requests.reset();
    const hanging = stub.failures.add({ action: { kind: 'hang' } });
    const controller = new AbortController();
    const deleting = store.delete(keys, { signal: controller.signal });
    const outcome = expect(deleting).rejects.toThrow('no longer wanted');
    await hanging.whenFired(4);
    controller.abort(new Error('no longer wanted'));
    await outcome;
    expect(stub.requests.count('objects.delete')).toBe(4);
  });

  test('one key that cannot be deleted does not keep the others', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const keys = ['a', 'b', 'c', 'd'];
    await Promise.all(keys.map((key) => store.put(key, memorySource(new Uint8Array(1)))));
    stub.failures.add({ key: 'b', action: { kind: 'answer', status: 403 } });
    await expect(store.delete(keys)).rejects.toMatchObject({ kind: 'denied', key: 'b' });
    expect(stub.objects(BUCKET).map(({ key }) => key)).toEqual(['b']);
  });
});

test('keys that are long or odd reach the store as they are', async () => {
  await using opened = await openStub();
  const { stub, store } = opened;
  const keys = [
    'constructor',
    '__proto__',
    "a b/+%20&?#=;:@!'()*,$",
    '%2e%2e/..a/...',
    'ключ/鍵/🗝',
    'o/a/o',
    `${'x'.repeat(500)}/${'y'.repeat(523)}`,
  ];
  for (const key of keys) await store.put(key, memorySource(Buffer.from(key)));
  expect(new Set(stub.objects(BUCKET).map(({ key }) => key))).toEqual(new Set(keys));
  for (const key of keys) {
    expect((await readAll(store, key)).toString()).toBe(key);
    expect(await store.head(key)).toEqual({ key, size: Buffer.byteLength(key) });
  }
  await store.delete(keys);
  expect(stub.objects(BUCKET)).toEqual([]);
  const acme = store.head('.well-known/acme-challenge/x');
  await expect(acme).rejects.toMatchObject({ kind: 'invalid-configuration' });
});

/** Turns the event loop until something holds; a test that waits for ever fails by its time limit. */
async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

async function advanceUntil(clock: ManualClock, done: Promise<unknown>): Promise<void> {
  let settled = false;
  void done.finally(() => {
    settled = true;
  });
  while (!settled) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await done;
}
