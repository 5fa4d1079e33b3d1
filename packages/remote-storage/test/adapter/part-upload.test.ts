import { getEventListeners } from 'node:events';
import { crc32 } from 'node:zlib';
import { BufferPool } from '@logloft/bufferpool';
import { ManualClock, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import {
  memorySource,
  type Pacer,
  type PartUploadOptions,
  RemoteStorageError,
  type SegmentSource,
  type UploadPart,
  uploadParts,
} from '../../src/index.ts';
import { forEver } from '../map-object-store.ts';

const PART = 1_000;

type Tuning = Partial<Omit<PartUploadOptions, 'memory' | 'retry'>> & {
  readonly poolBytes?: number;
  readonly sizeClasses?: readonly number[];
};

/** An upload that keeps what it is sent. */
function upload(source: SegmentSource, tuning: Tuning = {}) {
  const { poolBytes = 4 * PART, sizeClasses, ...rest } = tuning;
  const clock = new ManualClock();
  const memory = new BufferPool(
    { totalBytes: poolBytes, poolableBytes: Math.min(PART, poolBytes), sizeClasses },
    { clock },
  );
  const sent: { part: UploadPart; bytes: Buffer }[] = [];
  const send = async (part: UploadPart): Promise<void> => {
    sent.push({ part, bytes: Buffer.from(part.bytes) });
  };
  const running = uploadParts(source, {
    partBytes: PART,
    maxInFlight: 3,
    send,
    ...rest,
    memory,
    retry: { clock, random: seededRandom(1) },
  });
  running.catch(() => undefined);
  return { clock, memory, sent, running };
}

function bytesOf(sent: readonly { readonly part: UploadPart; readonly bytes: Buffer }[]): Buffer {
  const ordered = [...sent].sort((a, b) => a.part.index - b.part.index);
  return Buffer.concat(ordered.map(({ bytes }) => bytes));
}

/** Gives slices out of one buffer that it overwrites, as a reader of files does. */
function reusingSource(bytes: Uint8Array, sliceBytes: () => number, size = bytes.byteLength) {
  const source: SegmentSource = {
    size,
    sizeIsBound: size !== bytes.byteLength,
    async *read() {
      const slab = Buffer.alloc(5_000);
      for (let at = 0; at < bytes.byteLength; ) {
        const slice = bytes.subarray(at, at + sliceBytes());
        slab.fill(0xee);
        slab.set(slice);
        yield slab.subarray(0, slice.byteLength);
        at += slice.byteLength;
      }
    },
  };
  return source;
}

test('the checksum of each part is made slice by slice, and is that of the part', async () => {
  const bytes = seededRandom(3).fill(new Uint8Array(3 * PART + 7));
  const longest: number[] = [];
  const { running, sent } = upload(
    reusingSource(bytes, () => 333),
    {
      checksum: (slice, before) => {
        longest.push(slice.byteLength);
        return crc32(slice, before);
      },
    },
  );
  await running;
  expect(sent.map(({ part }) => part.checksum)).toEqual(sent.map(({ bytes: part }) => crc32(part)));
  expect(Math.max(...longest)).toBeLessThanOrEqual(333);
});

test.each([0, 1, PART - 1, PART, PART + 1, 3 * PART, 3 * PART + 7, 9_999])(
  'a source of %i bytes arrives whole, in equal parts but for the last',
  async (size) => {
    const bytes = seededRandom(size).fill(new Uint8Array(size));
    const { running, sent, memory } = upload(memorySource(bytes));
    const parts = Math.max(1, Math.ceil(size / PART));
    await expect(running).resolves.toEqual({ bytes: size, parts });
    expect(bytesOf(sent).equals(bytes)).toBe(true);
    expect(sent.map(({ part }) => part.index)).toEqual([...Array(parts).keys()]);
    expect(sent.map(({ part }) => part.offset)).toEqual(
      [...Array(parts).keys()].map((i) => i * PART),
    );
    expect(sent.map(({ part }) => part.isLast)).toEqual(
      [...Array(parts).keys()].map((i) => i === parts - 1),
    );
    expect(sent.slice(0, -1).every(({ bytes: part }) => part.byteLength === PART)).toBe(true);
    expect(memory.stats().grantedBytes).toBe(0);
  },
);

test('whatever the slices, orders and failures are, the bytes arrive and the memory comes back (100 seeds)', async () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const random = seededRandom(seed);
    const size = randomBelow(random, 12_000);
    const bytes = random.fill(new Uint8Array(size));
    const bound = randomBelow(random, 2) === 0 ? size : size + randomBelow(random, 3_000);
    const source = reusingSource(bytes, () => 1 + randomBelow(random, 3_000), bound);
    const parts = new Map<number, Buffer>();
    let inFlight = 0;
    let mostInFlight = 0;
    const maxInFlight = 1 + randomBelow(random, 4);
    let progress = 0;
    const { clock, running, memory } = upload(source, {
      maxInFlight,
      poolBytes: (1 + randomBelow(random, 6)) * PART,
      onProgress: (more) => {
        progress += more;
      },
      send: async (part) => {
        inFlight += 1;
        mostInFlight = Math.max(mostInFlight, inFlight);
        const before = Buffer.from(part.bytes);
        await new Promise<void>((resolve) => clock.setTimer(randomBelow(random, 50), resolve));
        inFlight -= 1;
        // Its memory is the part's until it has settled.
        expect(before.equals(part.bytes)).toBe(true);
        if (randomBelow(random, 10) === 0) throw new RemoteStorageError('unavailable', 'passing');
        parts.set(part.index, before);
      },
    });
    let settled = false;
    running
      .finally(() => {
        settled = true;
      })
      .catch(() => undefined);
    for (let turn = 0; turn < 2_000 && !settled; turn += 1) await clock.advanceAsync(20);
    const outcome = await running.then(
      (value) => value,
      (error: unknown) => error,
    );
    // Three failures of one part in a row are rare, and then the upload has failed, as it should.
    if (outcome instanceof Error) expect(outcome).toMatchObject({ kind: 'unavailable' });
    else {
      expect(outcome).toEqual({ bytes: size, parts: Math.max(1, Math.ceil(size / PART)) });
      const whole = Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, part]) => part));
      expect(whole.equals(bytes), `seed ${seed}`).toBe(true);
      expect(progress).toBe(size);
    }
    expect(mostInFlight).toBeLessThanOrEqual(maxInFlight);
    expect(memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
    expect(clock.pendingTimers).toBe(0);
  }
});

test('a part that fails for good stops the others, and the upload rejects when the last has ended', async () => {
  const denied = new RemoteStorageError('denied', 'no');
  const ended = Promise.withResolvers<void>();
  let settled = false;
  const { running, memory, clock } = upload(memorySource(new Uint8Array(5 * PART)), {
    send: async (part, signal) => {
      if (part.index === 1) throw denied;
      if (part.index > 1) return;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await ended.promise;
      throw new Error('because of the abort');
    },
  });
  running.catch(() => {
    settled = true;
  });
  await clock.advanceAsync(0);
  expect(settled).toBe(false);
  ended.resolve();
  await expect(running).rejects.toBe(denied);
  expect(memory.stats().grantedBytes).toBe(0);
});

test('a failure that passes is repaired from memory, and the source is read once', async () => {
  let reads = 0;
  const source = memorySource(new Uint8Array(2 * PART).fill(7));
  const attempts: number[] = [];
  const { running, clock } = upload(
    {
      size: source.size,
      read: (range, options) => {
        reads += 1;
        return source.read(range, options);
      },
    },
    {
      send: async ({ index }) => {
        attempts.push(index);
        if (attempts.length < 3) throw new RemoteStorageError('throttled', 'slow down');
      },
    },
  );
  await clock.advanceAsync(5_000);
  await expect(running).resolves.toEqual({ bytes: 2 * PART, parts: 2 });
  expect(attempts).toHaveLength(4);
  expect(reads).toBe(1);
});

test.each([
  ['while the source does not answer', { hungSource: true }],
  ['while a part is being sent', { hungSend: true }],
  ['while the pacer holds back', { hungPacer: true }],
  ['while memory is waited for', { noMemory: true }],
] as const)('an abort %s ends the upload at once, and leaves nothing behind', async (_, hang) => {
  const set: Record<string, boolean> = { ...hang };
  const source: SegmentSource = {
    size: 3 * PART,
    async *read() {
      yield new Uint8Array(PART);
      if (set['hungSource']) await forEver();
      yield new Uint8Array(2 * PART);
    },
  };
  const controller = new AbortController();
  const { signal } = controller;
  const reason = new Error('enough');
  const pacer: Pacer = {
    take: (_bytes, options) =>
      new Promise((_resolve, reject) => {
        options.signal?.addEventListener('abort', () => reject(options.signal?.reason));
      }),
  };
  const { running, memory, clock } = upload(source, {
    signal,
    poolBytes: PART,
    pacer: set['hungPacer'] ? pacer : undefined,
    send: (_part, stop) =>
      set['hungSend']
        ? new Promise((_resolve, reject) => {
            stop.addEventListener('abort', () => reject(stop.reason));
          })
        : Promise.resolve(),
  });
  const other = set['noMemory'] ? memory.tryAllocate(PART) : undefined;
  await clock.advanceAsync(0);
  controller.abort(reason);
  await expect(running).rejects.toBe(reason);
  if (other !== undefined) memory.deallocate(other);
  expect(memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('the pacer is asked for each part once, and a slow one makes them smaller', async () => {
  const taken: number[] = [];
  const pacer = (sliceBytes: number): Pacer => ({
    sliceBytes,
    take: async (bytes) => void taken.push(bytes),
  });
  const source = memorySource(new Uint8Array(2_500));
  await upload(source, { pacer: pacer(4), minPartBytes: 500 }).running;
  expect(taken.splice(0)).toEqual([800, 800, 800, 100]);
  await upload(source, { pacer: pacer(1), minPartBytes: 500 }).running;
  expect(taken.splice(0)).toEqual([500, 500, 500, 500, 500]);
  await upload(source, { pacer: pacer(1_000) }).running;
  expect(taken).toEqual([PART, PART, 500]);
});

test('memory that comes in larger pieces than were asked for does not make larger parts', async () => {
  const bytes = seededRandom(3).fill(new Uint8Array(2_700));
  const { running, sent } = upload(memorySource(bytes), {
    partBytes: 600,
    poolBytes: 8 * PART,
    sizeClasses: [100],
  });
  await running;
  expect(sent.map(({ bytes: part }) => part.byteLength)).toEqual([600, 600, 600, 600, 300]);
  expect(bytesOf(sent).equals(bytes)).toBe(true);
});

test('ten uploads share memory for two parts, and all of them end', async () => {
  const clock = new ManualClock();
  const memory = new BufferPool({ totalBytes: 2 * PART, poolableBytes: PART }, { clock });
  const running = Array.from({ length: 10 }, (_, index) =>
    uploadParts(memorySource(new Uint8Array(4 * PART + index)), {
      partBytes: PART,
      maxInFlight: 4,
      memory,
      retry: { clock, random: seededRandom(index) },
      // Longer in all than a pool lets one wait unless told otherwise.
      send: () => new Promise((resolve) => clock.setTimer(10_000, resolve)),
    }),
  );
  await clock.advanceAsync(1_000_000);
  const sent = await Promise.all(running);
  expect(sent.map(({ bytes }) => bytes)).toEqual(running.map((_, index) => 4 * PART + index));
  expect(memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
});

test('a source that gives too little or too much is refused, and nothing is left', async () => {
  const liar = (size: number): SegmentSource => ({
    size,
    async *read() {
      yield new Uint8Array(1_500);
    },
  });
  for (const size of [1_499, 1_501]) {
    const { running, memory } = upload(liar(size));
    await expect(running).rejects.toMatchObject({ kind: 'corrupt' });
    expect(memory.stats().grantedBytes).toBe(0);
  }
});

test.each([
  ['parts of no bytes', { partBytes: 0 }],
  ['least parts of no bytes', { minPartBytes: 0 }],
  ['no part in flight', { maxInFlight: 0 }],
  ['more than the memory can ever hold', { poolBytes: 10 }],
] as const)('%s is refused', async (_, tuning) => {
  const { running } = upload(memorySource(new Uint8Array(100)), tuning);
  await expect(running).rejects.toMatchObject({ kind: 'invalid-configuration' });
});

test('an allocator that throws settles the upload', async () => {
  const clock = new ManualClock();
  const memory = new BufferPool(
    {
      totalBytes: PART,
      poolableBytes: PART,
      createBuffer: () => {
        throw new RangeError('Array buffer allocation failed');
      },
    },
    { clock },
  );
  const running = uploadParts(memorySource(new Uint8Array(10)), {
    partBytes: PART,
    maxInFlight: 1,
    memory,
    retry: { clock, random: seededRandom(1) },
    send: async () => undefined,
  });
  await expect(running).rejects.toMatchObject({ kind: 'unavailable', retryable: true });
  expect(memory.stats().grantedBytes).toBe(0);
});
