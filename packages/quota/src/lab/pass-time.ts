import type { ManualClock } from '@logloft/clock';

/** After how many timers others in the process get a turn. */
const STEPS_A_TURN = 1_000;

/**
 * Moves a clock from timer to timer until it is over or the time is up, and lets promises run in
 * between. Where nothing but promises waits for timers, that is many times faster than
 * `advanceAsync`, which waits for I/O as well.
 */
export async function passTime(
  clock: ManualClock,
  endMs: number,
  isOver: () => boolean,
): Promise<void> {
  await promisesToRun();
  for (let steps = 1; !isOver(); steps += 1) {
    const leftMs = endMs - clock.monotonic();
    if (leftMs <= 0) return;
    clock.advance(Math.min(clock.nextTimerInMs ?? leftMs, leftMs));
    if (steps % STEPS_A_TURN === 0) await clock.advanceAsync(0);
    else await promisesToRun();
  }
}

/** A tick that is asked for by a promise runs when the queue of promises is empty. */
function promisesToRun(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
