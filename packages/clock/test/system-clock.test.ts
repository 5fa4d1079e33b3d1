import { expect, test } from 'vitest';
import { systemClock } from '../src/index.ts';

test('a timer of 0 ms fires after the I/O callbacks of the turn, a later one after it', async () => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    systemClock.setTimer(1, () => {
      order.push('delay');
      resolve();
    });
    systemClock.setTimer(0, () => order.push('turn'));
    queueMicrotask(() => order.push('microtask'));
    // Keeps this test's process alive: the clock's own timers never do.
    setTimeout(() => undefined, 50);
  });
  expect(order).toEqual(['microtask', 'turn', 'delay']);
});

test('a cancelled timer does not fire', async () => {
  let fired = false;
  systemClock
    .setTimer(0, () => {
      fired = true;
    })
    .cancel();
  systemClock
    .setTimer(1, () => {
      fired = true;
    })
    .cancel();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(fired).toBe(false);
});

test('monotonic time has fractions and does not go back', () => {
  const first = systemClock.monotonic();
  const second = systemClock.monotonic();
  expect(second).toBeGreaterThanOrEqual(first);
});
