import { getEventListeners } from 'node:events';
import { BufferPool } from '@logloft/bufferpool';
import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { collectBytes } from '../../src/index.ts';
import type { LogRange } from '../../src/read/chunk-stream.ts';
import type { SegmentLog } from '../../src/read/segment-log.ts';
import {
  bytesOf,
  CHUNK,
  cachedReader,
  plainLog,
  readerOf,
  seededBytes,
  storedLog,
} from './log-fixture.ts';

const LOG = seededBytes(1, 20 * CHUNK + 500);

function ofLog({ start, length }: LogRange, log: Uint8Array = LOG): Uint8Array {
  return log.slice(start, start + length);
}

test('a fetch that timed out is found in the cache by the next one: one request in all (S1)', async () => {
  const setUp = cachedReader({ timeoutMs: 500 });
  setUp.store.trouble = () => ({ waitMs: 800 });
  const log = setUp.add('a', storedLog(LOG));
  const range = { start: 100, length: 50 };
  const first = bytesOf(setUp, log, range);
  first.catch(() => undefined);
  await setUp.clock.advanceAsync(500);
  await expect(first).rejects.toMatchObject({ kind: 'timeout', retryable: true, key: 'a' });
  const second = bytesOf(setUp, log, range);
  await setUp.clock.advanceAsync(300);
  expect(await second).toEqual(ofLog(range));
  expect(await bytesOf(setUp, log, range)).toEqual(ofLog(range));
  expect(setUp.store.asked).toHaveLength(1);
  expect(setUp.reader.counters).toMatchObject({ timeouts: 1, cancelled: 0 });
  expect(setUp.reader.abandonedBytes).toBe(0);
  expect(setUp.clock.pendingTimers).toBe(0);
});

test('a wait is too long only when no byte moves, however long the transfer takes', async () => {
  const setUp = cachedReader({ timeoutMs: 500 });
  const log = setUp.add('a', plainLog(LOG));
  const slow = log.open;
  const slowLog: SegmentLog = {
    ...log,
    open: async (range, signal) => {
      const pieces = await slow(range, signal);
      return (async function* () {
        for await (const piece of pieces) {
          await new Promise<void>((resolve) => setUp.clock.setTimer(400, resolve));
          yield piece;
        }
      })();
    },
  };
  const reading = bytesOf(setUp, slowLog, { start: 0, length: 900 });
  await setUp.clock.advanceAsync(5_000);
  expect(await reading).toEqual(LOG.slice(0, 900));
});

test('a store that never answers is a time-out, and everything is free again (S6)', async () => {
  for (const afterBytes of [undefined, 500]) {
    const setUp = readerOf({ timeoutMs: 1_000 });
    setUp.store.trouble = () => ({
      kind: 'hang',
      ...(afterBytes === undefined ? {} : { afterBytes }),
    });
    const log = setUp.add('a', storedLog(LOG));
    const reading = bytesOf(setUp, log, { start: 0, length: 2_000 });
    reading.catch(() => undefined);
    await setUp.clock.advanceAsync(1_000);
    await expect(reading).rejects.toMatchObject({ kind: 'timeout' });
    await setUp.clock.advanceAsync(0);
    expect(setUp.memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
    expect(setUp.store.open).toBe(0);
    expect(setUp.clock.pendingTimers).toBe(0);
  }
});

test('a hundred cancelled fetches are no errors, and leave nothing (S2)', async () => {
  const setUp = cachedReader();
  setUp.store.trouble = () => ({ waitMs: 50 });
  const log = setUp.add('a', storedLog(LOG));
  const reason = new Error('the consumer gave up');
  const signals: AbortSignal[] = [];
  for (let round = 0; round < 100; round += 1) {
    const controller = new AbortController();
    signals.push(controller.signal);
    const reading = bytesOf(
      setUp,
      log,
      { start: (round * 100) % 15_000, length: 700 },
      controller.signal,
    );
    reading.catch(() => undefined);
    await setUp.clock.advanceAsync(round % 7);
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  }
  await setUp.clock.advanceAsync(1_000);
  expect(setUp.reader.counters).toMatchObject({ cancelled: 100, loadFailures: 0, timeouts: 0 });
  for (const signal of signals) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  await setUp.cache.close();
  expect(setUp.memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
  expect(setUp.store.open).toBe(0);
  expect(setUp.clock.pendingTimers).toBe(0);
});

test('loads that nobody waits for go on up to a bound, and end beyond it', async () => {
  const setUp = cachedReader({ maxAbandonedBytes: 5 * CHUNK });
  setUp.store.trouble = () => ({ waitMs: 100 });
  const leave = async (name: string, chunks: number): Promise<void> => {
    const log = setUp.add(name, plainLog(LOG));
    const controller = new AbortController();
    const reading = bytesOf(setUp, log, { start: 0, length: chunks * CHUNK }, controller.signal);
    reading.catch(() => undefined);
    await setUp.clock.advanceAsync(1);
    controller.abort();
    await reading.catch(() => undefined);
  };
  await leave('a', 3);
  expect(setUp.reader.abandonedBytes).toBe(3 * CHUNK);
  await leave('b', 3);
  await setUp.clock.advanceAsync(0);
  expect(setUp.reader.abandonedBytes).toBe(3 * CHUNK);
  expect(setUp.reader.counters.endedLoads).toBe(1);
  await leave('c', 2);
  expect(setUp.reader.abandonedBytes).toBe(5 * CHUNK);
  await setUp.clock.advanceAsync(200);
  expect(setUp.reader.abandonedBytes).toBe(0);
  expect(setUp.cache.stats().entries).toBe(5);
  expect(setUp.store.open).toBe(0);
});

test('without a cache a load ends when the last who waits for it leaves', async () => {
  const setUp = readerOf();
  setUp.store.trouble = () => ({ waitMs: 100 });
  const log = setUp.add('a', plainLog(LOG));
  const controllers = [new AbortController(), new AbortController()];
  const reads = controllers.map(({ signal }) =>
    bytesOf(setUp, log, { start: 0, length: 10 }, signal),
  );
  for (const read of reads) read.catch(() => undefined);
  await setUp.clock.advanceAsync(1);
  controllers[0]?.abort();
  await setUp.clock.advanceAsync(1);
  expect(setUp.store.open).toBe(1);
  controllers[1]?.abort();
  await setUp.clock.advanceAsync(1);
  expect(setUp.store.open).toBe(0);
  expect(setUp.store.asked).toHaveLength(1);
  expect(setUp.clock.pendingTimers).toBe(0);
});

test('readers that stop in the middle of a chunk keep it, and the others go past them', async () => {
  const setUp = cachedReader({
    cacheChunks: 2,
    memoryBytes: 8 * (CHUNK + 1),
    coalesceBytes: 2 * CHUNK,
  });
  const log = setUp.add('a', storedLog(LOG));
  const paused = await Promise.all(
    [0, 5_000, 10_000].map(async (start) => {
      const stream = await setUp.reader.read(log, { start, length: 100 });
      return { start, stream };
    }),
  );
  expect(await bytesOf(setUp, log, { start: 15_000, length: 4_000 })).toEqual(
    LOG.slice(15_000, 19_000),
  );
  expect(setUp.cache.stats().bypassed).toBeGreaterThan(0);
  for (const { start, stream } of paused) {
    expect(await collectBytes(stream, 100)).toEqual(LOG.slice(start, start + 100));
  }
  await setUp.cache.close();
  expect(setUp.memory.stats().grantedBytes).toBe(0);
});

test('memory that all readers need is waited for, and everybody gets through', async () => {
  const setUp = readerOf({ memoryBytes: 3 * (CHUNK + 1), coalesceBytes: 2 * (CHUNK + 1) });
  const logs = Array.from({ length: 8 }, (_, index) => setUp.add(`log-${index}`, storedLog(LOG)));
  const whole = { start: 0, length: LOG.byteLength };
  for (const bytes of await Promise.all(logs.map((log) => bytesOf(setUp, log, whole)))) {
    expect(bytes).toEqual(LOG);
  }
  expect(setUp.memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
});

test('a chunk that no memory could hold says which setting to change', async () => {
  for (const options of [{ memoryBytes: CHUNK }, { maxChunkBytes: CHUNK }]) {
    const setUp = readerOf(options);
    const log = setUp.add('a', storedLog(LOG));
    await expect(bytesOf(setUp, log, { start: 0, length: 1 })).rejects.toMatchObject({
      kind: 'invalid-configuration',
      message: expect.stringContaining('fetch.memory.size'),
    });
  }
});

test('what the reader was given is not changed by what comes after it', async () => {
  const setUp = cachedReader({ cacheChunks: 1, memoryBytes: 2 * (CHUNK + 1) });
  const log = setUp.add('a', storedLog(LOG));
  const controller = new AbortController();
  const stream = await setUp.reader.read(
    log,
    { start: 0, length: 900 },
    { signal: controller.signal },
  );
  const { value } = await stream[Symbol.asyncIterator]().next();
  controller.abort();
  for (const start of [5_000, 6_000, 7_000, 8_000])
    await bytesOf(setUp, log, { start, length: 900 });
  // Whoever was stopped may still be at work on it.
  expect(Uint8Array.from(value ?? [])).toEqual(LOG.slice(0, 900));
});

test('a closed reader ends what is under way, and refuses what comes', async () => {
  const setUp = readerOf();
  setUp.store.trouble = () => ({ kind: 'hang' });
  const log = setUp.add('a', plainLog(LOG));
  const reading = bytesOf(setUp, log, { start: 0, length: 10 });
  reading.catch(() => undefined);
  await setUp.clock.advanceAsync(0);
  await setUp.reader.close();
  await expect(reading).rejects.toMatchObject({ kind: 'aborted' });
  await expect(bytesOf(setUp, log, { start: 0, length: 10 })).rejects.toMatchObject({
    kind: 'aborted',
  });
  expect(setUp.memory.stats().grantedBytes).toBe(0);
  expect(setUp.clock.pendingTimers).toBe(0);
});

test('memory of chunks is exactly what was released when everybody has gone', async () => {
  const clock = new ManualClock();
  // Strict: a second release of the same buffer throws.
  const memory = new BufferPool({ totalBytes: 40 * CHUNK, poolableBytes: CHUNK }, { clock });
  const setUp = readerOf({ clock, memory });
  const log = setUp.add('a', plainLog(LOG));
  const stream = await setUp.reader.read(log, { start: 0, length: 5_000 });
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
  await iterator.return?.();
  await setUp.clock.advanceAsync(0);
  expect(memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
});
