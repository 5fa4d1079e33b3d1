import type { Clock } from '@logloft/clock';

/** Work that gives way each time it yields. */
export type SlicedWork<T> = Generator<undefined, T, undefined>;

/**
 * Carries work out slice by slice, so that I/O and timers of others get their turn between two slices.
 *
 * @throws what the work throws; the reason of `signal` when it is aborted between two slices
 */
export async function inSlices<T>(
  work: SlicedWork<T>,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await new Promise<void>((resolve) => {
      clock.setTimer(0, resolve);
    });
    signal.throwIfAborted();
  }
}
