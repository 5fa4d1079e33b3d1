import { expect, test } from 'vitest';
import { MAX_TIMER_MS, ManualClock } from '../src/index.ts';

test('timers fire in the order of their due times, ties in the order in which they were set', () => {
  const clock = new ManualClock({ startMs: 1000 });
  const fired: string[] = [];
  clock.setTimer(20, () => fired.push(`b@${clock.now()}`));
  clock.setTimer(10, () => fired.push(`a@${clock.now()}`));
  clock.setTimer(20, () => fired.push(`c@${clock.now()}`));
  clock.advance(19);
  expect(fired).toEqual(['a@1010']);
  clock.advance(1);
  expect(fired).toEqual(['a@1010', 'b@1020', 'c@1020']);
  expect(clock.pendingTimers).toBe(0);
});

test('a timer that is set by a timer fires within the same advance when it is due', () => {
  const clock = new ManualClock({ startMs: 0 });
  const fired: number[] = [];
  const again = (): void => {
    fired.push(clock.monotonic());
    if (fired.length < 3) clock.setTimer(5, again);
  };
  clock.setTimer(5, again);
  clock.advance(100);
  expect(fired).toEqual([5, 10, 15]);
  expect(clock.monotonic()).toBe(100);
});

test('a cancelled timer never fires and is forgotten, also when cancelled twice or by another timer', () => {
  const clock = new ManualClock();
  let fired = 0;
  const second = clock.setTimer(10, () => {
    fired += 1;
  });
  clock.setTimer(10, () => second.cancel());
  const third = clock.setTimer(5, () => third.cancel());
  second.cancel();
  second.cancel();
  clock.advance(50);
  expect(fired).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

test('advanceAsync fires timers that are set behind an await', async () => {
  const clock = new ManualClock();
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      clock.setTimer(ms, resolve);
    });
  let done = false;
  const work = (async () => {
    await sleep(10);
    await Promise.resolve();
    await sleep(10);
    done = true;
  })();
  await clock.advanceAsync(20);
  expect(done).toBe(true);
  await work;
});

test('setting the wall time moves neither the monotonic time nor the timers', () => {
  const clock = new ManualClock({ startMs: 5000 });
  clock.setTimer(10, () => undefined);
  clock.setWallTime(1);
  expect(clock.now()).toBe(1);
  expect(clock.monotonic()).toBe(0);
  expect(clock.nextTimerInMs).toBe(10);
});

test('a delay beyond what a timer holds is cut, not fired at once', () => {
  const clock = new ManualClock();
  clock.setTimer(Number.POSITIVE_INFINITY, () => undefined);
  expect(clock.nextTimerInMs).toBe(MAX_TIMER_MS);
});

test('advancing by a negative, infinite or absent time is refused', () => {
  const clock = new ManualClock();
  for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => clock.advance(ms)).toThrow(RangeError);
  }
});
