import type { ManualClock } from '@logloft/clock';
import { isRemoteStorageError, type RemoteStorageError } from '@logloft/remote-storage';
import { expect } from 'vitest';

/** Lets sockets do what they have to do until something is so; the test's own time-out is the bound. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await turn();
}

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Moves a clock on until a promise settles, however often something waits anew. */
export async function pass<T>(clock: ManualClock, stepMs: number, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = (): void => {
    isSettled = true;
  };
  promise.then(settled, settled);
  while (!isSettled) {
    clock.advance(stepMs);
    await turn();
  }
  return await promise;
}

/** The RemoteStorageError that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<RemoteStorageError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (reason: unknown) => reason,
  );
  if (isRemoteStorageError(outcome)) return outcome;
  expect.fail(`must reject with a RemoteStorageError, got ${String(outcome)}`);
}
