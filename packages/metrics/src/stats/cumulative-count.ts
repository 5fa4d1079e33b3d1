import type { MetricConfig } from '../metric-config.ts';
import type { MeasurableStat } from '../stat.ts';

/** How often something was ever recorded, whatever the values. */
export class CumulativeCount implements MeasurableStat {
  readonly isCumulative = true;
  #count = 0;

  record(_config: MetricConfig, _value: number, _timeMs: number): void {
    this.#count += 1;
  }

  measure(_config: MetricConfig, _nowMs: number): number {
    return this.#count;
  }
}
