import { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream, WritableStream } from 'node:stream/web';
import { ManualClock, randomBelow, seededRandom } from '@logloft/clock';
import { ByteLimit, BytePacer, InvalidQuotaOptionError, QuotaClosedError } from '@logloft/quota';
import { type PacedOptions, PacedTransform, paced, pacedWebStream } from '@logloft/quota/stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mostIn100Ms, type Passed } from '../most-in-100-ms.ts';

type Take = (chunk: Uint8Array) => void | Promise<void>;

/** Sends chunks through one kind of paced stream, and each slice that comes out to `take`. */
type Send = (chunks: Iterable<Uint8Array>, options: PacedOptions, take: Take) => Promise<void>;

const kinds: readonly (readonly [kind: string, send: Send])[] = [
  [
    'an async iterable',
    async (chunks, options, take) => {
      for await (const slice of paced(chunks, options)) await take(slice);
    },
  ],
  [
    'a Node stream',
    async (chunks, options, take) => {
      const source = Readable.from(chunks, { objectMode: false });
      const writable = new Writable({
        highWaterMark: 1,
        write: (slice: Uint8Array, _encoding, done) => {
          Promise.resolve(take(slice)).then(() => done(), done);
        },
      });
      await pipeline(source, new PacedTransform(options), writable);
    },
  ],
  [
    'a web stream',
    async (chunks, options, take) => {
      const writable = new WritableStream<Uint8Array>({ write: take });
      await ReadableStream.from(chunks).pipeThrough(pacedWebStream(options)).pipeTo(writable);
    },
  ],
];

function numbered(sizes: readonly number[]): readonly Uint8Array[] {
  let next = 0;
  return sizes.map((size) => Uint8Array.from({ length: size }, () => next++ % 251));
}

describe.each(kinds)('%s', (_kind, send) => {
  test('gives out exactly what came in, of a length nobody told it', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 10_000 });
    const chunks = numbered([1, 0, 7_000, 3, 2_999]);
    const out: Uint8Array[] = [];
    const work = send(chunks, { pacer }, (slice) => void out.push(slice));
    await clock.advanceAsync(1_100);
    await work;
    expect(Buffer.concat(out)).toEqual(Buffer.concat(chunks));
    expect(Math.max(...out.map((slice) => slice.byteLength))).toBe(25);
    expect([pacer.waiting, clock.pendingTimers]).toEqual([0, 0]);
  });

  test('without a limit passes chunks on as they are, at once', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: ByteLimit.unlimited });
    const chunks = numbered([5, 1_000]);
    const out: Uint8Array[] = [];
    await send(chunks, { pacer }, (slice) => void out.push(slice));
    expect(out.map((slice) => slice.byteLength)).toEqual([5, 1_000]);
    expect(out[1]?.buffer).toBe(chunks[1]?.buffer);
  });

  test('no 100 ms carry more than 110 %, whoever shares the total, reads with pauses or sends late', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.integer({ min: 20_000, max: 5_000_000 }),
        fc.integer({ min: 1, max: 4 }),
        async (seed, limit, streams) => {
          const random = seededRandom(seed);
          const clock = new ManualClock();
          const pacer = new BytePacer({ clock, limit });
          const passed: Passed[] = [];
          const pause = (): Promise<void> | undefined => {
            if (randomBelow(random, 20) > 0) return undefined;
            const ms = randomBelow(random, 300);
            return new Promise((resolve) => clock.setTimer(ms, resolve));
          };
          const take: Take = (slice) => {
            passed.push({ atMs: clock.monotonic(), bytes: slice.byteLength });
            return pause();
          };
          const size = Math.ceil(limit / streams / 4);
          const sends = Array.from({ length: streams }, () => {
            const sizes = Array.from({ length: 3 }, () => 1 + randomBelow(random, size));
            return send(numbered(sizes), { pacer }, take);
          });
          await clock.advanceAsync(20_000);
          await Promise.all(sends);
          expect(mostIn100Ms(passed)).toBeLessThanOrEqual(limit * 0.11);
        },
      ),
      { numRuns: 15 },
    );
  });

  test('shares a total fairly by bytes, whatever the sizes of the chunks, and by weight', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 100_000 });
    const totals = new Map<string, number>();
    const controller = new AbortController();
    const run = (name: string, size: number, weight: number): Promise<void> => {
      const take: Take = (slice) =>
        void totals.set(name, (totals.get(name) ?? 0) + slice.byteLength);
      const chunks = Array.from({ length: Math.ceil(500_000 / size) }, () => new Uint8Array(size));
      return send(chunks, { pacer, weight, signal: controller.signal }, take);
    };
    const sends = [run('small', 50, 1), run('great', 250_000, 1), run('double', 250_000, 2)];
    await clock.advanceAsync(4_000);
    controller.abort(new Error('enough'));
    await Promise.allSettled(sends);
    const [small = 0, great = 0, double = 0] = ['small', 'great', 'double'].map((name) =>
      totals.get(name),
    );
    expect((small + great + double) / 4).toBeGreaterThan(97_000);
    expect(great / small).toBeCloseTo(1, 1);
    expect(double / small).toBeCloseTo(2, 1);
  });

  test('feels a new limit at once, a tenth and ten times', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 100_000 });
    const passed: Passed[] = [];
    const take: Take = (slice) =>
      void passed.push({ atMs: clock.monotonic(), bytes: slice.byteLength });
    const work = send([new Uint8Array(2_110_000)], { pacer }, take);
    const bytesIn = async (ms: number): Promise<number> => {
      const count = passed.length;
      await clock.advanceAsync(ms);
      return passed.slice(count).reduce((sum, { bytes }) => sum + bytes, 0);
    };
    expect(await bytesIn(1_000)).toBeCloseTo(100_000, -4);
    pacer.updateLimit(10_000);
    expect(await bytesIn(1_000)).toBeLessThanOrEqual(11_000);
    pacer.updateLimit(1_000_000);
    expect(await bytesIn(1_000)).toBeGreaterThan(970_000);
    pacer.updateLimit(ByteLimit.unlimited);
    await work;
  });

  test('holds its source back: it reads no further than is taken', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 100_000 });
    let given = 0;
    function* source(): Generator<Uint8Array> {
      for (;;) {
        given += 10_000;
        yield new Uint8Array(10_000);
      }
    }
    const controller = new AbortController();
    const work = send(source(), { pacer, signal: controller.signal }, () => undefined);
    await clock.advanceAsync(2_000);
    expect(given).toBeGreaterThan(190_000);
    expect(given).toBeLessThan(300_000);
    controller.abort(new Error('enough'));
    await expect(work).rejects.toThrow('enough');
  });

  test('ends with the reason of its signal, gives back its place and leaves nothing behind', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 10 });
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const work = send([new Uint8Array(100)], { pacer, signal: controller.signal }, () => undefined);
    await clock.advanceAsync(1_000);
    expect(pacer.waiting).toBe(1);
    controller.abort(reason);
    await expect(work).rejects.toBe(reason);
    await clock.advanceAsync(0);
    expect([pacer.waiting, clock.pendingTimers]).toEqual([0, 0]);
    const late = new AbortController();
    late.abort(reason);
    await expect(
      (async () => send([new Uint8Array(1)], { pacer, signal: late.signal }, () => undefined))(),
    ).rejects.toBe(reason);
  });

  test('fails when its pacer closes', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 10 });
    const work = send([new Uint8Array(100)], { pacer }, () => undefined);
    await clock.advanceAsync(100);
    await pacer.close();
    await expect(work).rejects.toThrow(QuotaClosedError);
  });

  test('refuses a weight that is none', async () => {
    const pacer = new BytePacer({ clock: new ManualClock() });
    await expect(
      (async () => send([new Uint8Array(1)], { pacer, weight: 0 }, () => undefined))(),
    ).rejects.toThrow(InvalidQuotaOptionError);
  });
});

test('a reader that stops early closes the source and its place in line', async () => {
  const clock = new ManualClock();
  const pacer = new BytePacer({ clock, limit: 10 });
  let isClosed = false;
  function* source(): Generator<Uint8Array> {
    try {
      yield new Uint8Array(10);
    } finally {
      isClosed = true;
    }
  }
  for await (const slice of paced(source(), { pacer })) {
    expect(slice.byteLength).toBe(1);
    break;
  }
  expect([isClosed, pacer.waiting]).toEqual([true, 0]);
});

test('a Node stream that is destroyed while it waits leaves nothing behind, with text as well', async () => {
  const clock = new ManualClock();
  const pacer = new BytePacer({ clock, limit: 10 });
  const stream = new PacedTransform({ pacer });
  stream.resume();
  stream.write('some text');
  await clock.advanceAsync(200);
  expect(pacer.waiting).toBe(1);
  stream.destroy();
  await clock.advanceAsync(0);
  expect([pacer.waiting, clock.pendingTimers, stream instanceof Transform]).toEqual([0, 0, true]);
});
