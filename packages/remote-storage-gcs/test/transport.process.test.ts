import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { ManualClock } from '@logloft/clock';
import { memorySource } from '@logloft/remote-storage';
import { describe, expect, test } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY } from './support/certificate.ts';
import {
  BUCKET,
  bytesOf,
  NO_RETRIES,
  openStore,
  openStub,
  PART_BYTES,
} from './support/open-store.ts';

const KEY = 'topic/segment.log';

describe('a call ends', () => {
  test('when no connection can be made in time', async () => {
    // Accepts, and never greets: the handshake of TLS waits for ever.
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => sockets.push(socket));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const clock = new ManualClock();
    const store = openStore(`https://127.0.0.1:${port}`, { connectTimeoutMs: 700 }, clock);
    const reading = expect(store.head(KEY)).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('waited for a connection for 700 ms'),
    });
    await once(silent, 'connection');
    clock.advance(700);
    await reading;
    for (const socket of sockets) socket.destroy();
    silent.close();
    await store.close();
  });

  test.each([
    ['a read', (store: ReturnType<typeof openStore>) => store.get(KEY)],
    ['a look-up', (store: ReturnType<typeof openStore>) => store.head(KEY)],
    [
      'an upload',
      (store: ReturnType<typeof openStore>) => store.put(KEY, memorySource(bytesOf(1, 9))),
    ],
  ])('when %s is not answered in time', async (_, call) => {
    const clock = new ManualClock();
    await using opened = await openStub(
      { firstByteTimeoutMs: 900, retryPolicy: NO_RETRIES },
      clock,
    );
    const { stub, store } = opened;
    const hanging = stub.failures.add({ action: { kind: 'hang' } });
    const calling = expect(call(store)).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('waited for an answer for 900 ms'),
    });
    await hanging.whenFired();
    clock.advance(900);
    await calling;
  });

  test('when a small answer stalls half-way', async () => {
    const clock = new ManualClock();
    await using opened = await openStub({ idleTimeoutMs: 800, retryPolicy: NO_RETRIES }, clock);
    const { stub, store } = opened;
    await store.put(KEY, memorySource(new Uint8Array(1)));
    stub.failures.add({ action: { kind: 'stall-answer', afterBytes: 5 } });
    let settled = false;
    const looking = store
      .head(KEY)
      .finally(() => {
        settled = true;
      })
      .catch((error: unknown) => error);
    await stepUntil(clock, () => settled);
    expect(await looking).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('received no byte for 800 ms'),
    });
  });

  test('when a store takes no byte of an upload any more', async () => {
    const clock = new ManualClock();
    await using server = await serve((request) => void request.pause());
    const store = openStore(
      server.url,
      { idleTimeoutMs: 600, retryPolicy: NO_RETRIES, partBytes: 128 * PART_BYTES },
      clock,
    );
    let settled = false;
    // More than the buffers of the system hold.
    const writing = store
      .put(KEY, memorySource(Buffer.alloc(128 * PART_BYTES)))
      .finally(() => {
        settled = true;
      })
      .catch((error: unknown) => error);
    await stepUntil(clock, () => settled);
    expect(await writing).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('sent no byte for 600 ms'),
    });
    await store.close();
  });

  test('when it waits for a connection that nobody gives back', async () => {
    const clock = new ManualClock();
    await using opened = await openStub({ idleTimeoutMs: 500, maxConnections: 1 }, clock);
    const { store } = opened;
    await store.put(KEY, memorySource(bytesOf(1, 4_000_000)));
    const kept = (await store.get(KEY))[Symbol.asyncIterator]();
    await kept.next();
    const waiting = expect(store.head(KEY)).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('waited for a free connection for 500 ms'),
    });
    await turn();
    clock.advance(500);
    await waiting;
    // The one that is read slowly is no silent one.
    await kept.next();
    await kept.return?.();
    expect((await store.head(KEY)).size).toBe(4_000_000);
  });

  test('when the store is closed', async () => {
    await using opened = await openStub();
    const { stub, store } = opened;
    const hanging = stub.failures.add({ action: { kind: 'hang' } });
    const calls = Promise.allSettled([store.get(KEY), store.head(KEY), store.delete([KEY])]);
    await hanging.whenFired(3);
    await store.close();
    for (const outcome of await calls) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'aborted' } });
    }
    while (store.connectionsInUse > 0) await turn();
  });
});

test('a kept connection that the store has closed meanwhile costs no failure', async () => {
  let requests = 0;
  await using server = await serve((request, answer) => {
    requests += 1;
    // The first request of each connection is answered; the next one finds it gone.
    if (served.has(request.socket)) {
      request.socket.destroy();
      return;
    }
    served.add(request.socket);
    answer.setHeader('content-type', 'application/json').end('{"name":"k","size":"7"}');
  });
  const served = new Set<Socket>();
  const store = openStore(server.url, { retryPolicy: NO_RETRIES });
  for (let round = 0; round < 5; round += 1) expect((await store.head(KEY)).size).toBe(7);
  expect(requests).toBeGreaterThan(5);
  await store.close();
});

test('credentials go to the store alone, wherever the address of an upload points', async () => {
  const seen: (readonly [string, string | undefined])[] = [];
  const resource = '{"size":"524288"}';
  await using elsewhere = await serve((request, answer) => {
    seen.push(['elsewhere', request.headers.authorization]);
    request.resume().once('end', () => {
      const whole = request.headers['content-range']?.endsWith('/524288');
      if (whole) answer.end(resource);
      else answer.writeHead(308, { range: 'bytes=0-262143' }).end();
    });
  });
  await using server = await serve((request, answer) => {
    seen.push(['store', request.headers.authorization]);
    request.resume().once('end', () => {
      answer.writeHead(200, { location: `${elsewhere.url}/session` }).end();
    });
  });
  const auth = {
    headers: async () => ({ authorization: 'Bearer secret' }),
    renew: async () => false,
  };
  const store = openStore(server.url, { auth });
  await store.put(KEY, memorySource(Buffer.alloc(2 * PART_BYTES)));
  expect(seen).toEqual([
    ['store', 'Bearer secret'],
    ['elsewhere', undefined],
    ['elsewhere', undefined],
  ]);
  await store.close();
});

describe('an upload does not believe', () => {
  test.each([
    ['a session without an address', {}],
    ['an address that is none', { location: 'nowhere' }],
    ['an address of a file', { location: 'file:///etc/passwd' }],
  ])('%s', async (_, headers) => {
    await using server = await serve((request, answer) => {
      request.resume().once('end', () => answer.writeHead(200, headers).end());
    });
    const store = openStore(server.url);
    const writing = store.put(KEY, memorySource(Buffer.alloc(2 * PART_BYTES)));
    await expect(writing).rejects.toMatchObject({ kind: 'unavailable', retryable: false });
    await store.close();
  });

  test.each([
    ['a range that is none', 308, { range: 'items=0-5' }, 'corrupt'],
    ['more bytes than it was sent', 308, { range: 'bytes=0-99999999' }, 'corrupt'],
    ['an end before the last part', 200, {}, 'corrupt'],
    ['a session that stays where it is', 308, {}, 'unavailable'],
  ])('%s', async (_, status, headers, kind) => {
    await using server = await serve((request, answer) => {
      request.resume().once('end', () => {
        if (request.method === 'POST') {
          answer.writeHead(200, { location: `${server.url}/session` }).end();
        } else answer.writeHead(status, headers).end();
      });
    });
    const store = openStore(server.url);
    const writing = store.put(KEY, memorySource(Buffer.alloc(3 * PART_BYTES)));
    await expect(writing).rejects.toMatchObject({ kind });
    await store.close();
  });
});

test('the time at the store is told whatever else it answers', async () => {
  const nowMs = Date.UTC(2026, 0, 1);
  const stubOptions = { token: 'secret', clock: new ManualClock({ startMs: nowMs }) };
  await using opened = await openStub({}, new ManualClock(), stubOptions);
  expect(await opened.store.serverTime()).toBe(nowMs);
});

test('TLS: a certificate must be trusted, by an agent where it is one’s own', async () => {
  await using opened = await openStub();
  const { stub } = opened;
  const secure = createTlsServer({ key: PRIVATE_KEY, cert: CERTIFICATE }, (socket) => {
    const plain = connect(stub.port, '127.0.0.1');
    socket.on('error', () => plain.destroy()).pipe(plain);
    plain.on('error', () => socket.destroy()).pipe(socket);
  });
  secure.on('tlsClientError', () => undefined);
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
  const wary = openStore(url);
  await expect(wary.head(KEY)).rejects.toMatchObject({
    kind: 'invalid-configuration',
    message: expect.stringContaining('not trusted'),
  });
  const agent = new SecureAgent({ ca: CERTIFICATE, keepAlive: true });
  const store = openStore(url, { agent });
  await store.put(KEY, memorySource(bytesOf(1, PART_BYTES)));
  expect(await store.head(KEY)).toEqual({ key: KEY, size: PART_BYTES });
  // The stub behind knows nothing of TLS, and sends uploads on in the clear.
  const large = store.put(KEY, memorySource(bytesOf(1, 2 * PART_BYTES)));
  await expect(large).rejects.toThrow('without a usable address');
  await wary.close();
  await store.close();
  // The agent is its owner's, and lives on.
  const again = openStore(url, { agent });
  expect((await again.head(KEY)).size).toBe(PART_BYTES);
  await again.close();
  agent.destroy();
  secure.close();
});

test('a bucket and an endpoint of one address work together', async () => {
  await using server = await serve((request, answer) => {
    expect(request.url).toBe(`/gcs/storage/v1/b/${BUCKET}/o/k?fields=name%2Csize`);
    answer.end('{"size":"3"}');
  });
  const store = openStore(`${server.url}/gcs/`);
  expect(await store.head('k')).toEqual({ key: 'k', size: 3 });
  await store.close();
});

interface Served extends AsyncDisposable {
  readonly url: string;
}

async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function stepUntil(clock: ManualClock, done: () => boolean): Promise<void> {
  while (!done()) {
    clock.advance(50);
    await turn();
  }
}
