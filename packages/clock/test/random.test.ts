import { expect, test } from 'vitest';
import { randomBelow, seededRandom, systemRandom } from '../src/index.ts';

test('one seed gives one sequence, and another seed another', () => {
  const take = (seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 8 }, () => random.nextUint32());
  };
  expect(take(7)).toEqual(take(7));
  expect(take(7)).not.toEqual(take(8));
});

test('the sequence of a seed is pinned, so that a seed printed today replays tomorrow', () => {
  const random = seededRandom(42);
  expect([random.nextUint32(), random.nextUint32(), random.nextUint32()]).toMatchInlineSnapshot(`
    [
      660444221,
      3652823732,
      77672526,
    ]
  `);
});

test('values below a bound cover it evenly', () => {
  const random = seededRandom(1);
  const counts = new Array<number>(7).fill(0);
  for (let i = 0; i < 70_000; i += 1) {
    const value = randomBelow(random, 7);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

test('fill writes every byte of a buffer whose length is no multiple of four', () => {
  const bytes = seededRandom(3).fill(new Uint8Array(4099));
  const distinct = new Set(bytes);
  expect(distinct.size).toBe(256);
  expect(bytes.subarray(4096).some((byte) => byte !== 0)).toBe(true);
});

test('a bound outside [1, 2^32] is refused', () => {
  for (const bound of [0, -1, 1.5, 2 ** 32 + 1, Number.NaN]) {
    expect(() => randomBelow(systemRandom, bound)).toThrow(RangeError);
  }
});
