import { expect, test } from 'vitest';
import { quantile, summarize } from '../../src/harness/stats.ts';

test('a summary has the middle value of an odd count, and the mean of the two middle ones of an even count', () => {
  expect(summarize([9, 1, 5])).toEqual({ median: 5, min: 1, max: 9 });
  expect(summarize([4, 1, 2, 9])).toEqual({ median: 3, min: 1, max: 9 });
});

test('a summary of nothing is no number', () => {
  expect(summarize([])).toEqual({ median: Number.NaN, min: Number.NaN, max: Number.NaN });
});

test('values are ordered as numbers, not as text', () => {
  expect(summarize([100, 20, 3]).median).toBe(20);
});

test('a quantile is a value that was measured, by the nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  expect(quantile(hundred, 0.5)).toBe(50);
  expect(quantile(hundred, 0.99)).toBe(99);
  expect(quantile(hundred, 0.999)).toBe(100);
  expect(quantile(hundred, 0)).toBe(1);
  expect(quantile([], 0.5)).toBeNaN();
});
