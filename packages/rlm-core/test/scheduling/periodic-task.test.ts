import { ManualClock, seededRandom } from '@logloft/clock';
import { RemoteStorageError } from '@logloft/remote-storage';
import { describe, expect, it } from 'vitest';
import { PeriodicTask } from '../../src/scheduling/periodic-task.ts';
import { retryDelayMs } from '../../src/scheduling/retry-delay.ts';

function counted(durationMs: number, delays: (number | undefined)[] = []) {
  const clock = new ManualClock();
  const starts: number[] = [];
  const task = new PeriodicTask({
    clock,
    run: async (signal) => {
      starts.push(clock.monotonic());
      await new Promise<void>((resolve) => {
        const timer = clock.setTimer(durationMs, resolve);
        signal.addEventListener('abort', () => {
          timer.cancel();
          resolve();
        });
      });
      return delays.length > 0 ? delays.shift() : 100;
    },
  });
  return { clock, starts, task };
}

describe('a periodic task', () => {
  it('runs at once, then with the delay after each end, and never twice at a time', async () => {
    const { clock, starts, task } = counted(30);
    task.start();
    await clock.advanceAsync(400);
    expect(starts).toEqual([0, 130, 260, 390]);
    await task.stop('end');
    expect(clock.pendingTimers).toBe(0);
  });

  it('aborts the run when stopped, and has ended it then', async () => {
    const { clock, starts, task } = counted(1_000_000);
    task.start();
    await clock.advanceAsync(0);
    await task.stop('end');
    await clock.advanceAsync(10_000);
    expect(starts).toEqual([0]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('can be hurried between two runs', async () => {
    const { clock, starts, task } = counted(10);
    task.start();
    await clock.advanceAsync(50);
    task.hurry();
    await clock.advanceAsync(5);
    task.hurry();
    await clock.advanceAsync(50);
    expect(starts).toEqual([0, 50]);
    await task.stop('end');
  });

  it('ends when a run says so', async () => {
    const { clock, starts, task } = counted(0, [5, undefined]);
    task.start();
    await clock.advanceAsync(1000);
    expect(starts).toEqual([0, 5]);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('the delay to the next run', () => {
  const policy = { intervalMs: 100, backoffMs: 500, backoffMaxMs: 4000, jitter: 0 };
  const random = seededRandom(1);

  it('is the interval after success, and doubles with failures up to the most', () => {
    expect([0, 1, 2, 3, 4, 5, 100].map((n) => retryDelayMs(policy, random, n))).toEqual([
      100, 500, 1000, 2000, 4000, 4000, 4000,
    ]);
  });

  it('is never below the interval, nor below what the store asks for', () => {
    expect(retryDelayMs({ ...policy, intervalMs: 30_000 }, random, 1)).toBe(30_000);
    const busy = new RemoteStorageError('throttled', 'busy', { retryAfterMs: 9000 });
    expect(retryDelayMs(policy, random, 1, busy)).toBe(9000);
  });

  it('is moved by chance within the jitter', () => {
    for (let i = 0; i < 200; i += 1) {
      const delay = retryDelayMs({ ...policy, jitter: 0.2 }, random, 2);
      expect(delay).toBeGreaterThanOrEqual(800);
      expect(delay).toBeLessThanOrEqual(1200);
    }
  });
});
