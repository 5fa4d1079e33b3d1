import type { MetricConfig } from '../metric-config.ts';
import type { QuotaBound } from '../quota-bound.ts';
import type { MeasurableStat } from '../stat.ts';
import { millisecondsIn, type TimeUnit } from '../time-unit.ts';

/** What an unlimited bucket holds: 2^63, Kafka's greatest long as a number. */
const UNLIMITED_TOKENS = 2 ** 63;

/**
 * Tokens that come in at the rate of the metric's quota and are taken by what is recorded. It holds
 * at most the tokens of the whole window (samples x time window). Recording more than there is makes
 * the number negative, which is what violates the quota; a negative record gives tokens back.
 *
 * It begins empty at time 0, so by a wall clock it is full at its first use. Without a quota it is
 * always full.
 */
export class TokenBucket implements MeasurableStat {
  readonly #unit: TimeUnit;
  #tokens = 0;
  #updatedMs = 0;

  /** @param unit the time that the quota is per. Default `seconds`. */
  constructor(unit: TimeUnit = 'seconds') {
    this.#unit = unit;
  }

  record(config: MetricConfig, value: number, timeMs: number): void {
    if (config.quota === undefined) return;
    const capacity = this.#refill(config, config.quota, timeMs);
    this.#tokens = Math.min(capacity, this.#tokens - value);
  }

  measure(config: MetricConfig, nowMs: number): number {
    if (config.quota === undefined) return UNLIMITED_TOKENS;
    this.#refill(config, config.quota, nowMs);
    return this.#tokens;
  }

  /** The bound is the rate of refilling, so it is the tokens left that are judged. */
  isWithin(_quota: QuotaBound, tokens: number): boolean {
    return !(tokens < 0);
  }

  #refill(config: MetricConfig, quota: QuotaBound, timeMs: number): number {
    const window = millisecondsIn(this.#unit, config.timeWindowMs);
    const capacity = config.samples * window * quota.bound;
    const fresh = quota.bound * millisecondsIn(this.#unit, timeMs - this.#updatedMs);
    this.#tokens = Math.min(capacity, this.#tokens + fresh);
    this.#updatedMs = timeMs;
    return capacity;
  }
}
