import type { MetricConfig } from '../metric-config.ts';
import type { MeasurableStat } from '../stat.ts';

/** The last recorded value; 0 before the first. */
export class Value implements MeasurableStat {
  #last = 0;

  record(_config: MetricConfig, value: number, _timeMs: number): void {
    this.#last = value;
  }

  measure(_config: MetricConfig, _nowMs: number): number {
    return this.#last;
  }
}
