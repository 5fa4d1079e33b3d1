import { ByteLimit } from './byte-limit.ts';
import { InvalidQuotaOptionError } from './errors.ts';

/** How many callers may wait for one quota or pacer by default. */
export const DEFAULT_MAX_WAITERS = 10_000;

/** A limit as a number of bytes per second, 2^63 for none. */
export function boundOf(limit: ByteLimit | number): number {
  if (limit instanceof ByteLimit) return limit.bytesPerSecond;
  if (limit === Number.POSITIVE_INFINITY) return ByteLimit.unlimited.bytesPerSecond;
  if (limit >= 0) return limit;
  throw new InvalidQuotaOptionError(
    `limit must be at least 0 bytes per second (Infinity for none), got ${limit}`,
  );
}

/**
 * `value` if it is an integer from `least`.
 *
 * @throws InvalidQuotaOptionError otherwise
 */
export function integerFrom(least: number, option: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new InvalidQuotaOptionError(`${option} must be an integer from ${least}, got ${value}`);
}

/**
 * `value` if it is a finite number from `least`.
 *
 * @throws InvalidQuotaOptionError otherwise
 */
export function numberFrom(least: number, option: string, value: number): number {
  if (Number.isFinite(value) && value >= least) return value;
  throw new InvalidQuotaOptionError(`${option} must be a number from ${least}, got ${value}`);
}

/** @throws InvalidQuotaOptionError when there is a time-out and it is below 0 or NaN */
export function checkedTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || timeoutMs >= 0) return;
  throw new InvalidQuotaOptionError(`timeoutMs must be a number from 0, got ${timeoutMs}`);
}
