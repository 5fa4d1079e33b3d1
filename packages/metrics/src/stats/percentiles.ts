import type { BinScheme } from '../bin-scheme.ts';
import { InvalidMetricOptionError } from '../errors.ts';
import { HistogramRing } from '../histogram-ring.ts';
import { type MetricConfig, positiveInteger } from '../metric-config.ts';
import type { MetricName } from '../metric-name.ts';
import type { CompoundStat, MeasurableStat, NamedMeasurable } from '../stat.ts';
import { ConstantBins } from './constant-bins.ts';
import { LinearBins } from './linear-bins.ts';

/** One of the metrics of {@link Percentiles}. */
export interface NamedPercentile {
  readonly name: MetricName;
  /** 0 to 100. */
  readonly percentile: number;
}

/** How {@link Percentiles} are made. */
export interface PercentilesOptions {
  /** Memory for the bins of one sample; a bin takes 4 bytes. */
  readonly sizeInBytes: number;
  /** The least value; smaller ones count as it. Default 0, and 0 where bins are `linear`. */
  readonly min?: number | undefined;
  /** The greatest value; greater ones count as it. */
  readonly max: number;
  /** Bins of one width, or finer ones for small values. */
  readonly bucketing: 'constant' | 'linear';
  readonly percentiles: readonly NamedPercentile[];
  /**
   * The number of events in the window, an integer from 1, below which every percentile is NaN: a
   * 99.9th of sixty events says nothing. Default 1, as in Kafka.
   */
  readonly minEvents?: number | undefined;
}

/**
 * Percentiles of the values in the window, to the width of a bin: each is the lower edge of the bin
 * in which it lies. NaN without events. As in Kafka the 100th percentile is always Infinity; take a
 * maximum instead. Measured by itself it gives the median.
 */
export class Percentiles implements CompoundStat, MeasurableStat {
  readonly #ring: HistogramRing;
  readonly #scheme: BinScheme;
  readonly #min: number;
  readonly #max: number;
  readonly #minEvents: number;
  readonly #metrics: readonly NamedMeasurable[];

  /**
   * @throws InvalidMetricOptionError when there are fewer than two bins, linear ones with a min, or
   *   `minEvents` is out of range
   */
  constructor(options: PercentilesOptions) {
    const { max, min = 0 } = options;
    const bins = Math.trunc(options.sizeInBytes / 4);
    if (options.bucketing === 'linear' && min !== 0) {
      throw new InvalidMetricOptionError(`min must be 0 where bins are linear, got ${min}`);
    }
    this.#scheme =
      options.bucketing === 'linear'
        ? new LinearBins({ bins, max })
        : new ConstantBins({ bins, min, max });
    this.#ring = new HistogramRing(bins);
    this.#min = min;
    this.#max = max;
    this.#minEvents = positiveInteger('minEvents', options.minEvents ?? 1);
    this.#metrics = options.percentiles.map(({ name, percentile }) => ({
      name,
      measurable: {
        measure: (config, nowMs) => this.value(config, nowMs, percentile / 100),
      },
    }));
  }

  record(config: MetricConfig, value: number, timeMs: number): void {
    // NaN stays NaN and counts in the first bin, as in Kafka.
    const pinned = Math.min(Math.max(value, this.#min), this.#max);
    this.#ring.add(config, this.#scheme.toBin(pinned), timeMs);
  }

  measure(config: MetricConfig, nowMs: number): number {
    return this.value(config, nowMs, 0.5);
  }

  metrics(): readonly NamedMeasurable[] {
    return this.#metrics;
  }

  /** The value at `quantile`, 0 to 1. */
  value(config: MetricConfig, nowMs: number, quantile: number): number {
    const ring = this.#ring;
    ring.purge(config, nowMs);
    let total = 0;
    for (let sample = 0; sample < ring.size; sample += 1) {
      total = Math.fround(total + ring.eventCount(sample));
    }
    if (total < this.#minEvents) return Number.NaN;
    const wanted = Math.fround(quantile);
    let sum = 0;
    for (let bin = 0; bin < this.#scheme.bins; bin += 1) {
      for (let sample = 0; sample < ring.size; sample += 1) {
        sum = Math.fround(sum + ring.count(sample, bin));
        if (Math.fround(sum / total) > wanted) return this.#scheme.fromBin(bin);
      }
    }
    return Number.POSITIVE_INFINITY;
  }
}
