import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { BufferPool } from '@logloft/bufferpool';
import { ManualClock } from '@logloft/clock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../src/logger.ts';
import { Listener } from '../../src/network/listener.ts';
import { type FramePool, ReceiveMemory } from '../../src/network/receive-memory.ts';
import { BrokerStatistics } from '../../src/statistics/broker-statistics.ts';

const MEMORY_BYTES = 64 * 1024;
let clock: ManualClock;
let memory: ReceiveMemory;
let listener: Listener;
let sockets: Socket[];
let frames: number;

beforeEach(async () => {
  clock = new ManualClock();
  frames = 0;
  sockets = [];
  memory = new ReceiveMemory({ first: framePool(), large: framePool() });
  listener = await Listener.open(
    {
      name: 'PLAINTEXT',
      host: '127.0.0.1',
      port: 0,
      maxFrameBytes: MEMORY_BYTES,
      maxIdleMs: -1,
      maxConnections: 10,
    },
    {
      clock,
      logger: silentLogger,
      memory,
      processor: {
        process(frame) {
          frames += 1;
          frame.release();
          return undefined;
        },
      },
      statistics: new BrokerStatistics(),
    },
  );
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await listener.close();
});

function framePool(): FramePool {
  const pool = new BufferPool({ totalBytes: MEMORY_BYTES, poolableBytes: 4096 }, { clock });
  return {
    totalBytes: MEMORY_BYTES,
    tryAllocate: (size) => pool.tryAllocate(size),
    allocate: (size, options) =>
      pool.allocate(size, { ...options, maxBlockMs: Number.POSITIVE_INFINITY }),
    deallocate: (buffer) => pool.deallocate(buffer),
  };
}

/** Sends a frame of `size` bytes, or as much of it as `sent` says. */
async function send(size: number, sent = size): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: listener.port });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const bytes = Buffer.alloc(4 + sent);
  bytes.writeInt32BE(size);
  socket.write(bytes);
  return socket;
}

test('who stops in the middle of a request keeps its memory only until others wait for it too long', async () => {
  const hung = await send(60_000, 10_000);
  const closed = once(hung, 'close');
  await vi.waitFor(() => expect(listener.connectionCount).toBe(1));
  await clock.advanceAsync(60_000);
  expect(listener.connectionCount).toBe(1);

  await send(20_000);
  await vi.waitFor(() => expect(memory.starved).toBe(true));
  expect(frames).toBe(0);
  await clock.advanceAsync(10_000);
  await closed;
  await vi.waitFor(() => expect(frames).toBe(1));
  expect(listener.connectionCount).toBe(1);
});

test('who goes on sending is not closed, however slow it is, nor who waits for memory itself', async () => {
  const slow = await send(60_000, 10_000);
  await vi.waitFor(() => expect(listener.connectionCount).toBe(1));
  await send(20_000);
  await vi.waitFor(() => expect(memory.starved).toBe(true));
  for (let round = 0; round < 10; round += 1) {
    const before = slow.bytesWritten;
    slow.write(Buffer.alloc(10));
    await vi.waitFor(() => expect(slow.bytesWritten).toBe(before + 10));
    await clock.advanceAsync(20_000);
    expect(listener.connectionCount).toBe(2);
  }
  slow.write(Buffer.alloc(50_000 - 100));
  await vi.waitFor(() => expect(frames).toBe(2));
});
