import { expect, test } from 'vitest';
import { interleave, RoundResults } from '../../src/harness/rounds.ts';

test('contenders take turns, the first round does not count, and every other round goes backwards', async () => {
  const order: string[] = [];
  const contender = (name: string) => ({
    name,
    run: () => {
      order.push(name);
      return { n: order.length };
    },
  });
  const results = await interleave([contender('a'), contender('b')], 3);
  expect(order.join('')).toBe('abbaabba');
  expect(results.values('a', 'n')).toEqual([4, 5, 8]);
  expect(results.values('b', 'n')).toEqual([3, 6, 7]);
});

test('a ratio is the median of the ratios of the rounds, so that a slow round of both changes nothing', () => {
  const results = new RoundResults();
  for (const [ours, peer] of [
    [50, 100],
    [5, 10],
    [60, 100],
  ] as const) {
    results.add('ours', { rate: ours });
    results.add('peer', { rate: peer });
  }
  expect(results.ratio('ours', 'peer', 'rate')).toBe(0.5);
});

test('what was not measured is no number', () => {
  const results = new RoundResults();
  results.add('ours', { rate: 1 });
  expect(results.median('ours', 'latency')).toBeNaN();
  expect(results.ratio('ours', 'peer', 'rate')).toBeNaN();
});
