import { ManualClock } from '@logloft/clock';
import { expect, it } from 'vitest';
import { Deadline } from '../../src/group/deadline.ts';

function deadline(): { clock: ManualClock; deadline: Deadline; reachedAt: number[] } {
  const clock = new ManualClock();
  const reachedAt: number[] = [];
  return {
    clock,
    deadline: new Deadline(clock, () => reachedAt.push(clock.monotonic())),
    reachedAt,
  };
}

it('is reached once, after the time it was last set to', () => {
  const { clock, deadline: end, reachedAt } = deadline();
  end.restart(100);
  clock.advance(60);
  end.restart(100);
  clock.advance(1000);
  expect(reachedAt).toEqual([160]);
  expect(end.isSet).toBe(false);
});

it('can be set to an earlier time', () => {
  const { clock, deadline: end, reachedAt } = deadline();
  end.restart(1000);
  end.restart(10);
  clock.advance(2000);
  expect(reachedAt).toEqual([10]);
});

it('takes one timer however often it is moved', () => {
  const { clock, deadline: end } = deadline();
  for (let i = 0; i < 1000; i += 1) end.restart(1000 + i);
  expect(clock.pendingTimers).toBe(1);
  end.cancel();
  expect(clock.pendingTimers).toBe(0);
});

it('that was cancelled is not reached, and can be set again', () => {
  const { clock, deadline: end, reachedAt } = deadline();
  end.restart(10);
  end.cancel();
  clock.advance(100);
  expect(reachedAt).toEqual([]);
  end.restart(0);
  clock.advance(0);
  expect(reachedAt).toEqual([100]);
});
