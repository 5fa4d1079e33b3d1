import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { ManualClock } from '@logloft/clock';
import { memorySource } from '@logloft/remote-storage';
import { seededBytes, startTcpFaultProxy } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import { AzureObjectStore } from '../src/index.ts';
import { ACCOUNT, ACCOUNT_KEY } from './support/azurite.ts';
import { openStore, silentContext } from './support/containers.ts';
import { faultyAzurite } from './support/faulty-azurite.ts';
import { failureOf, pass, turn, until } from './support/waiting.ts';

const MIB = 1024 * 1024;
const NEVER = 1_000_000_000;
const NO_RETRIES = {
  maxAttempts: 1,
  baseDelayMs: 1,
  throttledBaseDelayMs: 1,
  maxDelayMs: 1,
  maxRetryAfterMs: 0,
} as const;
const openFaulty = faultyAzurite();

/** Moves the clock to a ms before the limit, where nothing may happen, and then past it. */
async function trip(clock: ManualClock, limitMs: number, call: Promise<unknown>): Promise<string> {
  let isSettled = false;
  const failure = failureOf(call).finally(() => {
    isSettled = true;
  });
  clock.advance(limitMs - 1);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(isSettled).toBe(false);
  clock.advance(1);
  const { kind, retryable, message } = await failure;
  expect({ kind, retryable }).toEqual({ kind: 'timeout', retryable: true });
  return message;
}

describe('a client of our own', () => {
  test('a connection that is not made is given up after the connect time-out', async () => {
    const clock = new ManualClock();
    // Takes the connection, and says nothing to TLS.
    const proxy = await startTcpFaultProxy({
      target: 'http://127.0.0.1:1',
      faults: () => ({ type: 'silent' }),
    });
    const store = await openStore(
      {
        container: 'container',
        endpoint: `${proxy.url.replace('http:', 'https:')}/${ACCOUNT}`,
        connectTimeoutMs: 3_000,
        requestTimeoutMs: NEVER,
      },
      clock,
    );
    try {
      const asking = store.head('object');
      await until(() => proxy.log.length > 0);
      const message = await trip(clock, 3_000, asking);
      expect(message).toContain('found no connection for 3000 ms');
      expect(message).toContain('"object" in the container "container"');
    } finally {
      await store.close();
      await proxy.close();
    }
  });

  test('an answer that does not begin is given up after the answer time-out', async () => {
    const clock = new ManualClock();
    const settings = { answerTimeoutMs: 4_000, requestTimeoutMs: NEVER, retryPolicy: NO_RETRIES };
    const { store, breakWith, proxy } = await openFaulty(settings, clock);
    breakWith({ fault: { type: 'blackhole' } });
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.head('object'),
      () => store.get('object', { start: 1 }),
      () => store.put('object', memorySource(seededBytes(1, 1_000))),
      () => store.delete(['object']),
      () => store.delete(['object', 'other']),
      () => store.list()[Symbol.asyncIterator]().next(),
    ];
    for (const [index, call] of calls.entries()) {
      const asking = call();
      await until(() => proxy.log.length === index + 1);
      expect(await trip(clock, 4_000, asking)).toContain('got no answer for 4000 ms');
    }
    await until(() => proxy.log.every(({ outcome }) => outcome === 'client-gone'));
    await until(() => store.openConnections === 0);
  });

  test('a body that does not move is given up after the idle time-out', async () => {
    const clock = new ManualClock();
    const sockets = new Set<Socket>();
    // Takes connections, and reads nothing from them.
    const server = createServer({ pauseOnConnect: true }, (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const store = await openStore(
      {
        container: 'container',
        endpoint: `http://127.0.0.1:${port}/${ACCOUNT}`,
        idleTimeoutMs: 5_000,
        requestTimeoutMs: NEVER,
        retryPolicy: NO_RETRIES,
        blockBytes: 32 * MIB,
      },
      clock,
    );
    try {
      let moves = 0;
      const writing = store.put('object', memorySource(seededBytes(2, 32 * MIB)), {
        onProgress: (bytes) => {
          expect(bytes).toBe(0);
          moves += 1;
        },
      });
      await until(() => moves > 0);
      const failure = await pass(clock, 1_000, failureOf(writing));
      expect(failure).toMatchObject({ kind: 'timeout', retryable: true });
      expect(failure.message).toContain('stood still while it was sent for 5000 ms');
      await until(() => store.openConnections === 0);
    } finally {
      await store.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });

  test('a page of a listing that stops in the middle is given up after the idle time-out', async () => {
    const clock = new ManualClock();
    const settings = { idleTimeoutMs: 6_000, requestTimeoutMs: NEVER, retryPolicy: NO_RETRIES };
    const { store, breakWith, proxy } = await openFaulty(settings, clock);
    breakWith({ fault: { type: 'stall-response', afterBytes: 50 } });
    const listing = store.list()[Symbol.asyncIterator]().next();
    await until(() => proxy.log[0]?.responseBytes === 50);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect(await trip(clock, 6_000, listing)).toContain('was answered in part for 6000 ms');
  });

  test('a slow line is no dead one', async () => {
    const { store, breakWith } = await openFaulty();
    breakWith({ fault: { type: 'throttle', upBytesPerSecond: 20 * MIB } });
    let moves = 0;
    let done = 0;
    await store.put('object', memorySource(seededBytes(3, 8 * MIB)), {
      onProgress: (bytes) => {
        moves += 1;
        done += bytes;
      },
    });
    expect(done).toBe(8 * MIB);
    expect(moves).toBeGreaterThan(3);
  });
});

describe('a client that is there already', () => {
  const openReady = async (
    clock: ManualClock,
  ): Promise<Awaited<ReturnType<typeof openFaulty>> & { readonly ready: AzureObjectStore }> => {
    const opened = await openFaulty();
    const client = new BlobServiceClient(
      `${opened.proxy.url}/${ACCOUNT}`,
      new StorageSharedKeyCredential(ACCOUNT, ACCOUNT_KEY),
      { retryOptions: { maxTries: 1 } },
    );
    const { containerName: container } = opened.container;
    const options = { client, container, requestTimeoutMs: 9_000, retryPolicy: NO_RETRIES };
    return { ...opened, ready: new AzureObjectStore(options, silentContext(clock)) };
  };

  test('works as well, and is not closed with the store', async () => {
    const { ready, container, store } = await openReady(new ManualClock());
    const bytes = seededBytes(4, 20 * MIB);
    await ready.put('object', memorySource(bytes));
    await ready.close();
    expect((await store.head('object')).size).toBe(20 * MIB);
    expect(await container.getBlobClient('object').exists()).toBe(true);
    expect(await failureOf(ready.head('object'))).toMatchObject({ kind: 'aborted' });
  });

  test('its requests end after their deadline, and what they hold is freed', async () => {
    const clock = new ManualClock();
    const { ready, breakWith, proxy } = await openReady(clock);
    breakWith({ fault: { type: 'blackhole' } });
    const asking = ready.head('object');
    await until(() => proxy.log.length === 1);
    expect(await trip(clock, 9_000, asking)).toContain('did not end within 9000 ms');
    const writing = ready.put('object', memorySource(seededBytes(5, 160_000)));
    await until(() => proxy.log.length === 2);
    // A second for every 16,000 bytes.
    expect(await trip(clock, 9_000 + 10_000, writing)).toContain('did not end within 19000 ms');
    await until(() => proxy.log.every(({ outcome }) => outcome === 'client-gone'));
    await ready.close();
  });

  test('an answer that is cut is resumed there, too', async () => {
    const { ready, breakWith, container, requests } = await openReady(new ManualClock());
    const bytes = seededBytes(6, 3 * MIB);
    await container.getBlockBlobClient('object').uploadData(bytes);
    breakWith({ times: 1, fault: { type: 'truncate-response', afterBytes: MIB, reset: true } });
    const pieces: Uint8Array[] = [];
    for await (const piece of await ready.get('object')) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(requests()).toEqual(['GET', 'GET']);
    await ready.close();
  });
});
