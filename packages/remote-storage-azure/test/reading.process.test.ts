import { getEventListeners } from 'node:events';
import { ManualClock } from '@logloft/clock';
import { collectBytes } from '@logloft/remote-storage';
import { seededBytes } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import { faultyAzurite } from './support/faulty-azurite.ts';
import { failureOf, turn, until } from './support/waiting.ts';

const MIB = 1024 * 1024;
const openFaulty = faultyAzurite();

/** A store with one object, whose requests are counted from here on. */
async function withObject(
  bytes: Uint8Array,
  ...opening: Parameters<typeof openFaulty>
): Promise<Awaited<ReturnType<typeof openFaulty>>> {
  const opened = await openFaulty(...opening);
  await opened.container.getBlockBlobClient('object').uploadData(bytes);
  return opened;
}

async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.from(await collectBytes(pieces, 100 * MIB));
}

describe('requests', () => {
  test.each([
    { range: undefined, from: 0, to: 300_000 },
    { range: { start: 0 }, from: 0, to: 300_000 },
    { range: { start: 7, end: 99_999 }, from: 7, to: 100_000 },
    { range: { start: 299_999 }, from: 299_999, to: 300_000 },
    { range: { start: 0, end: Number.MAX_SAFE_INTEGER }, from: 0, to: 300_000 },
  ])('reading $range is exactly one request', async ({ range, from, to }) => {
    const bytes = seededBytes(1, 300_000);
    const { store, requests } = await withObject(bytes);
    const found = await whole(await store.get('object', range));
    expect(found.equals(bytes.subarray(from, to))).toBe(true);
    expect(requests()).toEqual(['GET']);
  });

  test('an empty object read whole has no bytes, and its ranges are bad', async () => {
    const { store } = await withObject(new Uint8Array(0));
    expect(await whole(await store.get('object'))).toHaveLength(0);
    for (const range of [{ start: 0 }, { start: 0, end: 5 }, { start: 1 }]) {
      expect(await failureOf(store.get('object', range))).toMatchObject({ kind: 'bad-range' });
    }
  });

  test('200 readers at once share a few connections', async () => {
    const bytes = seededBytes(2, 50_000);
    const { store, proxy } = await withObject(bytes, { maxConnections: 8 });
    const reading = Array.from({ length: 200 }, async (_, index) => {
      const found = await whole(await store.get('object', { start: index, end: 40_000 + index }));
      expect(found.equals(bytes.subarray(index, 40_001 + index))).toBe(true);
      expect(store.openConnections).toBeLessThanOrEqual(8);
    });
    await Promise.all(reading);
    expect(proxy.log).toHaveLength(200);
  });
});

describe('answers that are cut', () => {
  test.each([{ reset: false }, { reset: true }])(
    'a connection that is cut is not taken for an abort: the read goes on from the next byte ($reset)',
    async ({ reset }) => {
      const bytes = seededBytes(3, 4 * MIB);
      const { store, breakWith, requests } = await withObject(bytes);
      const fault = { type: 'truncate-response', afterBytes: MIB, reset } as const;
      breakWith({ method: 'GET', times: 2, fault });
      expect((await whole(await store.get('object'))).equals(bytes)).toBe(true);
      expect(requests()).toEqual(['GET', 'GET', 'GET']);
    },
  );

  test('one that is cut before anybody reads it does no harm', async () => {
    const bytes = seededBytes(4, 2 * MIB);
    const { store, breakWith, proxy } = await withObject(bytes);
    breakWith({ times: 1, fault: { type: 'truncate-response', afterBytes: 10, reset: true } });
    const pieces = await store.get('object', { start: 5 });
    await until(() => store.openConnections === 0);
    expect(proxy.log).toHaveLength(1);
    expect((await whole(pieces)).equals(bytes.subarray(5))).toBe(true);
  });

  test('one that falls silent is given up after the idle time, and asked for again', async () => {
    const clock = new ManualClock();
    const bytes = seededBytes(5, MIB);
    const { store, breakWith, proxy } = await withObject(bytes, { idleTimeoutMs: 7_000 }, clock);
    breakWith({ times: 1, fault: { type: 'stall-response', afterBytes: 1_000 } });
    const pieces = await store.get('object');
    await until(() => proxy.log[0]?.responseBytes === 1_000);
    const reading = whole(pieces);
    const startedMs = clock.monotonic();
    while (proxy.log.length < 2) {
      clock.advance(500);
      await turn();
    }
    expect(clock.monotonic() - startedMs).toBeGreaterThanOrEqual(7_000);
    expect((await reading).equals(bytes)).toBe(true);
    expect(proxy.log).toHaveLength(2);
  });

  test('an object that was replaced meanwhile is not mixed with its successor', async () => {
    const bytes = seededBytes(6, 2 * MIB);
    const { store, breakWith, container } = await withObject(bytes);
    breakWith({ times: 1, fault: { type: 'truncate-response', afterBytes: MIB } });
    const pieces = await store.get('object');
    await container.getBlockBlobClient('object').uploadData(seededBytes(7, 2 * MIB));
    expect(await failureOf(whole(pieces))).toMatchObject({ kind: 'corrupt', key: 'object' });
  });

  test('an object that was deleted meanwhile ends the read with an error', async () => {
    const { store, breakWith, container } = await withObject(seededBytes(8, 2 * MIB));
    breakWith({ times: 1, fault: { type: 'truncate-response', afterBytes: MIB } });
    const pieces = await store.get('object');
    await container.getBlockBlobClient('object').delete();
    // Azurite finds that the condition does not hold, the service that there is nothing.
    expect(['not-found', 'corrupt']).toContain((await failureOf(whole(pieces))).kind);
  });

  test.each([-1_000, 1_000])('a length that is off by %d is noticed', async (offByBytes) => {
    const { store, breakWith } = await withObject(seededBytes(9, 100_000));
    breakWith({ fault: { type: 'wrong-length', offByBytes } });
    for (const range of [undefined, { start: 0 }, { start: 10, end: 50_000 }]) {
      const failure = await failureOf(store.get('object', range).then(whole));
      expect(failure).toMatchObject({ kind: 'corrupt', key: 'object' });
    }
  });
});

describe('readers that leave', () => {
  test('500 downloads that are dropped half-read leave no connection', async () => {
    const { store, proxy } = await withObject(seededBytes(10, MIB), { maxConnections: 50 });
    const drop = async (index: number): Promise<void> => {
      const pieces = await store.get('object');
      const iterator = pieces[Symbol.asyncIterator]();
      // Some leave before the first piece.
      if (index % 3 > 0) await iterator.next();
      await iterator.return?.();
    };
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => drop(index)));
    }
    expect(proxy.log).toHaveLength(500);
    await until(() => store.openConnections === 0);
    await until(() => proxy.log.every(({ outcome }) => outcome !== 'open'));
  });

  test('an abort while the answer is awaited, or read, ends the request', async () => {
    const { store, breakWith, proxy } = await withObject(seededBytes(11, 2 * MIB));
    const reason = new Error('no longer wanted');
    breakWith(
      { times: 1, fault: { type: 'blackhole' } },
      { fault: { type: 'stall-response', afterBytes: 1_000 } },
    );
    const early = new AbortController();
    const asking = store.get('object', undefined, { signal: early.signal });
    await until(() => proxy.log.length === 1);
    early.abort(reason);
    await expect(asking).rejects.toBe(reason);

    const late = new AbortController();
    const pieces = await store.get('object', undefined, { signal: late.signal });
    late.abort(reason);
    await expect(whole(pieces)).rejects.toBe(reason);
    await until(() => proxy.log.every(({ outcome }) => outcome === 'client-gone'));
    await until(() => store.openConnections === 0);
  });

  test('closing the store ends what is being read', async () => {
    const { store, breakWith, proxy } = await withObject(seededBytes(12, 2 * MIB));
    breakWith({ fault: { type: 'stall-response', afterBytes: 1_000 } });
    const reading = whole(await store.get('object'));
    const failure = failureOf(reading);
    await store.close();
    expect(await failure).toMatchObject({ kind: 'aborted', retryable: false });
    await until(() => proxy.log[0]?.outcome === 'client-gone');
    expect(store.openConnections).toBe(0);
  });

  test('600 calls on one signal leave the number of its listeners as it was', async () => {
    const { store } = await withObject(seededBytes(13, 10));
    const { signal } = new AbortController();
    let most = 0;
    for (let round = 0; round < 20; round += 1) {
      const calls = Array.from({ length: 10 }, async () => {
        await failureOf(store.get('missing', undefined, { signal }));
        await store.head('object', { signal });
        await whole(await store.get('object', undefined, { signal }));
      });
      await Promise.all(calls);
      most = Math.max(most, getEventListeners(signal, 'abort').length);
    }
    expect(most).toBe(0);
  });
});
