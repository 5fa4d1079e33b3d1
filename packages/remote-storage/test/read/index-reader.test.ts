import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { memorySource, RemoteStorageError } from '../../src/index.ts';
import { IndexReader } from '../../src/read/index-reader.ts';
import { seededBytes } from './log-fixture.ts';

const PLACES = [
  { position: 0, size: 100 },
  { position: 100, size: 250 },
  { position: 350, size: 50 },
];

function setUp(objectBytes = 400) {
  const clock = new ManualClock();
  const reader = new IndexReader({ clock, maxBytes: 1_000, retentionMs: 60_000, timeoutMs: 500 });
  const bytes = seededBytes(1, objectBytes);
  const asked: string[] = [];
  const before: { answer: () => Promise<void> } = { answer: async () => undefined };
  const read = (place = PLACES[0] ?? { position: 0, size: 0 }, signal?: AbortSignal) => {
    const open = async ({ start, end = 0 }: { start: number; end?: number | undefined }) => {
      asked.push(`${start}-${end}`);
      await before.answer();
      return memorySource(bytes).read({ start, end });
    };
    const reading = reader.read({ object: 'k', objectBytes, place, open }, signal);
    reading.catch(() => undefined);
    return reading;
  };
  return { clock, reader, bytes, asked, before, read };
}

test('all indexes of a segment cost one request, also when they are asked for at one time', async () => {
  const { read, bytes, asked, reader } = setUp();
  const all = await Promise.all(PLACES.map((place) => read(place)));
  expect(all).toEqual(PLACES.map(({ position, size }) => bytes.slice(position, position + size)));
  await read(PLACES[1]);
  expect(asked).toEqual(['0-399']);
  expect(reader.stats()).toMatchObject({ entries: 1, bytes: 400, hits: 1, misses: 3, requests: 1 });
});

test('what the caller got is his: to change it changes nothing', async () => {
  const { read, bytes } = setUp();
  (await read()).fill(0);
  expect(await read()).toEqual(bytes.slice(0, 100));
});

test('of a large object only the part is read that is asked for', async () => {
  const { read, bytes, asked } = setUp(1024 * 1024 + 1);
  expect(await read({ position: 1_000_000, size: 10 })).toEqual(bytes.slice(1_000_000, 1_000_010));
  expect(asked).toEqual(['1000000-1000009']);
});

test('what takes too long is a time-out, never an empty index, and the next finds it (S1)', async () => {
  const { read, clock, before, asked, bytes } = setUp();
  before.answer = () => new Promise((resolve) => clock.setTimer(800, resolve));
  const first = read();
  await clock.advanceAsync(500);
  await expect(first).rejects.toMatchObject({ kind: 'timeout', retryable: true });
  await clock.advanceAsync(300);
  expect(await read()).toEqual(bytes.slice(0, 100));
  expect(asked).toHaveLength(1);
  expect(clock.pendingTimers).toBe(0);
});

test('whoever gives up leaves the read to the others', async () => {
  const { read, clock, before, bytes } = setUp();
  before.answer = () => new Promise((resolve) => clock.setTimer(100, resolve));
  const controller = new AbortController();
  const reason = new Error('enough');
  const [first, second] = [read(PLACES[0], controller.signal), read(PLACES[1])];
  controller.abort(reason);
  await expect(first).rejects.toBe(reason);
  await clock.advanceAsync(100);
  expect(await second).toEqual(bytes.slice(100, 350));
});

test('what was forgotten while it was read is not kept', async () => {
  const { read, clock, before, reader, asked } = setUp();
  before.answer = () => new Promise((resolve) => clock.setTimer(100, resolve));
  const first = read();
  reader.forget('k');
  await clock.advanceAsync(100);
  await first;
  expect(reader.stats().entries).toBe(0);
  const second = read();
  await clock.advanceAsync(100);
  await second;
  expect(asked).toHaveLength(2);
});

test('when another part of the object is damaged, the one that is asked for is still read', async () => {
  const { read, before, asked, bytes, reader } = setUp();
  before.answer = async () => {
    if (asked.length === 1) throw new RemoteStorageError('corrupt', 'too short');
  };
  expect(await read()).toEqual(bytes.slice(0, 100));
  expect(asked).toEqual(['0-399', '0-99']);
  expect(reader.stats().entries).toBe(0);
});

test('a failure is told, and not kept', async () => {
  const { read, before, bytes } = setUp();
  const denied = new RemoteStorageError('denied', 'no');
  before.answer = () => Promise.reject(denied);
  await expect(read()).rejects.toBe(denied);
  before.answer = async () => undefined;
  expect(await read()).toEqual(bytes.slice(0, 100));
});
