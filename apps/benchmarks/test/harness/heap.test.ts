import { expect, test } from 'vitest';
import { allocatedBytes } from '../../src/harness/allocation-profile.ts';
import { heapAfterCollection } from '../../src/harness/heap.ts';

const NUMBERS = 100_000;

test('what is held shows in the heap, and what was let go does not', async () => {
  const before = await heapAfterCollection();
  let held: readonly number[][] = Array.from({ length: NUMBERS }, (_, i) => [i]);
  const growth = (await heapAfterCollection()) - before;
  expect(growth / held.length).toBeGreaterThan(20);
  held = [];
  expect((await heapAfterCollection()) - before).toBeLessThan(growth / 4);
});

test('a profile counts what was collected meanwhile, and finds nothing where nothing is taken', async () => {
  const numbers = new Float64Array(16);
  const sink: { last: readonly number[] } = { last: [] };
  const taking = await allocatedBytes(() => {
    for (let i = 0; i < NUMBERS; i += 1) sink.last = [i, i];
  });
  expect(taking / NUMBERS).toBeGreaterThan(20);
  const frugal = await allocatedBytes(() => {
    for (let i = 0; i < NUMBERS; i += 1) numbers[i & 15] = i;
  });
  expect(frugal).toBeLessThan(taking / 10);
});
