import { getEventListeners } from 'node:events';
import { ManualClock, type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { MemoryChunkCache } from '../../src/cache/memory-chunk-cache.ts';
import { isRemoteStorageError } from '../../src/index.ts';
import type { LogRange } from '../../src/read/chunk-stream.ts';
import {
  CHUNK,
  plainLog,
  rangeIn,
  readerOf,
  seededBytes,
  storedLog,
  type Trouble,
} from './log-fixture.ts';

const SEEDS = 80;
const READERS = 6;
const ROUNDS = 12;

/** What one in six requests meets. Altered bytes are noticed only where something checks them. */
function troubleOf(random: RandomSource, isChecked: boolean): Trouble | undefined {
  const waitMs = randomBelow(random, 200);
  if (randomBelow(random, 6) > 0) return { waitMs };
  const afterBytes = randomBelow(random, 4_000);
  const kinds = ['fail', 'cut', 'hang', 'short', 'garble'] as const;
  const kind = kinds[randomBelow(random, isChecked ? 5 : 4)] ?? 'cut';
  const isWhole = kind === 'hang' && randomBelow(random, 2) === 0;
  return { waitMs, kind, hangMs: 2_000, ...(isWhole ? {} : { afterBytes }) };
}

/** A reader with bounds, logs and troubles that depend on the seed. */
function world(seed: number) {
  const random = seededRandom(seed);
  const clock = new ManualClock();
  const cacheChunks = [0, 2, 5, 50][seed % 4] ?? 0;
  const retentionMs = 1 + randomBelow(random, 3_000);
  const maxBytes = cacheChunks * (CHUNK + 5);
  const cache =
    cacheChunks === 0 ? undefined : new MemoryChunkCache({ clock, maxBytes, retentionMs });
  const setUp = readerOf({
    clock,
    cache,
    memoryBytes: (cacheChunks + 4 + randomBelow(random, 30)) * (CHUNK + 5),
    coalesceBytes: (1 + randomBelow(random, 5)) * CHUNK,
    readUnitBytes: randomBelow(random, 3) * CHUNK,
    maxWindowBytes: 4 * CHUNK,
    maxAbandonedBytes: randomBelow(random, 6) * CHUNK,
    timeoutMs: 1_000,
    maxRequests: 1 + randomBelow(random, 4),
  });
  const isTransformed = randomBelow(random, 2) === 0;
  setUp.store.trouble = () => troubleOf(random, isTransformed);
  const logs = [0, 1, 2].map((index) => {
    const bytes = seededBytes(seed * 10 + index, 5_000 + randomBelow(random, 15_000));
    const padding = (chunk: number): number => chunk % 4;
    const layout = isTransformed ? storedLog(bytes, { padding }) : plainLog(bytes);
    return { bytes, log: setUp.add(`log-${index}`, layout) };
  });
  return { ...setUp, random, cache, logs };
}

type World = ReturnType<typeof world>;
type Log = World['logs'][number];

/** Takes what comes until it has enough, and says where it stopped. @throws RangeError for wrong bytes */
async function take(
  { random, clock }: World,
  pieces: AsyncIterable<Uint8Array>,
  what: { readonly bytes: Uint8Array; readonly start: number; readonly enough: number },
): Promise<number> {
  const { bytes, start, enough } = what;
  let at = start;
  for await (const piece of pieces) {
    if (!Buffer.from(piece).equals(bytes.subarray(at, at + piece.byteLength))) {
      throw new RangeError(`wrong bytes at ${at}`);
    }
    at += piece.byteLength;
    if (randomBelow(random, 4) === 0) {
      await new Promise<void>((resolve) => clock.setTimer(randomBelow(random, 300), resolve));
    }
    if (at - start > enough) break;
  }
  return at;
}

/** One read, of which one in five leaves early and one in five gives up. */
async function readOnce(the: World, { log, bytes }: Log, range: LogRange) {
  const { random, clock, reader } = the;
  const { start, length } = range;
  const controller = new AbortController();
  const { signal } = controller;
  if (randomBelow(random, 5) === 0) {
    clock.setTimer(randomBelow(random, 400), () => controller.abort('enough'));
  }
  const enough = randomBelow(random, 5) === 0 ? randomBelow(random, length) : length;
  try {
    const pieces = await reader.read(log, range, { signal });
    const at = await take(the, pieces, { bytes, start, enough });
    if (enough === length && at !== start + length) throw new RangeError(`ended at ${at}`);
    return { at, signal, outcome: at === start + length ? 'whole' : 'left' };
  } catch (error) {
    if (error === 'enough') return { at: start, signal, outcome: 'enough' };
    if (!isRemoteStorageError(error)) throw error;
    return { at: start, signal, outcome: error.kind };
  }
}

/** Six readers, of whom three read forward and three anywhere. */
async function simulate(the: World) {
  const { random, clock, logs } = the;
  const reads: Awaited<ReturnType<typeof readOnce>>[] = [];
  const readers = Array.from({ length: READERS }, async (_, reader) => {
    let position = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const what = logs[randomBelow(random, 2) === 0 ? 0 : reader % 3];
      if (what === undefined) continue;
      const { byteLength } = what.bytes;
      if (position >= byteLength) position = 0;
      const forward = { start: position, length: Math.min(700, byteLength - position) };
      const read = await readOnce(the, what, reader < 3 ? forward : rangeIn(random, byteLength));
      position = read.at;
      reads.push(read);
    }
  });
  let settled = false;
  const all = Promise.all(readers).finally(() => {
    settled = true;
  });
  all.catch(() => undefined);
  for (let turn = 0; turn < 3_000 && !settled; turn += 1) await clock.advanceAsync(100);
  expect(settled, 'all reads settle').toBe(true);
  await all;
  return reads;
}

async function expectNothingLeft({ reader, memory, store, clock, cache }: World): Promise<void> {
  // Loads that nobody waits for end by their own time, or with the reader.
  await reader.close();
  await clock.advanceAsync(0);
  const kept = cache?.stats().bytes ?? 0;
  expect(kept).toBeLessThanOrEqual(cache?.maxBytes ?? 0);
  await cache?.close();
  expect(memory.stats()).toMatchObject({ grantedBytes: 0, waiters: 0 });
  expect(store.open).toBe(0);
  expect(reader.abandonedBytes).toBe(0);
  // What is left are those who would have given up later.
  await clock.advanceAsync(1_000);
  expect(clock.pendingTimers).toBe(0);
}

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  'whatever happens to requests, readers and memory, bytes are right, failures typed, and nothing is left (seed %i)',
  async (seed) => {
    const the = world(seed);
    const reads = await simulate(the);
    for (const { outcome, signal } of reads) {
      expect(['whole', 'left', 'enough', 'unavailable', 'timeout', 'corrupt']).toContain(outcome);
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    }
    // However bad it is, it goes on.
    const whole = reads.filter(({ outcome }) => outcome === 'whole').length;
    expect(whole).toBeGreaterThan(reads.length / 10);
    await expectNothingLeft(the);
  },
);
