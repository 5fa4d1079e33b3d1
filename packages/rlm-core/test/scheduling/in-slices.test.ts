import { ManualClock } from '@logloft/clock';
import { describe, expect, it } from 'vitest';
import { inSlices, type SlicedWork } from '../../src/scheduling/in-slices.ts';

function* counting(to: number, seen: number[]): SlicedWork<string> {
  for (let at = 0; at < to; at += 1) {
    seen.push(at);
    yield;
  }
  return 'done';
}

describe('work in slices', () => {
  it('lets timers of others fire in between, and gives what the work gives', async () => {
    const clock = new ManualClock();
    const seen: number[] = [];
    const { signal } = new AbortController();
    const result = inSlices(counting(3, seen), clock, signal);
    expect(seen).toEqual([0]);
    clock.setTimer(0, () => seen.push(-1));
    await clock.advanceAsync(0);
    expect(await result).toBe('done');
    expect(seen.indexOf(-1)).toBeLessThan(seen.indexOf(2));
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends between two slices for a signal, and with the error of the work', async () => {
    const clock = new ManualClock();
    const seen: number[] = [];
    const controller = new AbortController();
    const result = inSlices(counting(9, seen), clock, controller.signal);
    controller.abort(new Error('enough'));
    const refused = expect(result).rejects.toThrow('enough');
    await clock.advanceAsync(0);
    await refused;
    expect(seen).toEqual([0]);
    const failing = (function* (): SlicedWork<never> {
      yield;
      throw new Error('broken');
    })();
    const broken = inSlices(failing, clock, new AbortController().signal);
    const thrown = expect(broken).rejects.toThrow('broken');
    await clock.advanceAsync(0);
    await thrown;
  });
});
