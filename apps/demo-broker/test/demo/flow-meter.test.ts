import { ManualClock } from '@logloft/clock';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FlowMeter } from '../../src/demo/flow-meter.ts';
import { QUOTA_WINDOW_MS, quotaBound } from '../../src/demo/plan.ts';
import { phaseLine } from '../../src/demo/summary.ts';

it('finds the busiest span that any pair of moments could show', () => {
  const flows = fc.array(fc.record({ waitMs: fc.nat(50), bytes: fc.nat(100) }), { maxLength: 60 });
  const range = fc.tuple(fc.nat(500), fc.nat(2_000), fc.integer({ min: 1, max: 200 }));
  fc.assert(
    fc.property(flows, range, (steps, [fromMs, toMs, spanMs]) => {
      const clock = new ManualClock();
      const meter = new FlowMeter(clock);
      const seen: { readonly at: number; readonly bytes: number }[] = [];
      for (const { waitMs, bytes } of steps) {
        clock.advance(waitMs);
        meter.add(bytes);
        seen.push({ at: clock.monotonic(), bytes });
      }
      const inside = seen.filter(({ at }) => at >= fromMs && at < toMs);
      const sums = inside.map(({ at: first }) =>
        inside
          .filter(({ at }) => at >= first && at < first + spanMs)
          .reduce((sum, { bytes }) => sum + bytes, 0),
      );
      expect(meter.busiest(spanMs, fromMs, toMs)).toBe(Math.max(0, ...sums));
      expect(meter.between(fromMs, toMs)).toBe(inside.reduce((sum, { bytes }) => sum + bytes, 0));
    }),
  );
});

it('fails the demo when more passed than the quota allows', () => {
  const clock = new ManualClock();
  const meter = new FlowMeter(clock);
  const phase = { name: 'copying', meter, limit: 100, fromMs: 0, toMs: 9_000, largestStep: 50 };
  meter.add(quotaBound(100, 50));
  expect(phaseLine(phase)).toContain('copying');
  clock.advance(QUOTA_WINDOW_MS - 1);
  meter.add(1);
  expect(() => phaseLine(phase)).toThrow(
    /copying: 451 bytes passed within 3 s, and the quota allows 450/,
  );
});
