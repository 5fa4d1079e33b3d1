import { randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { type Lane, type LanePriority, RequestLanes } from '../../src/read/request-lanes.ts';

/** Lanes, and the names of who has entered, in order. */
function lanes(maxRequests: number, maxAhead: number) {
  const all = new RequestLanes({ maxRequests, maxAhead });
  const entered: string[] = [];
  const join = (name: string, priority: LanePriority): Lane => {
    const lane = all.join(priority);
    void lane.entered.then(() => entered.push(name));
    return lane;
  };
  return { all, join, entered };
}

test('direct requests go before those ahead, however late they come', async () => {
  const { join, entered } = lanes(1, 1);
  const first = join('first', 'direct');
  join('ahead', 'ahead');
  const second = join('second', 'direct');
  first.leave();
  second.leave();
  await first.entered;
  await new Promise(setImmediate);
  expect(entered).toEqual(['first', 'second', 'ahead']);
});

test('read-ahead leaves room for a reader who waits', async () => {
  const { join, entered, all } = lanes(3, 2);
  for (const name of ['a', 'b', 'c']) join(name, 'ahead');
  join('direct', 'direct');
  await new Promise(setImmediate);
  expect(entered).toEqual(['a', 'b', 'direct']);
  expect(all.running).toBe(3);
});

test('one that is promoted in the queue goes first, and on its way it makes room for others ahead', async () => {
  const { join, entered } = lanes(2, 1);
  const a = join('a', 'ahead');
  const b = join('b', 'ahead');
  join('c', 'ahead').promote();
  await new Promise(setImmediate);
  expect(entered).toEqual(['a', 'c']);
  a.promote();
  a.leave();
  await b.entered;
});

test('whoever leaves the queue, or leaves twice, takes nothing from anybody', async () => {
  const { join, all } = lanes(1, 1);
  const first = join('first', 'direct');
  const gone = join('gone', 'direct');
  gone.leave();
  gone.promote();
  first.leave();
  first.leave();
  expect(all.running).toBe(0);
  const next = join('next', 'ahead');
  await next.entered;
  expect(all.running).toBe(1);
});

test('bounds hold and everybody gets through, whatever the order (100 seeds)', async () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const random = seededRandom(seed);
    const maxRequests = 1 + randomBelow(random, 5);
    const { all, join, entered } = lanes(maxRequests, randomBelow(random, maxRequests + 1));
    let waiting = 0;
    const inside: Lane[] = [];
    for (let step = 0; step < 100; step += 1) {
      const lane = join(String(step), randomBelow(random, 2) === 0 ? 'direct' : 'ahead');
      waiting += 1;
      void lane.entered.then(() => {
        waiting -= 1;
        inside.push(lane);
      });
      if (randomBelow(random, 4) === 0) lane.promote();
      await Promise.resolve();
      expect(all.running).toBeLessThanOrEqual(maxRequests);
      if (randomBelow(random, 2) === 0) inside.shift()?.leave();
    }
    await new Promise(setImmediate);
    while (inside.length > 0) {
      inside.shift()?.leave();
      await new Promise(setImmediate);
    }
    // Those ahead may have no lane at all.
    expect(entered.length + waiting).toBe(100);
    expect(all.running).toBe(0);
  }
});
