import { randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { compareUtf8, SortedKeys } from '../../src/storage/sorted-keys.ts';

const SEED = 4711;
const LETTERS = [
  'a',
  'b',
  '/',
  '\u007f',
  '\u0080',
  'é',
  '\ud7ff',
  '\ue000',
  '\uff00',
  '😀',
  '\u{10ffff}',
];

function randomKey(random: ReturnType<typeof seededRandom>): string {
  const length = randomBelow(random, 5);
  return Array.from({ length }, () => LETTERS[randomBelow(random, LETTERS.length)]).join('');
}

test(`strings are ordered by the bytes of their UTF-8 (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  for (let turn = 0; turn < 5_000; turn += 1) {
    const [a, b] = [randomKey(random), randomKey(random)];
    const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect(Math.sign(compareUtf8(a, b)), JSON.stringify([a, b])).toBe(bytes);
  }
});

test(`after any changes the keys are those of a map, in order (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const keys = new SortedKeys<number>();
  const model = new Map<string, number>();
  for (let turn = 0; turn < 3_000; turn += 1) {
    const key = randomKey(random);
    if (randomBelow(random, 3) === 0) {
      expect(keys.delete(key)).toBe(model.delete(key));
    } else {
      keys.set(key, turn);
      model.set(key, turn);
    }
    expect(keys.get(key)).toBe(model.get(key));
    expect(keys.size).toBe(model.size);
  }
  const sorted = [...model].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(keys.values()).toEqual(sorted.map(([, value]) => value));
  expect(sorted.map((_, index) => keys.keyAt(index))).toEqual(sorted.map(([key]) => key));
  keys.clear();
  expect([keys.size, keys.keyAt(0)]).toEqual([0, undefined]);
});
