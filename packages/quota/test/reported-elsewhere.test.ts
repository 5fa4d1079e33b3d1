// What users of other rate limiters have reported, and what must hold here.
import { ManualClock } from '@logloft/clock';
import {
  BytePacer,
  InvalidQuotaOptionError,
  KeyedQuota,
  QuotaClosedError,
  QuotaQueueFullError,
  WindowedQuota,
  type WindowedQuotaOptions,
} from '@logloft/quota';
import { paced } from '@logloft/quota/stream';
import { describe, expect, test } from 'vitest';
import { advance } from './advance.ts';
import { mostIn100Ms, type Passed } from './most-in-100-ms.ts';

function setUp(options: Partial<WindowedQuotaOptions> = {}): {
  clock: ManualClock;
  quota: WindowedQuota;
} {
  const clock = new ManualClock();
  const base = { clock, limit: 1_000, samples: 11, windowSeconds: 1 };
  return { clock, quota: new WindowedQuota({ ...base, ...options }) };
}

test('jhurliman/node-rate-limiter#50: those who wait for a key are served in order', async () => {
  const { clock, quota } = setUp();
  const keys = new KeyedQuota({ parent: quota });
  quota.record(20_000);
  const order: string[] = [];
  const work = Array.from({ length: 100 }, async (_, index) => {
    const key = `k${index % 3}`;
    const reservation = await keys.forKey(key).reserve(50);
    order.push(`${key}-${index}`);
    reservation.settle(50);
  });
  await advance(clock, 120_000);
  await Promise.all(work);
  for (const key of ['k0', 'k1', 'k2']) {
    const own = order.filter((name) => name.startsWith(key));
    const inOrder = own.toSorted((a, b) => Number(a.slice(3)) - Number(b.slice(3)));
    expect(own).toEqual(inOrder);
  }
});

test('jhurliman/node-rate-limiter#82: a cost that is known only afterwards is settled, more, less or nothing', () => {
  const { quota } = setUp({ limit: 10_000 });
  const [more, less, failed] = [500, 500, 500].map((estimate) => quota.tryReserve(estimate));
  more?.settle(900);
  less?.settle(100);
  failed?.release();
  expect([quota.byteRate, quota.reservedBytes]).toEqual([1_000, 0]);
});

describe('jhurliman/node-rate-limiter#25, #61: a burst and a steady flow', () => {
  test('a window never carries twice the limit: at most that of one sample more, and one piece', async () => {
    const { clock, quota } = setUp();
    const passed: Passed[] = [];
    const work = (async () => {
      for (;;) {
        const reservation = await quota.reserve(100);
        passed.push({ atMs: clock.monotonic(), bytes: 100 });
        reservation.settle(100);
      }
    })();
    await advance(clock, 33_000);
    await quota.close();
    await expect(work).rejects.toThrow(QuotaClosedError);
    for (const { atMs: startMs } of passed) {
      const inWindow = passed.filter(({ atMs }) => atMs >= startMs && atMs < startMs + 11_000);
      expect(inWindow.length * 100).toBeLessThanOrEqual(12 * 1_000 + 100);
    }
  });

  test('bytes are integers, and there is no left-over of a fraction', () => {
    const { quota } = setUp();
    expect(() => quota.tryReserve(0.5)).toThrow(InvalidQuotaOptionError);
  });
});

test('data-fair/data-fair#486: 800 wait for a minute with one timer; half abort, and take nothing', async () => {
  const { clock, quota } = setUp({ limit: 10 });
  quota.record(1_000_000);
  const controller = new AbortController();
  const waits = Array.from({ length: 800 }, (_, index) =>
    quota.reserve(1, index % 2 === 0 ? { signal: controller.signal } : {}),
  );
  const settled = Promise.allSettled(waits);
  let mostTimers = 0;
  for (let second = 0; second < 60; second += 1) {
    await advance(clock, 100);
    mostTimers = Math.max(mostTimers, clock.pendingTimers);
  }
  expect(mostTimers).toBe(1);
  controller.abort(new Error('gone'));
  expect([quota.waiting, quota.reservedBytes]).toEqual([400, 0]);
  await quota.close();
  expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
});

test('SGrondin/bottleneck#95, #142: the queue is bounded, and a quota without callers has no timer', async () => {
  const { clock, quota } = setUp({ limit: 0, maxWaiters: 1_000 });
  quota.record(1);
  let refused = 0;
  const waits: Promise<unknown>[] = [];
  for (let index = 0; index < 100_000; index += 1) {
    const wait = quota.reserve(1).catch((error: unknown) => {
      if (error instanceof QuotaQueueFullError) refused += 1;
    });
    if (index < 1_000) waits.push(wait);
  }
  await advance(clock, 0);
  expect([quota.waiting, refused]).toEqual([1_000, 99_000]);
  await quota.close();
  await Promise.all(waits);
  expect(clock.pendingTimers).toBe(0);
});

test('diegosouzapw/OmniRoute#9328: what a lost job holds comes back after a maximum, and is reported', async () => {
  const lost: number[] = [];
  const { clock, quota } = setUp({
    maxHoldMs: 60_000,
    onHoldExpired: ({ estimate }) => void lost.push(estimate),
  });
  quota.tryReserve(50_000);
  const next = quota.reserve(10);
  await advance(clock, 60_000);
  (await next).settle(10);
  expect(lost).toEqual([50_000]);
});

test('sindresorhus/p-queue#219: ten of eleven abort, and the eleventh runs as if it were alone', async () => {
  const { clock, quota } = setUp();
  quota.record(3_000);
  const controller = new AbortController();
  const ten = Array.from({ length: 10 }, () =>
    quota.reserve(10_000, { signal: controller.signal }),
  );
  let atMs = 0;
  const eleventh = quota.reserve(10).then(() => {
    atMs = clock.monotonic();
  });
  controller.abort(new Error('gone'));
  await Promise.allSettled(ten);
  await advance(clock, 3_000);
  await eleventh;
  expect(atMs).toBe(3_000);
});

test('sindresorhus/p-queue#168: aborting one that runs and one that waits in one moment stops nobody else', async () => {
  const { clock, quota } = setUp();
  const controller = new AbortController();
  const running = await quota.reserve(5_000, { signal: controller.signal });
  const waiting = quota.reserve(1, { signal: controller.signal });
  const next = quota.reserve(1);
  controller.signal.addEventListener('abort', () => running.release());
  controller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await advance(clock, 0);
  expect((await next).estimate).toBe(1);
});

test('sindresorhus/p-limit#25: closing leaves no promise pending', async () => {
  const { quota } = setUp();
  const pacer = new BytePacer({ clock: new ManualClock(), limit: 1 });
  quota.record(50_000);
  await pacer.take(50_000);
  const waits = [quota.reserve(1), quota.child().reserve(1), pacer.take(1), pacer.child().take(1)];
  const settled = Promise.allSettled(waits);
  await Promise.all([quota.close(), pacer.close()]);
  for (const one of await settled) {
    expect(one.status === 'rejected' && one.reason instanceof QuotaClosedError).toBe(true);
  }
});

describe('TooTallNate/node-throttle#6, tjgq/node-stream-throttle#3: an initial burst', () => {
  test.each([
    [undefined, 0],
    [0, 0],
    [1_000, 1_000],
    [250, 250],
  ])('of %s ms passes at once, and after as long a pause again', async (burstMs, bytes) => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 1_000, burstMs });
    const passed: number[] = [];
    const work = (async () => {
      for (let count = 0; count < 3_000; count += 1) {
        await pacer.take(1);
        passed.push(clock.monotonic());
      }
    })();
    await advance(clock, 0);
    // The byte that makes a debt is always among them.
    expect(passed.length).toBe(bytes + 1);
    await advance(clock, 4_000);
    await work;
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('of %d ms is refused', (burstMs) => {
    const make = (): unknown => new BytePacer({ clock: new ManualClock(), burstMs });
    expect(make).toThrow(InvalidQuotaOptionError);
  });
});

describe('patrickkunka/bandwidth-throttle-stream#5, #6, #15: a stream of unknown length', () => {
  async function* slowSource(clock: ManualClock): AsyncGenerator<Uint8Array> {
    for (let chunk = 0; chunk < 20; chunk += 1) {
      await new Promise<void>((resolve) => clock.setTimer(chunk % 4 === 0 ? 700 : 1, resolve));
      yield new Uint8Array(1 + 37 * chunk);
    }
  }

  test.each([Number.POSITIVE_INFINITY, 5_000])(
    'at %d bytes per second comes out whole',
    async (limit) => {
      const clock = new ManualClock();
      const pacer = new BytePacer({ clock, limit });
      const passed: Passed[] = [];
      const work = (async () => {
        for await (const slice of paced(slowSource(clock), { pacer })) {
          passed.push({ atMs: clock.monotonic(), bytes: slice.byteLength });
        }
      })();
      await clock.advanceAsync(10_000);
      await work;
      expect(passed.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(20 + (37 * 19 * 20) / 2);
      if (limit < 1e9) expect(mostIn100Ms(passed)).toBeLessThanOrEqual(limit * 0.11);
      else expect(passed).toHaveLength(20);
    },
  );
});

test('TooTallNate/proxy#9: the limit is for all connections together, and they share it fairly', async () => {
  const clock = new ManualClock();
  const pacer = new BytePacer({ clock, limit: 10_000 });
  const got = [0, 0];
  const work = got.map(async (_, index) => {
    const source = [new Uint8Array(100_000)];
    for await (const slice of paced(source, { pacer })) {
      got[index] = (got[index] ?? 0) + slice.byteLength;
    }
  });
  const settled = Promise.allSettled(work);
  await advance(clock, 10_000);
  const [a = 0, b = 0] = got;
  expect(a + b).toBeGreaterThan(97_000);
  expect(a + b).toBeLessThan(101_000);
  expect(a / b).toBeCloseTo(1, 1);
  await pacer.close();
  await settled;
});

test.each([3_600_000, -3_600_000])(
  'SandeepVashishtha/Eventra#6488: a system clock that is set by %i ms changes nothing',
  async (jumpMs) => {
    const { clock, quota } = setUp();
    const pacer = new BytePacer({ clock, limit: 1_000 });
    quota.record(3_000);
    await pacer.take(3_000);
    clock.setWallTime(clock.now() + jumpMs);
    const atMs: number[] = [];
    const note = (): void => void atMs.push(clock.monotonic());
    const work = [quota.reserve(1).then(note), pacer.take(1).then(note)];
    await advance(clock, 3_000);
    await Promise.all(work);
    expect(atMs).toEqual([3_000, 3_000]);
  },
);

test('animir/node-rate-limiter-flexible#70, #143: each key has a quota to wait for, and idle ones go', async () => {
  const { clock, quota } = setUp({ limit: 100_000 });
  const keys = new KeyedQuota({ parent: quota, limit: 100 });
  keys.forKey('a').record(200);
  let atMs = 0;
  const wait = keys
    .forKey('a')
    .reserve(10)
    .then((reservation) => {
      atMs = clock.monotonic();
      reservation.settle(10);
    });
  (await keys.forKey('b').reserve(10)).settle(10);
  await advance(clock, 2_000);
  await wait;
  expect(atMs).toBe(2_000);
  await advance(clock, 11_000);
  keys.forKey('c');
  expect(keys.size).toBe(1);
});
