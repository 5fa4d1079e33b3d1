import { describe, expect, test } from 'vitest';
import { CommittedProgress } from '../../src/clients/committed-progress.ts';

function progressOf(
  ...ranges: readonly (readonly [from: number, to: number, certainty?: 'uncertain'])[]
): CommittedProgress {
  const progress = new CommittedProgress();
  for (const [from, to, certainty] of ranges) {
    progress.add(0, { member: 'only', from, to, isUncertain: certainty !== undefined });
  }
  return progress;
}

describe('committed progress', () => {
  test('counts once what was committed without a gap, in whatever order it was told', () => {
    const progress = progressOf([50, 80], [0, 50]);
    expect(() => progress.assertOnce(0, { from: 0, to: 80 })).not.toThrow();
    expect(progress.count).toBe(80);
    expect(progress.countOf('only')).toBe(80);
  });

  test.each([
    ['a gap', progressOf([0, 50], [60, 80]), /offset 50 does not count/],
    ['what counts twice', progressOf([0, 50], [40, 80]), /offset 40 counts twice/],
    ['a repeated commit', progressOf([0, 50], [0, 50], [50, 80]), /offset 0 counts twice/],
    ['a missing end', progressOf([0, 50]), /counted up to 50, expected 80/],
    ['a missing beginning', progressOf([10, 80]), /offset 0 does not count/],
    ['nothing', progressOf(), /counted up to 0, expected 80/],
  ])('names %s', (_, progress, message) => {
    expect(() => progress.assertOnce(0, { from: 0, to: 80 })).toThrow(message);
  });

  test('fills a gap with a commit whose answer was lost', () => {
    const progress = progressOf([0, 50], [50, 60, 'uncertain'], [60, 80]);
    expect(() => progress.assertOnce(0, { from: 0, to: 80 })).not.toThrow();
    expect(progress.count).toBe(70);
  });

  test('lets a commit whose answer was lost be made again', () => {
    const progress = progressOf([0, 50], [50, 60, 'uncertain'], [50, 60], [60, 80]);
    expect(() => progress.assertOnce(0, { from: 0, to: 80 })).not.toThrow();
  });
});
