import type { MetricConfig } from '../metric-config.ts';
import type { MeasurableStat } from '../stat.ts';

/** The sum of all that was ever recorded. */
export class CumulativeSum implements MeasurableStat {
  readonly isCumulative = true;
  #total = 0;

  /** @param initialTotal the sum to begin with. Default 0. */
  constructor(initialTotal = 0) {
    this.#total = initialTotal;
  }

  record(_config: MetricConfig, value: number, _timeMs: number): void {
    this.#total += value;
  }

  measure(_config: MetricConfig, _nowMs: number): number {
    return this.#total;
  }
}
