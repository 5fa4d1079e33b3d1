import { type Clock, ManualClock, randomBelow, seededRandom, type Timer } from '@logloft/clock';
import {
  ByteLimit,
  BytePacer,
  InvalidQuotaOptionError,
  QuotaClosedError,
  QuotaQueueFullError,
} from '@logloft/quota';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advance } from './advance.ts';
import { mostIn100Ms, type Passed } from './most-in-100-ms.ts';

/** A clock whose timers are late, as real ones are. */
function lateClock(clock: ManualClock, lateByMs: () => number): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimer: (ms, fire): Timer => clock.setTimer(ms + lateByMs(), fire),
  };
}

/** Streams that take slices as fast as they are let, with a pause now and then. */
async function flow(options: {
  readonly clock: ManualClock;
  readonly pacer: BytePacer;
  readonly streams: number;
  readonly forMs: number;
  readonly pauseMs?: () => number;
  /** How much to take at a time. Default: a slice. */
  readonly bytes?: () => number;
}): Promise<readonly Passed[]> {
  const { clock, pacer, streams, forMs, pauseMs } = options;
  const nextBytes = options.bytes ?? (() => pacer.sliceBytes);
  const passed: Passed[] = [];
  const endMs = clock.monotonic() + forMs;
  const work = Array.from({ length: streams }, async () => {
    while (clock.monotonic() < endMs) {
      const bytes = nextBytes();
      await pacer.take(bytes);
      passed.push({ atMs: clock.monotonic(), bytes });
      const pause = pauseMs?.() ?? 0;
      if (pause > 0) await new Promise<void>((resolve) => clock.setTimer(pause, resolve));
    }
  });
  await advance(clock, forMs);
  await pacer.close();
  await advance(clock, 1_000);
  await Promise.allSettled(work);
  return passed;
}

describe('the bound', () => {
  test('no 100 ms see more than 110 % of the limit, whoever shares the pacer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.integer({ min: 1_000, max: 50_000_000 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 6 }),
        async (seed, limit, streams, latestMs) => {
          const random = seededRandom(seed);
          const clock = new ManualClock();
          const late = lateClock(clock, () => randomBelow(random, latestMs + 1));
          const pacer = new BytePacer({ clock: late, limit });
          const pauseMs = (): number =>
            randomBelow(random, 10) === 0 ? randomBelow(random, 300) : 0;
          const bytes = (): number => 1 + randomBelow(random, pacer.sliceBytes);
          const passed = await flow({ clock, pacer, streams, forMs: 1_000, pauseMs, bytes });
          expect(passed.length).toBeGreaterThan(0);
          expect(mostIn100Ms(passed)).toBeLessThanOrEqual(limit * 0.11 + 1e-6);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('timers that are up to 3 ms late cost no throughput', async () => {
    const random = seededRandom(1);
    const clock = new ManualClock();
    const late = lateClock(clock, () => randomBelow(random, 4));
    const pacer = new BytePacer({ clock: late, limit: 1_000_000 });
    const passed = await flow({ clock, pacer, streams: 3, forMs: 5_000 });
    const total = passed.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(total / 5).toBeGreaterThan(980_000);
    expect(total / 5).toBeLessThan(1_010_000);
  });

  test('time in which nothing flows is not saved up', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 10_000 });
    await advance(clock, 60_000);
    const passed = await flow({ clock, pacer, streams: 1, forMs: 100 });
    expect(mostIn100Ms(passed)).toBeLessThanOrEqual(1_100);
  });

  test('the worst case, a slice at the end of a burst after a pause, stays within the bound', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 100_000 });
    await advance(clock, 1_000);
    const bytes = (): number => (clock.monotonic() < 1_099 ? 10 : pacer.sliceBytes);
    const passed = await flow({ clock, pacer, streams: 1, forMs: 110, bytes });
    expect(mostIn100Ms(passed)).toBeLessThanOrEqual(11_000);
    expect(mostIn100Ms(passed)).toBeGreaterThan(10_800);
  });

  test('a piece above a slice passes whole, and what follows waits until it is paid for', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 1_000 });
    await pacer.take(5_000);
    let passed = false;
    const next = pacer.take(1).then(() => {
      passed = true;
    });
    await advance(clock, 4_999);
    expect(passed).toBe(false);
    await advance(clock, 1);
    expect(passed).toBe(true);
    await next;
  });

  test('an unlimited pacer never waits and never sets a timer', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: ByteLimit.unlimited });
    for (let index = 0; index < 100; index += 1) await pacer.take(2 ** 40);
    expect(clock.pendingTimers).toBe(0);
    expect(pacer.sliceBytes).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('a change of the limit', () => {
  test('is felt at once by those who wait, in both directions', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 1_000 });
    await pacer.take(10_000);
    let passedAt = 0;
    const waiting = pacer.take(10).then(() => {
      passedAt = clock.monotonic();
    });
    await advance(clock, 1_000);
    pacer.updateLimit(100);
    await advance(clock, 10_000);
    expect(passedAt).toBe(0);
    // 10,000 - 1,000 - 1,000 bytes are not yet paid for; at 80,000 a second that takes 100 ms.
    pacer.updateLimit(80_000);
    await advance(clock, 1_000);
    expect(passedAt).toBe(11_100);
    await waiting;
  });

  test('to 0 stops the flow without a timer, and back lets it go on', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 0 });
    await pacer.take(1);
    let passed = false;
    const waiting = pacer.take(1).then(() => {
      passed = true;
    });
    await advance(clock, 3_600_000);
    expect([passed, clock.pendingTimers]).toEqual([false, 0]);
    pacer.updateLimit(ByteLimit.unlimited);
    await waiting;
    expect(passed).toBe(true);
  });
});

describe('those who wait', () => {
  test('pass in the order in which they came, and an aborted one takes nothing', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 1_000 });
    await pacer.take(100);
    const controller = new AbortController();
    const reason = new Error('gone');
    const order: string[] = [];
    const a = pacer.take(100).then(() => order.push('a'));
    const b = pacer.take(1_000_000, { signal: controller.signal });
    const c = pacer.take(100).then(() => order.push('c'));
    controller.abort(reason);
    await expect(b).rejects.toBe(reason);
    await advance(clock, 200);
    await Promise.all([a, c]);
    expect(order).toEqual(['a', 'c']);
    expect([pacer.waiting, clock.pendingTimers]).toEqual([0, 0]);
  });

  test('are not overtaken by one who comes when they are due but not yet woken', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 2_000 });
    await pacer.take(1);
    const order: string[] = [];
    const a = pacer.take(1).then(() => order.push('a'));
    await advance(clock, 0.6);
    const b = pacer.take(1).then(() => order.push('b'));
    await advance(clock, 10);
    await Promise.all([a, b]);
    expect(order).toEqual(['a', 'b']);
  });

  test('are rejected when the pacer closes, and nothing is left behind', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 1 });
    await pacer.take(100);
    const waiting = pacer.take(1);
    await pacer.close();
    await pacer.close();
    await expect(waiting).rejects.toThrow(QuotaClosedError);
    await expect(pacer.take(1)).rejects.toThrow(QuotaClosedError);
    expect(clock.pendingTimers).toBe(0);
  });

  test('are bounded', async () => {
    const pacer = new BytePacer({ clock: new ManualClock(), limit: 1, maxWaiters: 1 });
    await pacer.take(100);
    const waiting = pacer.take(1);
    await expect(pacer.take(1)).rejects.toThrow(QuotaQueueFullError);
    await pacer.close();
    await expect(waiting).rejects.toThrow(QuotaClosedError);
  });

  test('with an aborted signal or a wrong number are refused before anything is taken', async () => {
    const clock = new ManualClock();
    const pacer = new BytePacer({ clock, limit: 1_000 });
    const reason = new Error('too late');
    await expect(pacer.take(5, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(pacer.take(-1)).rejects.toThrow(InvalidQuotaOptionError);
    await expect(pacer.take(1.5)).rejects.toThrow(InvalidQuotaOptionError);
    await pacer.take(0);
    await pacer.take(5);
    expect(pacer.waiting).toBe(0);
  });
});
