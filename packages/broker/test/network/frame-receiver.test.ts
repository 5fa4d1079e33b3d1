import { randomBelow, seededRandom } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { FrameReceiver, type ReceivedFrame } from '../../src/network/frame-receiver.ts';
import { type FramePool, ReceiveMemory } from '../../src/network/receive-memory.ts';

/** A pool of a byte budget that answers waiters in order, and knows what is out. */
class BudgetPool implements FramePool {
  free: number;
  readonly total: number;
  readonly totalBytes: number;
  readonly #waiters: { size: number; give: (buffer: Buffer) => void }[] = [];

  constructor(total: number) {
    this.total = total;
    this.totalBytes = total;
    this.free = total;
  }

  tryAllocate(size: number): Buffer | undefined {
    if (this.#waiters.length > 0 || size > this.free) return undefined;
    this.free -= size;
    return Buffer.allocUnsafeSlow(size);
  }

  allocate(size: number, options: { signal?: AbortSignal | undefined } = {}): Promise<Buffer> {
    const now = this.tryAllocate(size);
    if (now !== undefined) return Promise.resolve(now);
    return new Promise((resolve, reject) => {
      const waiter = { size, give: resolve };
      this.#waiters.push(waiter);
      options.signal?.addEventListener('abort', () => {
        const at = this.#waiters.indexOf(waiter);
        if (at < 0) return;
        this.#waiters.splice(at, 1);
        reject(options.signal?.reason);
        this.#serve();
      });
    });
  }

  deallocate(buffer: Buffer): void {
    this.free += buffer.length;
    this.#serve();
  }

  #serve(): void {
    for (;;) {
      const head = this.#waiters[0];
      if (head === undefined || head.size > this.free) return;
      this.#waiters.shift();
      this.free -= head.size;
      head.give(Buffer.allocUnsafeSlow(head.size));
    }
  }
}

/** One pool for both shares, so that all that is out can be seen. */
function memoryOf(pool: BudgetPool): ReceiveMemory {
  return new ReceiveMemory({ first: pool, large: pool });
}

interface Harness {
  readonly receiver: FrameReceiver;
  readonly frames: ReceivedFrame[];
  readonly malformed: string[];
  readable: number;
  takes: boolean;
}

function harness(memory: ReceiveMemory, maxFrameBytes = 8 * 1024 * 1024): Harness {
  const state: Omit<Harness, 'receiver'> & { receiver?: FrameReceiver } = {
    frames: [],
    malformed: [],
    readable: 0,
    takes: true,
  };
  const receiver = new FrameReceiver(
    memory,
    { maxFrameBytes },
    {
      onFrame: (frame) => {
        state.frames.push(frame);
        return state.takes;
      },
      onMalformed: (reason) => state.malformed.push(reason),
      onReadable: () => {
        state.readable += 1;
      },
    },
  );
  return Object.assign(state, { receiver });
}

/** Sends bytes as a socket would: into the buffer asked for, and only while reading is on. */
function feed(receiver: FrameReceiver, bytes: Buffer, at: number, most: number): number {
  const target = receiver.nextBuffer();
  const length = Math.min(target.length, bytes.length - at, most);
  bytes.copy(target, 0, at, at + length);
  receiver.accept(target, length);
  return at + length;
}

/** A client that sends only while its socket is being read. */
class FeedingClient {
  readonly state: Harness;
  readonly #stream: Buffer;
  #at = 0;
  #stoppedAfter = -1;

  constructor(state: Harness, stream: Buffer) {
    this.state = state;
    this.#stream = stream;
  }

  get reading(): boolean {
    return this.#stoppedAfter < this.state.readable;
  }

  releaseAll(): void {
    for (const frame of this.state.frames) frame.release();
  }

  feed(most: number): void {
    if (!this.reading || this.#at >= this.#stream.length) return;
    const target = this.state.receiver.nextBuffer();
    const length = Math.min(target.length, this.#stream.length - this.#at, most);
    this.#stream.copy(target, 0, this.#at, this.#at + length);
    this.#at += length;
    const goesOn = this.state.receiver.accept(target, length);
    if (!goesOn) this.#stoppedAfter = this.state.readable;
  }
}

function framed(...bodies: Buffer[]): Buffer {
  return Buffer.concat(
    bodies.flatMap((body) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(body.length);
      return [length, body];
    }),
  );
}

describe('cutting into frames', () => {
  test('frames of any size come out whole and in order, however the bytes are split', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seededRandom(seed);
      const pool = new BudgetPool(64 * 1024 * 1024);
      const { receiver, frames } = harness(memoryOf(pool));
      const sizes = [1, 3, 4, 5, 100, 16_383, 65_535, 65_536, 65_537, 200_000, 1_500_000];
      const bodies = Array.from({ length: 12 }, () =>
        random.fill(Buffer.alloc(sizes[randomBelow(random, sizes.length)] ?? 1)),
      );
      const stream = framed(...bodies);
      let at = 0;
      while (at < stream.length) {
        at = feed(receiver, stream, at, 1 + randomBelow(random, 200_000));
      }
      expect(frames.length, `seed ${seed}`).toBe(bodies.length);
      frames.forEach((frame, index) => {
        expect(frame.bytes.equals(bodies[index] ?? Buffer.alloc(0)), `seed ${seed}`).toBe(true);
        frame.release();
        frame.release();
      });
      expect(pool.free, `seed ${seed}`).toBe(pool.total);
    }
  });

  test('a length out of range ends the connection and takes no memory', () => {
    for (const length of [0, -1, -2_147_483_648, 2_147_483_647, 1001]) {
      const pool = new BudgetPool(1024 * 1024);
      const { receiver, frames, malformed } = harness(memoryOf(pool), 1000);
      const bytes = Buffer.alloc(8);
      bytes.writeInt32BE(length);
      expect(receiver.accept(bytes, 8)).toBe(false);
      expect(malformed).toHaveLength(1);
      expect(malformed[0]).toContain(String(length));
      expect(frames).toHaveLength(0);
      expect(pool.free).toBe(pool.total);
      expect(receiver.accept(bytes, 8)).toBe(false);
      expect(malformed).toHaveLength(1);
    }
  });

  test('a client that speaks TLS or HTTP is told apart', () => {
    for (const [first, word] of [
      [Buffer.from([0x16, 0x03, 0x01, 0x02]), 'TLS'],
      [Buffer.from('GET / HTTP/1.1'), 'HTTP'],
    ] as const) {
      const { receiver, malformed } = harness(memoryOf(new BudgetPool(1024)));
      receiver.accept(first, first.length);
      expect(malformed[0]).toContain(word);
    }
  });

  test('a frame that claims much but sends little reserves little', () => {
    const pool = new BudgetPool(64 * 1024 * 1024);
    const { receiver } = harness(memoryOf(pool));
    const bytes = Buffer.alloc(1000);
    bytes.writeInt32BE(8 * 1024 * 1024);
    receiver.accept(bytes, bytes.length);
    expect(pool.total - pool.free).toBeLessThanOrEqual(64 * 1024);
    expect(receiver.midFrame).toBe(true);
    receiver.close();
    expect(pool.free).toBe(pool.total);
  });
});

describe('back-pressure', () => {
  test('when memory is exhausted reading stops, and goes on where it stopped once there is room', async () => {
    const pool = new BudgetPool(100);
    const held = pool.tryAllocate(80) ?? Buffer.alloc(0);
    const state = harness(memoryOf(pool));
    const stream = framed(Buffer.alloc(50, 1), Buffer.alloc(10, 2), Buffer.alloc(20, 3));
    expect(state.receiver.accept(stream, stream.length)).toBe(false);
    expect(state.frames).toHaveLength(0);
    pool.deallocate(held);
    await settle();
    expect(state.frames.map(({ bytes }) => bytes.length)).toEqual([50, 10, 20]);
    expect(state.readable).toBe(1);
  });

  test('an owner that is busy is given no further frame until it asks', () => {
    const state = harness(memoryOf(new BudgetPool(1000)));
    state.takes = false;
    const stream = framed(Buffer.alloc(5, 1), Buffer.alloc(6, 2), Buffer.alloc(7, 3));
    expect(state.receiver.accept(stream, stream.length)).toBe(false);
    expect(state.frames).toHaveLength(1);
    state.receiver.proceed();
    expect(state.frames).toHaveLength(2);
    expect(state.readable).toBe(0);
    state.takes = true;
    state.receiver.proceed();
    expect(state.frames).toHaveLength(3);
    expect(state.readable).toBe(1);
  });

  test('frames that hold a first buffer and all wait for a larger one do not wait for ever', async () => {
    const size = 300_000;
    const pool = new BudgetPool(4 * 64 * 1024);
    const memory = memoryOf(pool);
    const clients = Array.from({ length: 4 }, (_, index) => {
      return new FeedingClient(harness(memory), framed(Buffer.alloc(size, index)));
    });
    // Each fills its first buffer; then no memory is left, and every one of them wants more.
    for (const client of clients) client.feed(65_536);
    for (const client of clients) client.feed(8);
    expect(clients.filter(({ reading }) => reading)).toHaveLength(1);
    for (let turn = 0; turn < 40; turn += 1) {
      for (const client of clients) client.feed(100_000);
      for (const client of clients) client.releaseAll();
      await settle();
    }
    expect(clients.map(({ state }) => state.frames[0]?.bytes.length)).toEqual([
      size,
      size,
      size,
      size,
    ]);
    expect(pool.free).toBe(pool.total);
  });

  test('a connection that closes while it waits gives everything back and lets the next one go on', async () => {
    const pool = new BudgetPool(64 * 1024);
    const memory = memoryOf(pool);
    const first = harness(memory);
    const second = harness(memory);
    const stream = framed(Buffer.alloc(60_000, 7));
    first.receiver.accept(stream, 1000);
    expect(second.receiver.accept(stream, stream.length)).toBe(false);
    const third = harness(memory);
    expect(third.receiver.accept(stream, stream.length)).toBe(false);
    second.receiver.close();
    first.receiver.close();
    await settle();
    expect(third.frames).toHaveLength(1);
    third.frames[0]?.release();
    expect(pool.free).toBe(pool.total);
    expect(memory.starved).toBe(false);
  });
});

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
