import { getEventListeners } from 'node:events';
import { ManualClock } from '@logloft/clock';
import { expect, test } from 'vitest';
import { Watchdog, withDeadline } from '../src/index.ts';
import { forEver } from './map-object-store.ts';

const action = 'Doing it';

test('what ends in time is passed on, and no timer or listener stays', async () => {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  await expect(withDeadline({ clock, ms: 10, action, signal }, async () => 7)).resolves.toBe(7);
  const failure = new Error('its own');
  const failing = withDeadline({ clock, ms: 10, action, signal }, async () => {
    throw failure;
  });
  await expect(failing).rejects.toBe(failure);
  expect(clock.pendingTimers).toBe(0);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('what does not listen is left behind at the deadline, and its late result is discarded', async () => {
  const clock = new ManualClock();
  const late = Promise.withResolvers<string>();
  const discarded: string[] = [];
  let inner: AbortSignal | undefined;
  const discard = (value: string): number => discarded.push(value);
  const running = withDeadline({ clock, ms: 1_000, action, key: 'k', discard }, (signal) => {
    inner = signal;
    return late.promise;
  });
  running.catch(() => undefined);
  await clock.advanceAsync(999);
  expect(inner?.aborted).toBe(false);
  await clock.advanceAsync(1);
  await expect(running).rejects.toMatchObject({
    kind: 'timeout',
    retryable: true,
    message: 'Doing it "k" did not end within 1000 ms',
  });
  expect(inner?.reason).toMatchObject({ kind: 'timeout' });
  late.resolve('late');
  await clock.advanceAsync(0);
  expect(discarded).toEqual(['late']);
  expect(clock.pendingTimers).toBe(0);
});

test('the reason of a signal wins at once, before and during the run', async () => {
  const clock = new ManualClock();
  const reason = new Error('enough');
  const early = withDeadline({ clock, ms: 10, action, signal: AbortSignal.abort(reason) }, forEver);
  await expect(early).rejects.toBe(reason);
  const controller = new AbortController();
  const running = withDeadline({ clock, ms: 10, action, signal: controller.signal }, forEver);
  controller.abort(reason);
  await expect(running).rejects.toBe(reason);
  expect(clock.pendingTimers).toBe(0);
});

test('silence is noticed, movement is not silence, and a pause does not count', async () => {
  const clock = new ManualClock();
  const watchdog = new Watchdog({ clock, action, idleMs: 100 });
  const running = watchdog.run(forEver);
  running.catch(() => undefined);
  for (let round = 0; round < 5; round += 1) {
    await clock.advanceAsync(90);
    watchdog.touch();
  }
  const pause = Promise.withResolvers<void>();
  const paused = watchdog.pausedFor(() => pause.promise);
  await clock.advanceAsync(10_000);
  expect(watchdog.signal.aborted).toBe(false);
  pause.resolve();
  await paused;
  await clock.advanceAsync(99);
  expect(watchdog.signal.aborted).toBe(false);
  await clock.advanceAsync(1);
  await expect(running).rejects.toMatchObject({ kind: 'timeout' });
  watchdog.close();
  expect(clock.pendingTimers).toBe(0);
});

test('nobody is watched between two runs', async () => {
  const clock = new ManualClock();
  const watchdog = new Watchdog({ clock, action, idleMs: 100 });
  await watchdog.run(async () => undefined);
  expect(clock.pendingTimers).toBe(0);
  await clock.advanceAsync(10_000);
  await expect(watchdog.run(async () => 'again')).resolves.toBe('again');
});

test('a stopped operation gets its grace to clean up, and no more', async () => {
  const clock = new ManualClock();
  const reason = new Error('enough');
  const controller = new AbortController();
  const signals = [controller.signal];
  const watchdog = new Watchdog({ clock, action, graceMs: 50, signals });
  const cleaned = Promise.withResolvers<void>();
  const tidy = watchdog.run(() => cleaned.promise);
  const hung = watchdog.run(forEver);
  let rejected = 0;
  for (const run of [tidy, hung]) {
    run.catch(() => {
      rejected += 1;
    });
  }
  controller.abort(reason);
  await clock.advanceAsync(49);
  expect(rejected).toBe(0);
  cleaned.resolve();
  await expect(tidy).rejects.toBe(reason);
  await clock.advanceAsync(1);
  await expect(hung).rejects.toBe(reason);
  watchdog.close();
});

test('a throw before the first promise is a rejection', async () => {
  const watchdog = new Watchdog({ clock: new ManualClock(), action });
  const running = watchdog.run(() => {
    throw new Error('at once');
  });
  await expect(running).rejects.toThrow('at once');
});
