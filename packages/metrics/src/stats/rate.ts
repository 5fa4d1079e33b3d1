import type { MetricConfig } from '../metric-config.ts';
import type { MeasurableStat, WindowedStat } from '../stat.ts';
import { lengthMs, millisecondsIn, type TimeUnit } from '../time-unit.ts';
import { WindowedSum } from './windowed-sum.ts';

/** How a {@link Rate} is made. */
export interface RateOptions {
  /** The time the rate is per. Default `seconds`. */
  readonly unit?: TimeUnit | undefined;
  /** What is divided by the time. Default: a {@link WindowedSum}. */
  readonly stat?: WindowedStat | undefined;
}

/**
 * A windowed stat per unit of time.
 *
 * It is divided by the time since the oldest sample in use began, but as if at least `samples - 1`
 * whole samples lay behind: shortly after the start the true time is so short that the rate would
 * be absurd. So the divisor rises through each of the first samples and falls back by almost one
 * sample's time at the beginning of the next. {@link SimpleRate} has a plainer rule.
 *
 * A window shorter than the unit gives numbers that are right but surprising: two events in a
 * minute's window are 120 an hour.
 */
export class Rate implements MeasurableStat {
  readonly unit: TimeUnit;
  readonly #stat: WindowedStat;

  constructor(options: RateOptions = {}) {
    this.unit = options.unit ?? 'seconds';
    this.#stat = options.stat ?? new WindowedSum();
  }

  /** Two events in a window of a minute are 120 an hour: right, and rarely what is meant. */
  findConcern(config: MetricConfig): string | undefined {
    if (lengthMs(this.unit) <= config.expiryAgeMs) return undefined;
    return (
      `a rate per ${this.unit} should have a window (samples x timeWindowMs) of at least ` +
      `${lengthMs(this.unit)} ms, but it has ${config.expiryAgeMs} ms, so that a few events give ` +
      'great numbers; make the window longer or the unit shorter'
    );
  }

  record(config: MetricConfig, value: number, timeMs: number): void {
    this.#stat.record(config, value, timeMs);
  }

  measure(config: MetricConfig, nowMs: number): number {
    const value = this.#stat.measure(config, nowMs);
    return value / millisecondsIn(this.unit, this.windowSizeMs(config, nowMs));
  }

  /** The time, in ms, by which the stat is divided at `nowMs`; at least 1. */
  windowSizeMs(config: MetricConfig, nowMs: number): number {
    let elapsedMs = nowMs - this.#stat.oldestStartMs(config, nowMs);
    const fullSamples = Math.trunc(elapsedMs / config.timeWindowMs);
    const wanted = config.samples - 1;
    if (fullSamples < wanted) elapsedMs += (wanted - fullSamples) * config.timeWindowMs;
    return Math.max(elapsedMs, 1);
  }
}
