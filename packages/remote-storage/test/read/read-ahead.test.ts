import { expect, test } from 'vitest';
import { ReadAhead } from '../../src/read/read-ahead.ts';
import { bytesOf, CHUNK, cachedReader, plainLog, seededBytes, storedLog } from './log-fixture.ts';

const LOG = seededBytes(1, 64 * CHUNK);
const { places } = plainLog(LOG);

/** What is loaded ahead of somebody who reads these chunks, one after the other. */
function spans(readAhead: ReadAhead, chunks: readonly number[]): (string | undefined)[] {
  return chunks.map((chunk) => {
    const cursor = readAhead.begin('a', chunk);
    const span = readAhead.advance(cursor, places, { chunk, wantedTo: chunk });
    return span && `${span.first}-${span.last}`;
  });
}

test('the window doubles from one chunk to the largest with each chunk that is read', () => {
  const readAhead = new ReadAhead({ maxWindowBytes: 8 * CHUNK });
  expect(spans(readAhead, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])).toEqual([
    undefined,
    '2-2',
    '3-4',
    '5-7',
    '8-12',
    undefined,
    undefined,
    undefined,
    '13-16',
    undefined,
  ]);
});

test('ranges inside one chunk are no reason to read ahead', () => {
  const readAhead = new ReadAhead({ maxWindowBytes: 8 * CHUNK });
  expect(spans(readAhead, [3, 3, 3, 3])).toEqual([undefined, undefined, undefined, undefined]);
});

test('who reads anywhere or backwards is not read ahead of', () => {
  const readAhead = new ReadAhead({ maxWindowBytes: 8 * CHUNK });
  expect(spans(readAhead, [3, 40, 9, 55, 22, 0])).toEqual(Array(6).fill(undefined));
  expect(spans(readAhead, [50, 49, 48, 47])).toEqual(Array(4).fill(undefined));
});

test('nothing is asked for beyond the end, nor when the window is less than a chunk', () => {
  const readAhead = new ReadAhead({ maxWindowBytes: 8 * CHUNK });
  expect(spans(readAhead, [58, 59, 60, 61, 62, 63])).toEqual([
    undefined,
    '60-60',
    '61-62',
    '63-63',
    undefined,
    undefined,
  ]);
  expect(spans(new ReadAhead({ maxWindowBytes: CHUNK - 1 }), [0, 1, 2])).toEqual(
    Array(3).fill(undefined),
  );
});

test('several readers of one segment are told from each other', () => {
  const readAhead = new ReadAhead({ maxWindowBytes: 8 * CHUNK });
  spans(readAhead, [0, 30]);
  expect(spans(readAhead, [1, 31, 2, 32])).toEqual(['2-2', '32-32', '3-4', '33-34']);
});

test('the table of segments is bounded, and the longest unread one is forgotten', () => {
  const readAhead = new ReadAhead({ maxWindowBytes: 8 * CHUNK, maxSegments: 3 });
  for (const key of ['a', 'b', 'c', 'a', 'd']) readAhead.begin(key, 0);
  expect(readAhead.segments).toBe(3);
  // `b` is new again: what it was is not known any more.
  const cursor = readAhead.begin('b', 1);
  expect(readAhead.advance(cursor, places, { chunk: 1, wantedTo: 1 })).toBeUndefined();
});

test('a latency of 50 ms is hidden from who reads forward (138, S4)', async () => {
  const setUp = cachedReader({ maxWindowBytes: 16 * CHUNK, memoryBytes: 400 * CHUNK });
  setUp.store.trouble = () => ({ waitMs: 50 });
  const log = setUp.add('a', storedLog(LOG));
  let waits = 0;
  for (let start = 0; start < LOG.byteLength; start += 500) {
    const range = { start, length: 500 };
    const reading = bytesOf(setUp, log, range);
    let isThere = false;
    void reading.then(() => {
      isThere = true;
    });
    // The reader needs 10 ms for what it got.
    await setUp.clock.advanceAsync(10);
    if (!isThere) {
      waits += 1;
      await setUp.clock.advanceAsync(90);
    }
    expect(await reading).toEqual(LOG.slice(start, start + 500));
  }
  // Without it there would be 64 waits and requests.
  expect(waits).toBeLessThanOrEqual(6);
  expect(setUp.store.asked.length).toBeLessThanOrEqual(20);
  expect(setUp.reader.counters.storeBytes).toBe(LOG.byteLength + 64);
});

test('what was loaded ahead is dropped when the reader jumps, and not when somebody waits for it', async () => {
  for (const isWanted of [false, true]) {
    const setUp = cachedReader({ maxWindowBytes: 8 * CHUNK, timeoutMs: 1_000_000 });
    const log = setUp.add('a', plainLog(LOG));
    await bytesOf(setUp, log, { start: 0, length: 10 });
    setUp.store.trouble = ({ start }) => (start === 2 * CHUNK ? { waitMs: 10_000 } : undefined);
    await bytesOf(setUp, log, { start: CHUNK, length: 10 });
    await setUp.clock.advanceAsync(1);
    expect(setUp.store.open).toBe(1);
    const other = isWanted ? bytesOf(setUp, log, { start: 2 * CHUNK, length: 10 }) : undefined;
    await setUp.clock.advanceAsync(0);
    await bytesOf(setUp, log, { start: 50 * CHUNK, length: 10 });
    await setUp.clock.advanceAsync(1);
    expect(setUp.store.open).toBe(isWanted ? 1 : 0);
    expect(setUp.reader.counters.droppedAhead).toBe(isWanted ? 0 : 1);
    await setUp.clock.advanceAsync(10_000);
    if (other !== undefined) expect(await other).toEqual(LOG.slice(2 * CHUNK, 2 * CHUNK + 10));
    expect(setUp.store.open).toBe(0);
  }
});

test('read-ahead gives way when memory is short, and the reader gets what it asks for', async () => {
  const setUp = cachedReader({
    cacheChunks: 2,
    maxWindowBytes: 2 * CHUNK,
    memoryBytes: 3 * CHUNK,
  });
  const log = setUp.add('a', plainLog(LOG));
  for (let start = 0; start < LOG.byteLength; start += CHUNK) {
    expect(await bytesOf(setUp, log, { start, length: CHUNK })).toEqual(
      LOG.slice(start, start + CHUNK),
    );
  }
  await setUp.clock.advanceAsync(0);
  await setUp.reader.close();
  await setUp.cache.close();
  expect(setUp.memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
});
