import type { Clock, RandomSource } from '@logloft/clock';
import { delay } from './delay.ts';
import { isRemoteStorageError, type RemoteStorageError } from './errors.ts';

/** How often and how patiently something is tried again. */
export interface RetryPolicy {
  /** Attempts in all, >= 1. */
  readonly maxAttempts: number;
  /** The first pause is a random part of this many ms; each later one of twice the one before. */
  readonly baseDelayMs: number;
  /** The same after `throttled`, when the store wants to be left in peace. */
  readonly throttledBaseDelayMs: number;
  /** Longest pause in ms of this policy's own making. */
  readonly maxDelayMs: number;
  /** Longest pause in ms that a store may ask for (`Retry-After`); beyond it, the failure stands. */
  readonly maxRetryAfterMs: number;
}

/** Three attempts, pauses of up to 50 and 100 ms, or of up to 500 and 1,000 ms when throttled. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = Object.freeze({
  maxAttempts: 3,
  baseDelayMs: 50,
  throttledBaseDelayMs: 500,
  maxDelayMs: 5_000,
  maxRetryAfterMs: 30_000,
});

/** What {@link retry} needs. */
export interface RetryOptions {
  readonly clock: Clock;
  /** Source of the jitter. */
  readonly random: RandomSource;
  readonly policy?: RetryPolicy | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told before each pause. */
  readonly onRetry?:
    | ((failure: RemoteStorageError, attempt: number, delayMs: number) => void)
    | undefined;
}

/**
 * Tries an operation until it succeeds, fails for good, or has had its attempts. Only failures that
 * say so (`retryable`) are tried again, after a pause with full jitter that honours `retryAfterMs`.
 *
 * @param operation given the number of the attempt, from 1
 * @throws the last failure, or the reason of `signal` when it aborts during a pause
 */
export async function retry<T>(
  options: RetryOptions,
  operation: (attempt: number) => Promise<T>,
): Promise<T> {
  const { clock, random, policy = DEFAULT_RETRY_POLICY, signal, onRetry } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation(attempt);
    } catch (error) {
      if (!isRemoteStorageError(error) || !error.retryable) throw error;
      if (attempt >= policy.maxAttempts || signal?.aborted) throw error;
      const delayMs = retryPauseMs(error, attempt, { policy, random });
      if (delayMs === undefined) throw error;
      onRetry?.(error, attempt, delayMs);
      await delay(clock, delayMs, signal);
    }
  }
}

/**
 * Ms to wait after a failed attempt: what the store asked for, and a random part of a ceiling that
 * doubles with each attempt.
 *
 * @param attempt the one that failed, from 1
 * @returns `undefined` when the store asks for more than the policy grants
 */
export function retryPauseMs(
  failure: RemoteStorageError,
  attempt: number,
  { policy, random }: { readonly policy: RetryPolicy; readonly random: RandomSource },
): number | undefined {
  const asked = failure.retryAfterMs ?? 0;
  if (asked > policy.maxRetryAfterMs) return undefined;
  const base = failure.kind === 'throttled' ? policy.throttledBaseDelayMs : policy.baseDelayMs;
  const ceiling = Math.min(policy.maxDelayMs, base * 2 ** (attempt - 1));
  return asked + (random.nextUint32() / 2 ** 32) * ceiling;
}
