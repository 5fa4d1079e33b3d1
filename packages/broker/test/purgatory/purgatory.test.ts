import { getEventListeners } from 'node:events';
import { ManualClock, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { DeadlineQueue } from '../../src/purgatory/deadline-queue.ts';
import { park } from '../../src/purgatory/parked-request.ts';
import { WatchList } from '../../src/purgatory/watch-list.ts';

test('no deadline fires early, none later than a slot, and none after it was cancelled', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = seededRandom(seed);
    const clock = new ManualClock();
    const queue = new DeadlineQueue(clock, 10);
    let pending = 0;
    for (let step = 0; step < 300; step += 1) {
      const ms = randomBelow(random, 200);
      const due = clock.monotonic() + ms;
      let live = true;
      pending += 1;
      const deadline = queue.add(
        {
          onDeadline: () => {
            expect(live, `seed ${seed}`).toBe(true);
            expect(clock.monotonic(), `seed ${seed}`).toBeGreaterThanOrEqual(due);
            expect(clock.monotonic(), `seed ${seed}`).toBeLessThan(due + 11);
            live = false;
            pending -= 1;
          },
        },
        ms,
      );
      if (randomBelow(random, 3) === 0) {
        clock.advance(randomBelow(random, 30));
        if (live) pending -= 1;
        live = false;
        deadline.cancel();
      }
      expect(queue.size).toBe(pending);
    }
    clock.advance(1000);
    expect(pending).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  }
});

test('ten thousand waiters share one timer, and none is left when they are gone', () => {
  const clock = new ManualClock();
  const queue = new DeadlineQueue(clock);
  const deadlines = Array.from({ length: 10_000 }, (_, i) =>
    queue.add({ onDeadline: () => undefined }, 500 + (i % 50)),
  );
  expect(clock.pendingTimers).toBe(1);
  for (const deadline of deadlines) deadline.cancel();
  expect(clock.pendingTimers).toBe(0);
});

test('a parked request ends by an event that satisfies it, and only by that', async () => {
  const clock = new ManualClock();
  const deadlines = new DeadlineQueue(clock);
  const list = new WatchList();
  const gone = new AbortController();
  let ready = false;
  let asked = 0;
  const outcome = park(deadlines, {
    maxWaitMs: 1000,
    watched: [list],
    isSatisfied: () => {
      asked += 1;
      return ready;
    },
    gone: gone.signal,
  });
  list.notify();
  list.notify();
  await Promise.resolve();
  expect(asked).toBe(1);
  ready = true;
  list.notify();
  expect(await outcome).toBe('satisfied');
  expect(list.size).toBe(0);
  expect(clock.pendingTimers).toBe(0);
  expect(getEventListeners(gone.signal, 'abort')).toHaveLength(0);
});

test('a parked request ends at its deadline, or when its client goes, and leaves nothing behind', async () => {
  const clock = new ManualClock();
  const deadlines = new DeadlineQueue(clock);
  const list = new WatchList();
  const gone = new AbortController();
  const options = { maxWaitMs: 500, watched: [list], isSatisfied: () => false, gone: gone.signal };
  const first = park(deadlines, options);
  clock.advance(520);
  expect(await first).toBe('timed-out');
  const second = park(deadlines, options);
  gone.abort();
  expect(await second).toBe('client-gone');
  expect(await park(deadlines, options)).toBe('client-gone');
  expect(list.size).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

test('a condition that throws ends the wait, so that the request meets it where it can be answered', async () => {
  const clock = new ManualClock();
  const deadlines = new DeadlineQueue(clock);
  const list = new WatchList();
  const outcome = park(deadlines, {
    maxWaitMs: 1000,
    watched: [list],
    isSatisfied: () => {
      throw new Error('the disk is on fire');
    },
    gone: new AbortController().signal,
  });
  list.notify();
  expect(await outcome).toBe('satisfied');
  expect([list.size, clock.pendingTimers]).toEqual([0, 0]);
});
