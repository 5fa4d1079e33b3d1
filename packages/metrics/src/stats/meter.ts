import type { MetricConfig } from '../metric-config.ts';
import type { MetricName } from '../metric-name.ts';
import type { CompoundStat, NamedMeasurable } from '../stat.ts';
import type { TimeUnit } from '../time-unit.ts';
import { CumulativeCount } from './cumulative-count.ts';
import { CumulativeSum } from './cumulative-sum.ts';
import { Rate } from './rate.ts';
import { WindowedCount } from './windowed-count.ts';
import { WindowedSum } from './windowed-sum.ts';

/** How a {@link Meter} is made. */
export interface MeterOptions {
  /** The name of the metric with the rate. */
  readonly rate: MetricName;
  /** The name of the metric with the total. */
  readonly total: MetricName;
  /** The time the rate is per. Default `seconds`. */
  readonly unit?: TimeUnit | undefined;
  /** Whether values are summed or events counted. Default `sum`. */
  readonly of?: 'sum' | 'count' | undefined;
}

/** A rate and the total since the start, fed by the same values. The total is the first metric. */
export class Meter implements CompoundStat {
  readonly #rate: Rate;
  readonly #total: CumulativeSum | CumulativeCount;
  readonly #metrics: readonly NamedMeasurable[];

  constructor(options: MeterOptions) {
    const counts = options.of === 'count';
    const stat = counts ? new WindowedCount() : new WindowedSum();
    this.#rate = new Rate({ unit: options.unit, stat });
    this.#total = counts ? new CumulativeCount() : new CumulativeSum();
    this.#metrics = [
      { name: options.total, measurable: this.#total },
      { name: options.rate, measurable: this.#rate },
    ];
  }

  findConcern(config: MetricConfig): string | undefined {
    return this.#rate.findConcern(config);
  }

  record(config: MetricConfig, value: number, timeMs: number): void {
    this.#rate.record(config, value, timeMs);
    this.#total.record(config, value, timeMs);
  }

  metrics(): readonly NamedMeasurable[] {
    return this.#metrics;
  }
}
