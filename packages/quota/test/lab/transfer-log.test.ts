import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Transfer, TransferLog } from '../../src/lab/transfer-log.ts';

const transfers = fc.array(
  fc.record({ fromMs: fc.nat(200), lengthMs: fc.integer({ min: 1, max: 60 }), bytes: fc.nat(500) }),
  { minLength: 1, maxLength: 12 },
);

/** The bytes of whole ms, by hand: everything begins and ends on one. */
function bytesByMs(all: readonly Transfer[]): readonly number[] {
  return Array.from({ length: 300 }, (_, ms) =>
    all
      .filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs)
      .reduce((sum, { fromMs, toMs, bytes }) => sum + bytes / (toMs - fromMs), 0),
  );
}

test('the greatest span and the steps agree with a count by the ms', () => {
  fc.assert(
    fc.property(transfers, fc.integer({ min: 1, max: 150 }), (specs, spanMs) => {
      const all = specs.map(({ fromMs, lengthMs, bytes }) => ({
        fromMs,
        toMs: fromMs + lengthMs,
        bytes,
      }));
      const log = new TransferLog();
      for (const transfer of all) log.add(transfer);
      const byMs = bytesByMs(all);
      const sums = byMs.map((_, ms) =>
        byMs.slice(ms, ms + spanMs).reduce((sum, bytes) => sum + bytes, 0),
      );
      expect(log.mostIn(spanMs)).toBeCloseTo(Math.max(...sums), 6);
      const steps = log.bytesBySteps(30, 10);
      for (const [step, bytes] of steps.entries()) {
        const wanted = byMs.slice(step * 10, step * 10 + 10).reduce((sum, one) => sum + one, 0);
        expect(bytes).toBeCloseTo(wanted, 6);
      }
    }),
  );
});
