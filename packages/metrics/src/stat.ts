import type { MetricConfig } from './metric-config.ts';
import type { MetricName } from './metric-name.ts';
import type { QuotaBound } from './quota-bound.ts';

/** Takes values in. */
export interface Stat {
  /** Takes one value, which happened at `timeMs` (ms of the registry's clock). */
  record(config: MetricConfig, value: number, timeMs: number): void;

  /** What is likely to be a mistake with these settings, as a sentence, if anything is. */
  findConcern?(config: MetricConfig): string | undefined;
}

/**
 * Gives a number for a moment. Measuring may change state (it drops what is too old), so that
 * whether and when a windowed metric is read can change what later readings give.
 */
export interface Measurable {
  /** Whether the number is a total that only grows: what exporters call a counter. Default: it is not. */
  readonly isCumulative?: boolean | undefined;

  measure(config: MetricConfig, nowMs: number): number;

  /** Whether `value`, just measured, keeps the quota. Default: what the quota's bound accepts. */
  isWithin?(quota: QuotaBound, value: number): boolean;
}

/** A stat with one number as its result. */
export interface MeasurableStat extends Stat, Measurable {}

/** A stat over a sliding window of samples. */
export interface WindowedStat extends MeasurableStat {
  /**
   * When the oldest sample still in use began. Makes a first sample if there is none, so that the
   * window begins at the first record or the first question, whichever is earlier.
   */
  oldestStartMs(config: MetricConfig, nowMs: number): number;

  /** When the next sample leaves the window if nothing is recorded; Infinity without samples. */
  nextExpiryMs(config: MetricConfig): number;
}

/** One of the metrics of a {@link CompoundStat}. */
export interface NamedMeasurable {
  readonly name: MetricName;
  readonly measurable: Measurable;
}

/** A stat with several results. */
export interface CompoundStat extends Stat {
  /** The metrics it provides, in the order in which they are registered and checked. */
  metrics(): readonly NamedMeasurable[];
}
