import type { RandomSource } from '@logloft/clock';
import { isRemoteStorageError } from '@logloft/remote-storage';

/** How runs that fail are spaced. */
export interface RetryPolicy {
  /** Ms between runs that succeed, and the least between runs that fail. */
  readonly intervalMs: number;
  /** Ms after the first failure; doubled with each further one. */
  readonly backoffMs: number;
  /** The most, in ms, before the jitter. */
  readonly backoffMaxMs: number;
  /** How far chance moves the delay up or down, 0 to 0.5 of it. */
  readonly jitter: number;
}

/**
 * Ms until the next run.
 *
 * @param failures runs that failed in a row, 0 after a success
 * @param error of the last failure; a store that says how long to wait is heard
 */
export function retryDelayMs(
  policy: RetryPolicy,
  random: RandomSource,
  failures: number,
  error?: unknown,
): number {
  if (failures === 0) return policy.intervalMs;
  const doubled = policy.backoffMs * 2 ** Math.min(failures - 1, 40);
  const chance = 1 + policy.jitter * (random.nextUint32() / 2 ** 31 - 1);
  const asked = isRemoteStorageError(error) ? (error.retryAfterMs ?? 0) : 0;
  const delay = Math.min(doubled, policy.backoffMaxMs) * chance;
  return Math.max(policy.intervalMs, Math.round(delay), asked);
}
