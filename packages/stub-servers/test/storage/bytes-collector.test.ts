import { randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BytesCollector } from '../../src/storage/bytes-collector.ts';
import { MemoryBudget, MemoryBudgetError } from '../../src/storage/memory-budget.ts';
import { StoredBytes } from '../../src/storage/stored-bytes.ts';

const SEED = 77;

test(`what was pushed in pieces comes out whole, and any slice of it (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  for (let turn = 0; turn < 60; turn += 1) {
    const budget = new MemoryBudget(8_000_000);
    const collector = new BytesCollector(budget);
    const pieces = Array.from({ length: randomBelow(random, 40) + 1 }, () =>
      random.fill(new Uint8Array(randomBelow(random, randomBelow(random, 2) === 0 ? 20 : 100_000))),
    );
    for (const piece of pieces) collector.push(piece);
    const whole = Buffer.concat(pieces);
    // The pieces' memory is the caller's again.
    for (const piece of pieces) piece.fill(0);
    expect(collector.size).toBe(whole.length);
    const stored = collector.finish();
    expect(stored.toBuffer().equals(whole)).toBe(true);
    expect(budget.usedBytes).toBe(stored.size);
    const start = randomBelow(random, whole.length + 2);
    const end = start + randomBelow(random, whole.length + 2);
    expect(stored.slice(start, end).toBuffer().equals(whole.subarray(start, end))).toBe(true);
    const joined = StoredBytes.join([stored, StoredBytes.EMPTY, stored.slice(0, 3)]);
    expect(joined.toBuffer().equals(Buffer.concat([whole, whole.subarray(0, 3)]))).toBe(true);
    // Nothing is left in it to be given back twice.
    collector.discard();
    expect(budget.usedBytes).toBe(stored.size);
  }
});

test('pieces of one byte are gathered in few buffers', () => {
  const collector = new BytesCollector(new MemoryBudget(100_000));
  for (let at = 0; at < 100_000; at += 1) collector.push(Buffer.of(at));
  expect(collector.finish().pieces.length).toBeLessThan(10);
});

test('a small body takes no large buffer', () => {
  const collector = new BytesCollector(new MemoryBudget(100));
  collector.push(Buffer.from('small'));
  expect(collector.finish().pieces[0]?.buffer.byteLength).toBe(5);
});

test('beyond the budget nothing is taken, and what is discarded is given back', () => {
  const budget = new MemoryBudget(10);
  const collector = new BytesCollector(budget);
  collector.push(Buffer.alloc(6));
  expect(() => collector.push(Buffer.alloc(5))).toThrow(MemoryBudgetError);
  expect([collector.size, budget.usedBytes]).toEqual([6, 6]);
  collector.push(Buffer.alloc(4));
  expect(() => budget.assertRoom(1)).toThrow('10 of 10 are taken');
  collector.discard();
  expect(budget.usedBytes).toBe(0);
  expect(() => new MemoryBudget(-1)).toThrow(RangeError);
});
