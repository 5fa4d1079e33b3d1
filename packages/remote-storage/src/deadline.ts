import type { Clock } from '@logloft/clock';
import { Watchdog } from './watchdog.ts';

/** How long something may take. */
export interface DeadlineOptions<T> {
  readonly clock: Clock;
  /** Ms until the promise rejects with `timeout`. */
  readonly ms: number;
  /** What is being done, for the message. */
  readonly action: string;
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Gets a result that comes after the deadline, to release what it holds. */
  readonly discard?: ((late: T) => unknown) | undefined;
}

/**
 * Runs an operation so that the promise settles in time, whether the operation listens to its signal
 * or not.
 *
 * @throws RemoteStorageError `timeout` after `ms`; the reason of `signal` when that aborts first
 */
export async function withDeadline<T>(
  options: DeadlineOptions<T>,
  operation: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, ms, action, key, signal, discard } = options;
  const watchdog = new Watchdog({ clock, action, key, deadlineMs: ms, signals: [signal] });
  try {
    return await watchdog.run(operation, discard);
  } finally {
    watchdog.close();
  }
}
