import { InvalidMetricOptionError } from '../errors.ts';
import { HistogramRing } from '../histogram-ring.ts';
import type { MetricConfig } from '../metric-config.ts';
import type { MetricName } from '../metric-name.ts';
import type { CompoundStat, MeasurableStat, NamedMeasurable } from '../stat.ts';
import { ConstantBins } from './constant-bins.ts';

/** One of the metrics of {@link Frequencies}. */
export interface NamedFrequency {
  readonly name: MetricName;
  /** The value whose share is given: that of the bucket it lies in. */
  readonly center: number;
}

/** How {@link Frequencies} are made. */
export interface FrequenciesOptions {
  /** How many buckets, an integer from 2; the first has its center at `min`, the last at `max`. */
  readonly buckets: number;
  readonly min: number;
  readonly max: number;
  /** At most one a bucket, each from `min` to `max`. */
  readonly frequencies: readonly NamedFrequency[];
}

/** Which of a yes and a no {@link Frequencies.ofBooleans} shows. */
export interface BooleanFrequencies {
  /** The metric with the share of 0. */
  readonly no?: MetricName | undefined;
  /** The metric with the share of 1. */
  readonly yes?: MetricName | undefined;
}

/**
 * Which share of the values in the window (0 to 1) is near given ones; 0 without events. Values
 * outside the range count in the first or last bucket. Measured by itself it gives the number of
 * events in the window.
 */
export class Frequencies implements CompoundStat, MeasurableStat {
  readonly #ring: HistogramRing;
  readonly #scheme: ConstantBins;
  readonly #metrics: readonly NamedMeasurable[];

  /** @throws InvalidMetricOptionError when the range is empty, or frequencies do not fit it */
  constructor(options: FrequenciesOptions) {
    const { buckets, min, max } = options;
    check(options);
    const half = (max - min) / (buckets - 1) / 2;
    this.#scheme = new ConstantBins({ bins: buckets, min: min - half, max: max + half });
    this.#ring = new HistogramRing(buckets);
    this.#metrics = options.frequencies.map(({ name, center }) => ({
      name,
      measurable: { measure: (config, nowMs) => this.frequency(config, nowMs, center) },
    }));
  }

  /**
   * The shares of 0 and 1 among values that are one of them.
   *
   * @throws InvalidMetricOptionError when neither is named
   */
  static ofBooleans({ no, yes }: BooleanFrequencies): Frequencies {
    const frequencies: NamedFrequency[] = [];
    if (no !== undefined) frequencies.push({ name: no, center: 0 });
    if (yes !== undefined) frequencies.push({ name: yes, center: 1 });
    if (frequencies.length === 0) {
      throw new InvalidMetricOptionError('At least one of no and yes must be named, got neither');
    }
    return new Frequencies({ buckets: 2, min: 0, max: 1, frequencies });
  }

  record(config: MetricConfig, value: number, timeMs: number): void {
    this.#ring.add(config, this.#scheme.toBin(value), timeMs);
  }

  measure(config: MetricConfig, nowMs: number): number {
    const ring = this.#ring;
    ring.purge(config, nowMs);
    let total = 0;
    for (let sample = 0; sample < ring.size; sample += 1) total += ring.eventCount(sample);
    return total;
  }

  metrics(): readonly NamedMeasurable[] {
    return this.#metrics;
  }

  /** The share of values in the bucket of `center`. */
  frequency(config: MetricConfig, nowMs: number, center: number): number {
    const total = this.measure(config, nowMs);
    if (total === 0) return 0;
    const bin = this.#scheme.toBin(center);
    let count = 0;
    for (let sample = 0; sample < this.#ring.size; sample += 1) {
      count = Math.fround(count + this.#ring.count(sample, bin));
    }
    return count / total;
  }
}

function check({ buckets, min, max, frequencies }: FrequenciesOptions): void {
  if (!(max > min)) {
    throw new InvalidMetricOptionError(`max must be greater than min (${min}), got ${max}`);
  }
  if (frequencies.length > buckets) {
    throw new InvalidMetricOptionError(
      `There must be at most one frequency a bucket (${buckets}), got ${frequencies.length}`,
    );
  }
  for (const { center } of frequencies) {
    if (center >= min && center <= max) continue;
    throw new InvalidMetricOptionError(
      `A frequency must have its center from ${min} to ${max}, got ${center}`,
    );
  }
}
