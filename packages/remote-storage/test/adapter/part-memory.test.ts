import { ManualClock } from '@logloft/clock';
import { describe, expect, test } from 'vitest';
import { partMemory } from '../../src/index.ts';

describe('partMemory', () => {
  test('all parts together never hold more than its bound', () => {
    const memory = partMemory({ clock: new ManualClock(), totalBytes: 100, partBytes: 40 });
    const first = memory.tryAllocate(40);
    expect(first).toHaveLength(40);
    expect(memory.tryAllocate(40)).toHaveLength(40);
    expect(memory.tryAllocate(40)).toBeUndefined();
    if (first !== undefined) memory.deallocate(first);
    expect(memory.tryAllocate(40)).toBe(first);
  });

  test.each([
    { totalBytes: 39, partBytes: 40 },
    { totalBytes: 40, partBytes: 0 },
    { totalBytes: Number.NaN, partBytes: 40 },
    { totalBytes: 40, partBytes: 0.5 },
  ])('$totalBytes bytes for parts of $partBytes are refused', (sizes) => {
    const refused = { kind: 'invalid-configuration' };
    expect(() => partMemory({ clock: new ManualClock(), ...sizes })).toThrow(
      expect.objectContaining(refused),
    );
  });
});
