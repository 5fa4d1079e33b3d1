import type { Clock } from '@logloft/clock';

/**
 * Waits.
 *
 * @throws the reason of the signal
 */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimer(ms, resolve);
  try {
    await unlessAborted(promise, signal);
  } finally {
    timer.cancel();
  }
}

/**
 * Waits for a promise that knows nothing of the signal.
 *
 * @throws the reason of the signal, or what the promise rejects with
 */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
