import { ManualClock, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { DEFAULT_RETRY_POLICY, RemoteStorageError, retry } from '../src/index.ts';

function failing(...failures: readonly unknown[]): {
  attempts: number[];
  run: (n: number) => Promise<string>;
} {
  const attempts: number[] = [];
  return {
    attempts,
    run: async (attempt) => {
      attempts.push(attempt);
      const failure = failures[attempt - 1];
      if (failure !== undefined) throw failure;
      return 'done';
    },
  };
}

const unavailable = new RemoteStorageError('unavailable', 'try again');

test('what passes is tried again until it succeeds', async () => {
  const clock = new ManualClock();
  const { attempts, run } = failing(unavailable, unavailable);
  const delays: number[] = [];
  const onRetry = (_: RemoteStorageError, _attempt: number, delayMs: number): number =>
    delays.push(delayMs);
  const running = retry({ clock, random: seededRandom(1), onRetry }, run);
  await clock.advanceAsync(1_000);
  await expect(running).resolves.toBe('done');
  expect(attempts).toEqual([1, 2, 3]);
  expect(delays[0]).toBeLessThan(50);
  expect(delays[1]).toBeLessThan(100);
  expect(clock.pendingTimers).toBe(0);
});

test('the last attempt throws its own failure', async () => {
  const clock = new ManualClock();
  const last = new RemoteStorageError('timeout', 'the third');
  const { attempts, run } = failing(unavailable, unavailable, last, undefined);
  const running = retry({ clock, random: seededRandom(1) }, run);
  running.catch(() => undefined);
  await clock.advanceAsync(1_000);
  await expect(running).rejects.toBe(last);
  expect(attempts).toHaveLength(3);
});

test.each([
  new RemoteStorageError('not-found', 'gone'),
  new RemoteStorageError('denied', 'no'),
  new RemoteStorageError('unavailable', 'for good', { retryable: false }),
  new TypeError('a bug'),
])('$message is not tried again', async (failure) => {
  const { attempts, run } = failing(failure);
  const context = { clock: new ManualClock(), random: seededRandom(1) };
  await expect(retry(context, run)).rejects.toBe(failure);
  expect(attempts).toEqual([1]);
});

test('a store that asks for a pause gets it, unless it asks for too much', async () => {
  const clock = new ManualClock();
  const asked = new RemoteStorageError('throttled', 'slow down', { retryAfterMs: 7_000 });
  const { attempts, run } = failing(asked);
  const running = retry({ clock, random: seededRandom(1) }, run);
  await clock.advanceAsync(6_999);
  expect(attempts).toEqual([1]);
  await clock.advanceAsync(501);
  await expect(running).resolves.toBe('done');
  const tooMuch = new RemoteStorageError('throttled', 'tomorrow', { retryAfterMs: 86_400_000 });
  await expect(retry({ clock, random: seededRandom(1) }, failing(tooMuch).run)).rejects.toBe(
    tooMuch,
  );
});

test('the pause has full jitter below a ceiling that doubles up to its bound', async () => {
  const policy = { ...DEFAULT_RETRY_POLICY, maxAttempts: 12, baseDelayMs: 100, maxDelayMs: 1_000 };
  const delays: number[][] = Array.from({ length: 11 }, () => []);
  for (let seed = 0; seed < 40; seed += 1) {
    const clock = new ManualClock();
    const { run } = failing(...Array(12).fill(unavailable));
    const onRetry = (_: RemoteStorageError, attempt: number, delayMs: number): unknown =>
      delays[attempt - 1]?.push(delayMs);
    const running = retry({ clock, random: seededRandom(seed), policy, onRetry }, run);
    running.catch(() => undefined);
    await clock.advanceAsync(20_000);
    await expect(running).rejects.toBe(unavailable);
  }
  for (const [index, seen] of delays.entries()) {
    const ceiling = Math.min(1_000, 100 * 2 ** index);
    expect(Math.max(...seen)).toBeLessThan(ceiling);
    expect(Math.max(...seen)).toBeGreaterThan(ceiling * 0.6);
    expect(Math.min(...seen)).toBeLessThan(ceiling * 0.4);
  }
});

test('an abort ends the pause', async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const reason = new Error('enough');
  const { attempts, run } = failing(unavailable);
  const running = retry({ clock, random: seededRandom(1), signal: controller.signal }, run);
  running.catch(() => undefined);
  await clock.advanceAsync(0);
  controller.abort(reason);
  await expect(running).rejects.toBe(reason);
  expect(attempts).toEqual([1]);
  expect(clock.pendingTimers).toBe(0);
});
