import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sortedInSlices } from '../../src/scheduling/sorted-in-slices.ts';

it('a sort in slices gives what a stable sort gives, and looks at no more than a slice at once', () => {
  const items = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.nat()), { maxLength: 60 });
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 12 }), (pairs, slice) => {
      let looks = 0;
      let most = 0;
      const keyOf = ([key]: readonly [number, number]): number => {
        looks += 1;
        return key;
      };
      const work = sortedInSlices(pairs, keyOf, slice);
      for (;;) {
        const step = work.next();
        most = Math.max(most, looks);
        looks = 0;
        if (step.done !== true) continue;
        expect(step.value).toEqual(pairs.toSorted((a, b) => a[0] - b[0]));
        break;
      }
      // Two looks a comparison, of which the sort of one slice takes fewer than slice x log2(slice) + slice.
      expect(most).toBeLessThanOrEqual(2 * slice * (Math.ceil(Math.log2(slice)) + 2));
    }),
  );
});
