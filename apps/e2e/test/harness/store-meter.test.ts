import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fullestWindow, type MeteredBytes } from '../../src/harness/store-meter.ts';

function metered(...pairs: readonly (readonly [t: number, bytes: number])[]): MeteredBytes[] {
  return pairs.map(([t, bytes]) => ({ t, bytes, key: 'object' }));
}

describe('the fullest window', () => {
  test('is empty without bytes', () => {
    expect(fullestWindow([], 100).bytes).toBe(0);
  });

  test('may begin at any moment, not only at a multiple of its length', () => {
    const bytes = metered([0, 1], [90, 10], [110, 10], [300, 1]);
    expect(fullestWindow(bytes, 100)).toEqual({ bytes: 20, fromMs: 90 });
  });

  test('has both its ends', () => {
    expect(fullestWindow(metered([0, 3], [100, 4], [101, 5]), 100).bytes).toBe(9);
    expect(fullestWindow(metered([0, 3], [100, 4]), 100).bytes).toBe(7);
  });

  test('is never less than what any moment sees, and is seen by one', () => {
    const entry = fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 1, max: 100 }));
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1 }), (pairs) => {
        const bytes = metered(...pairs.toSorted(([a], [b]) => a - b));
        const seen = bytes.map(({ t: from }) =>
          bytes
            .filter(({ t }) => t >= from && t <= from + 100)
            .reduce((sum, one) => sum + one.bytes, 0),
        );
        expect(fullestWindow(bytes, 100).bytes).toBe(Math.max(...seen));
      }),
    );
  });
});
