import type { ManualClock } from '@logloft/clock';

/**
 * Moves the clock and lets promises, but no I/O, run after each timer. Much faster than
 * `advanceAsync` where thousands of timers fire and nothing but promises is involved.
 */
export async function advance(clock: ManualClock, ms: number): Promise<void> {
  const endMs = clock.monotonic() + ms;
  await promisesToRun();
  for (;;) {
    const nextMs = clock.nextTimerInMs;
    if (nextMs === undefined || clock.monotonic() + nextMs > endMs) break;
    clock.advance(nextMs);
    await promisesToRun();
  }
  clock.advance(Math.max(0, endMs - clock.monotonic()));
  await promisesToRun();
}

/** A tick runs when the queue of promises is empty. */
export function promisesToRun(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
