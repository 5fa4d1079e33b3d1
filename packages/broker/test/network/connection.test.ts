import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ManualClock, systemClock } from '@logloft/clock';
import { afterEach, expect, test, vi } from 'vitest';
import type { BrokerLogger } from '../../src/logger.ts';
import { ConnectionFault, type RequestProcessor } from '../../src/network/connection.ts';
import { Listener, type ListenerOptions } from '../../src/network/listener.ts';
import { type FramePool, ReceiveMemory } from '../../src/network/receive-memory.ts';
import type { OutgoingResponse } from '../../src/network/response-queue.ts';
import { BrokerStatistics } from '../../src/statistics/broker-statistics.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const listener of open.splice(0)) await listener.close();
});

class CountingPool implements FramePool {
  readonly totalBytes = Number.MAX_SAFE_INTEGER;
  out = 0;
  tryAllocate(size: number): Buffer {
    this.out += 1;
    return Buffer.allocUnsafeSlow(size);
  }
  allocate(size: number): Promise<Buffer> {
    return Promise.resolve(this.tryAllocate(size));
  }
  deallocate(): void {
    this.out -= 1;
  }
}

class RecordingLogger implements BrokerLogger {
  readonly lines: string[] = [];
  debug(): void {}
  info(): void {}
  warn(message: string): void {
    this.lines.push(message);
  }
  error(message: string): void {
    this.lines.push(message);
  }
}

const pool = new CountingPool();

async function listen(
  processor: RequestProcessor,
  options: Partial<ListenerOptions> & { clock?: ManualClock; logger?: RecordingLogger } = {},
): Promise<Listener> {
  const { clock, logger, ...rest } = options;
  const listener = await Listener.open(
    {
      name: 'PLAINTEXT',
      host: '127.0.0.1',
      port: 0,
      maxFrameBytes: 1024 * 1024,
      maxIdleMs: -1,
      maxConnections: 100,
      ...rest,
    },
    {
      clock: clock ?? systemClock,
      logger: logger ?? new RecordingLogger(),
      memory: new ReceiveMemory({ first: pool, large: pool }),
      processor,
      statistics: new BrokerStatistics(),
    },
  );
  open.push(listener);
  return listener;
}

function framed(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

function response(body: Buffer): OutgoingResponse {
  return { chunks: [framed(body)] };
}

/** Answers each frame with the same bytes. */
const echo: RequestProcessor = {
  process(frame) {
    const copy = Buffer.from(frame.bytes);
    frame.release();
    return response(copy);
  },
};

class Client {
  readonly socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #wake: () => void = () => undefined;
  ended = false;

  constructor(port: number) {
    this.socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    this.socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.ended = true;
      this.#wake();
    });
    this.socket.on('end', () => {
      this.ended = true;
      this.#wake();
    });
  }

  async frame(): Promise<Buffer> {
    for (;;) {
      if (this.#received.length >= 4) {
        const end = 4 + this.#received.readInt32BE(0);
        if (this.#received.length >= end) {
          const body = this.#received.subarray(4, end);
          this.#received = this.#received.subarray(end);
          return body;
        }
      }
      if (this.ended) throw new Error('the broker closed the connection');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async closed(): Promise<void> {
    while (!this.ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

test('answers leave in the order of the requests, whatever order they become ready in', async () => {
  const ready: (() => void)[] = [];
  const listener = await listen({
    process(frame) {
      const copy = Buffer.from(frame.bytes);
      frame.release();
      return new Promise((resolve) => {
        ready.push(() => resolve(copy[0] === 2 ? undefined : response(copy)));
        if (ready.length === 4) for (const answer of ready.reverse()) answer();
      });
    },
  });
  const client = new Client(listener.port);
  client.socket.write(Buffer.concat([1, 2, 3, 4].map((n) => framed(Buffer.from([n])))));
  expect([await client.frame(), await client.frame(), await client.frame()]).toEqual([
    Buffer.from([1]),
    Buffer.from([3]),
    Buffer.from([4]),
  ]);
  client.socket.destroy();
});

test('large and small frames go there and back, and all memory is given back', async () => {
  const listener = await listen(echo);
  const client = new Client(listener.port);
  const bodies = [1, 70_000, 3, 1_000_000, 65_536, 20].map((size, index) =>
    Buffer.alloc(size, index),
  );
  client.socket.write(Buffer.concat(bodies.map(framed)));
  for (const body of bodies) expect((await client.frame()).equals(body)).toBe(true);
  expect(pool.out).toBe(0);
  client.socket.destroy();
});

test('thousands of small requests in one write are all answered', async () => {
  const listener = await listen(echo);
  const client = new Client(listener.port);
  const count = 5000;
  const all = Array.from({ length: count }, (_, i) => framed(Buffer.from(String(i))));
  client.socket.write(Buffer.concat(all));
  for (let i = 0; i < count; i += 1) expect((await client.frame()).toString()).toBe(String(i));
  client.socket.destroy();
});

test('what a client sent before it ended its side is answered, then the connection ends', async () => {
  const listener = await listen({
    process(frame) {
      const copy = Buffer.from(frame.bytes);
      frame.release();
      return new Promise((resolve) => setImmediate(() => resolve(response(copy))));
    },
  });
  const client = new Client(listener.port);
  client.socket.end(framed(Buffer.from('last')));
  expect((await client.frame()).toString()).toBe('last');
  await client.closed();
});

test('a client that goes away aborts its parked request and nobody else', async () => {
  const parked: AbortSignal[] = [];
  const arrived: (() => void)[] = [];
  const listener = await listen({
    process(frame, { gone }) {
      frame.release();
      parked.push(gone);
      arrived.shift()?.();
      return new Promise((resolve) => {
        gone.addEventListener('abort', () => resolve(undefined), { once: true });
      });
    },
  });
  const both = Promise.all([0, 1].map(() => new Promise<void>((resolve) => arrived.push(resolve))));
  const clients = [new Client(listener.port), new Client(listener.port)];
  for (const client of clients) client.socket.write(framed(Buffer.from('x')));
  await both;
  const leaving = clients.find(() => true);
  leaving?.socket.destroy();
  await Promise.race(parked.map((signal) => once(signal, 'abort')));
  expect(parked.filter((signal) => signal.aborted)).toHaveLength(1);
  await vi.waitFor(() => expect(listener.connectionCount).toBe(1));
  for (const client of clients) client.socket.destroy();
});

test('a fault closes that connection alone, with one log line', async () => {
  const logger = new RecordingLogger();
  const listener = await listen(
    {
      process(frame, client) {
        if (frame.bytes[0] === 0xff) {
          frame.release();
          throw new ConnectionFault('the request is malformed', { api: 'Produce' });
        }
        return echo.process(frame, client);
      },
    },
    { logger },
  );
  const good = new Client(listener.port);
  const bad = new Client(listener.port);
  bad.socket.write(framed(Buffer.from([0xff])));
  await bad.closed();
  good.socket.write(framed(Buffer.from('still here')));
  expect((await good.frame()).toString()).toBe('still here');
  expect(logger.lines).toEqual(['Connection closed: the request is malformed']);
  good.socket.destroy();
});

test('a handler that fails unexpectedly costs its connection and is logged', async () => {
  const logger = new RecordingLogger();
  const listener = await listen(
    {
      process(frame) {
        frame.release();
        return Promise.reject(new TypeError('a bug'));
      },
    },
    { logger },
  );
  const client = new Client(listener.port);
  client.socket.write(framed(Buffer.from('x')));
  await client.closed();
  expect(logger.lines).toHaveLength(1);
  expect(pool.out).toBe(0);
});

test('a client that does not read its answers is no longer read itself, and loses nothing', async () => {
  let processed = 0;
  const big = Buffer.alloc(512 * 1024, 1);
  const listener = await listen({
    process(frame) {
      frame.release();
      processed += 1;
      return response(big);
    },
  });
  const client = new Client(listener.port);
  client.socket.pause();
  const count = 200;
  for (let i = 0; i < count; i += 1) client.socket.write(framed(Buffer.from([i])));
  await once(client.socket, 'ready');
  // Far fewer than all fit what the kernel buffers and the limit of unsent bytes hold.
  let before = -1;
  while (before !== processed) {
    before = processed;
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(processed).toBeLessThan(count / 2);
  client.socket.resume();
  for (let i = 0; i < count; i += 1) expect((await client.frame()).length).toBe(big.length);
  expect(processed).toBe(count);
  client.socket.destroy();
});

test('idle connections are closed after their time, parked ones are not, and no timer is left', async () => {
  const clock = new ManualClock();
  const listener = await listen(
    {
      process(frame, client) {
        if (frame.bytes.toString() !== 'park') return echo.process(frame, client);
        frame.release();
        return new Promise((resolve) => {
          client.gone.addEventListener('abort', () => resolve(undefined), { once: true });
        });
      },
    },
    { clock, maxIdleMs: 10_000 },
  );
  const idle = new Client(listener.port);
  const parked = new Client(listener.port);
  idle.socket.write(framed(Buffer.from('hello')));
  await idle.frame();
  parked.socket.write(framed(Buffer.from('hello')));
  await parked.frame();
  parked.socket.write(framed(Buffer.from('park')));
  await new Promise((resolve) => setTimeout(resolve, 20));
  clock.advance(12_000);
  await idle.closed();
  expect(listener.connectionCount).toBe(1);
  parked.socket.destroy();
  await listener.close();
  expect(clock.pendingTimers).toBe(0);
});

test('a taken port is an error that names the port and the remedy', async () => {
  const first = await listen(echo);
  await expect(listen(echo, { port: first.port })).rejects.toMatchObject({
    code: 'LOGLOFT_BROKER_PORT_IN_USE',
    message: expect.stringContaining(String(first.port)),
  });
});

test('more connections than allowed are refused and logged', async () => {
  const logger = new RecordingLogger();
  const listener = await listen(echo, { maxConnections: 1, logger });
  const first = new Client(listener.port);
  first.socket.write(framed(Buffer.from('a')));
  await first.frame();
  const second = new Client(listener.port);
  await second.closed();
  expect(logger.lines).toHaveLength(1);
  first.socket.destroy();
});
