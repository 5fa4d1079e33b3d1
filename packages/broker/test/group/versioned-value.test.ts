import fc from 'fast-check';
import { expect, it } from 'vitest';
import { VersionedValue } from '../../src/group/versioned-value.ts';

it('is what was written last, until that has failed', () => {
  const value = new VersionedValue<string>();
  const first = value.write('first');
  const second = value.write('second');
  value.fail(second);
  expect(value.current).toBe('first');
  value.fail(first);
  expect(value.current).toBeUndefined();
  expect(value.isVacant).toBe(true);
});

it('does not go back when an older write becomes durable late', () => {
  const value = new VersionedValue<string>();
  const first = value.write('first');
  const second = value.write('second');
  value.confirm(second);
  value.confirm(first);
  expect(value.current).toBe('second');
});

it('keeps a newer write when an older one fails', () => {
  const value = new VersionedValue<string>();
  const first = value.write('first');
  const second = value.write(undefined);
  value.fail(first);
  expect(value.current).toBeUndefined();
  expect(value.isVacant).toBe(false);
  value.confirm(second);
  expect(value.isVacant).toBe(true);
});

it('ends as the last write that did not fail, in whatever order the outcomes come', () => {
  const outcomes = fc.array(fc.record({ lasts: fc.boolean(), order: fc.nat() }), { maxLength: 8 });
  fc.assert(
    fc.property(outcomes, (plan) => {
      const value = new VersionedValue<number>();
      const writes = plan.map(({ lasts, order }, number) => ({
        lasts,
        order,
        write: value.write(number),
      }));
      for (const { lasts, write } of writes.toSorted((a, b) => a.order - b.order)) {
        if (lasts) value.confirm(write);
        else value.fail(write);
      }
      const last = plan.findLastIndex(({ lasts }) => lasts);
      expect(value.current).toBe(last < 0 ? undefined : last);
      expect(value.isVacant).toBe(last < 0);
    }),
  );
});
