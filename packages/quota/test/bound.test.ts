import { ManualClock, randomBelow, seededRandom } from '@logloft/clock';
import {
  ByteLimit,
  type ExhaustedPolicy,
  QuotaClosedError,
  WindowedQuota,
  WriteQuotaManager,
} from '@logloft/quota';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { advance } from './advance.ts';

interface Admission {
  readonly atMs: number;
  readonly bytes: number;
}

interface Plan {
  readonly seed: number;
  readonly writers: number;
  readonly samples: number;
  readonly windowSeconds: number;
  readonly limit: number;
  readonly segmentBytes: number;
  readonly exhausted: ExhaustedPolicy;
}

const plans = fc.record({
  seed: fc.nat(),
  writers: fc.integer({ min: 2, max: 8 }),
  samples: fc.integer({ min: 1, max: 5 }),
  windowSeconds: fc.integer({ min: 1, max: 2 }),
  limit: fc.integer({ min: 1, max: 5_000 }),
  segmentBytes: fc.integer({ min: 1, max: 20_000 }),
  exhausted: fc.constantFrom<ExhaustedPolicy>('abort', 'wait'),
});

test('in every span of the window at most limit x (samples + 1) windows and one segment pass', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const admissions = await copyForAWhile(plan);
      expect(admissions.length).toBeGreaterThan(0);
      const spanMs = plan.samples * plan.windowSeconds * 1_000;
      const most = plan.limit * (plan.samples + 1) * plan.windowSeconds + plan.segmentBytes;
      expect(mostInAnySpan(admissions, spanMs)).toBeLessThanOrEqual(most);
    }),
    { numRuns: 60 },
  );
});

test('writers that each have the limit keep it each, and may pass the bound together', async () => {
  const plan: Plan = {
    seed: 7,
    writers: 4,
    samples: 3,
    windowSeconds: 1,
    limit: 1_000,
    segmentBytes: 900,
    exhausted: 'wait',
  };
  const perWriter = new Map<string, Admission[]>();
  const all = await copyForAWhile(plan, 'writer', perWriter);
  const most = plan.limit * 4 + plan.segmentBytes;
  for (const admissions of perWriter.values()) {
    expect(mostInAnySpan(admissions, 3_000)).toBeLessThanOrEqual(most);
  }
  expect(mostInAnySpan(all, 3_000)).toBeGreaterThan(most);
});

test('children keep the bound of their total together, and each its own, whatever their shares', async () => {
  const child = fc.record({
    limit: fc.integer({ min: 100, max: 8_000 }),
    weight: fc.double({ min: 0.1, max: 10, noNaN: true }),
    priority: fc.integer({ min: -1, max: 1 }),
    pieceBytes: fc.integer({ min: 1, max: 6_000 }),
  });
  const tree = fc.record({
    seed: fc.nat(),
    limit: fc.integer({ min: 100, max: 5_000 }),
    children: fc.array(child, { minLength: 2, maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(tree, async ({ seed, limit, children }) => {
      const clock = new ManualClock();
      const random = seededRandom(seed);
      const total = new WindowedQuota({ clock, limit, samples: 3, windowSeconds: 1 });
      const all: Admission[] = [];
      const work = children.map(async ({ pieceBytes, ...share }) => {
        const quota = total.child(share);
        const own: Admission[] = [];
        while (clock.monotonic() < 20_000) {
          const bytes = 1 + randomBelow(random, pieceBytes);
          const reservation = await quota.reserve(bytes);
          own.push({ atMs: clock.monotonic(), bytes });
          const ms = randomBelow(random, 800);
          await new Promise<void>((resolve) => clock.setTimer(ms, resolve));
          reservation.settle(bytes);
        }
        all.push(...own);
        expect(mostInAnySpan(own, 3_000)).toBeLessThanOrEqual(share.limit * 4 + pieceBytes);
      });
      await advance(clock, 60_000);
      await total.close();
      await advance(clock, 1_000);
      const outcomes = await Promise.allSettled(work);
      for (const outcome of outcomes) {
        const reason: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
        expect(reason === undefined || reason instanceof QuotaClosedError, String(reason)).toBe(
          true,
        );
      }
      const greatest = Math.max(...children.map(({ pieceBytes }) => pieceBytes));
      expect(mostInAnySpan(all, 3_000)).toBeLessThanOrEqual(limit * 4 + greatest);
      expect(total.reservedBytes).toBe(0);
    }),
    { numRuns: 40 },
  );
}, 60_000);

/** Writers that copy segments as fast as they are let, each taking a random time. */
async function copyForAWhile(
  plan: Plan,
  scope: 'broker' | 'writer' = 'broker',
  perWriter: Map<string, Admission[]> = new Map(),
): Promise<readonly Admission[]> {
  const clock = new ManualClock();
  const random = seededRandom(plan.seed);
  const manager = new WriteQuotaManager({
    clock,
    limit: ByteLimit.of(plan.limit),
    samples: plan.samples,
    windowSeconds: plan.windowSeconds,
    scope,
    exhausted: plan.exhausted,
  });
  const all: Admission[] = [];
  const spanMs = plan.samples * plan.windowSeconds * 1_000;
  const endMs = 6 * spanMs;
  const pause = (belowMs: number): Promise<void> =>
    new Promise((resolve) => clock.setTimer(1 + randomBelow(random, belowMs), resolve));
  const copyOn = async (writer: string): Promise<void> => {
    while (clock.monotonic() < endMs) {
      const bytes = 1 + randomBelow(random, plan.segmentBytes);
      const permit = await manager.admit({ writer, bytes });
      if (permit === undefined) {
        await pause(500);
        continue;
      }
      const admission = { atMs: clock.monotonic(), bytes };
      all.push(admission);
      perWriter.set(writer, [...(perWriter.get(writer) ?? []), admission]);
      await pause(randomBelow(random, 4) === 0 ? 2 * spanMs : 200);
      permit.settle(bytes);
    }
  };
  const work = Array.from({ length: plan.writers }, (_, index) => copyOn(`writer-${index}`));
  await advance(clock, endMs + 4 * spanMs);
  await manager.close();
  // Those that were let in at the very end finish their copies.
  await advance(clock, 3 * spanMs);
  await Promise.allSettled(work);
  return all;
}

function mostInAnySpan(admissions: readonly Admission[], spanMs: number): number {
  const totals = admissions.map(({ atMs: startMs }) =>
    admissions
      .filter(({ atMs }) => atMs >= startMs && atMs < startMs + spanMs)
      .reduce((sum, { bytes }) => sum + bytes, 0),
  );
  return Math.max(0, ...totals);
}
