import type { Clock } from '@logloft/clock';
import type { QuotaViolation } from './errors.ts';
import { MetricConfig, type MetricConfigOptions } from './metric-config.ts';
import type { MetricName } from './metric-name.ts';
import type { Measurable } from './stat.ts';

/** A registered number with a name. */
export class Metric {
  readonly name: MetricName;
  readonly #measurable: Measurable;
  readonly #clock: Clock;
  #config: MetricConfig;

  constructor(name: MetricName, measurable: Measurable, config: MetricConfig, clock: Clock) {
    this.name = name;
    this.#measurable = measurable;
    this.#config = config;
    this.#clock = clock;
  }

  /** The settings it is measured and checked with, and recorded with unless it is one of a compound. */
  get config(): MetricConfig {
    return this.#config;
  }

  /** Whether it is a total that only grows: what exporters call a counter. */
  get isCumulative(): boolean {
    return this.#measurable.isCumulative ?? false;
  }

  /** Replaces the settings, for what is measured and recorded from now on. */
  updateConfig(config: MetricConfig | MetricConfigOptions): void {
    this.#config = MetricConfig.from(config);
  }

  /** The value at `nowMs` (default: now). Reading a windowed metric drops what is too old in it. */
  value(nowMs: number = this.#clock.now()): number {
    return this.#measurable.measure(this.#config, nowMs);
  }

  /**
   * How the metric is outside its quota, if it has one and is.
   *
   * @param nowMs Default: now.
   */
  findViolation(nowMs: number = this.#clock.now()): QuotaViolation | undefined {
    const { quota } = this.#config;
    if (quota === undefined) return undefined;
    const value = this.#measurable.measure(this.#config, nowMs);
    const isWithin = this.#measurable.isWithin?.(quota, value) ?? quota.accepts(value);
    return isWithin ? undefined : { metricName: this.name, value, quota };
  }
}

/** Gives the value of a gauge whenever it is read. */
export type ReadGauge = () => number;

/** Reads a number that is kept elsewhere. */
export class Gauge implements Measurable {
  readonly #read: ReadGauge;

  constructor(read: ReadGauge) {
    this.#read = read;
  }

  measure(_config: MetricConfig, _nowMs: number): number {
    return this.#read();
  }
}
