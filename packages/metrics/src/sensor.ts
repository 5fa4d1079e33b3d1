// Hot path: recording makes no closure and no object.
import type { Clock } from '@logloft/clock';
import {
  InvalidMetricOptionError,
  type QuotaViolation,
  QuotaViolationError,
  SensorCycleError,
} from './errors.ts';
import { Metric } from './metric.ts';
import { MetricConfig, type MetricConfigOptions } from './metric-config.ts';
import type { MetricName } from './metric-name.ts';
import type { MetricsWarning } from './metrics-warning.ts';
import { checkedLevel, levelRecords, type RecordingLevel } from './recording-level.ts';
import type { CompoundStat, Measurable, MeasurableStat, Stat } from './stat.ts';

/** How a {@link Sensor} is made. */
export interface SensorOptions {
  /** Settings for its metrics. Default: those of the registry. */
  readonly config?: MetricConfig | MetricConfigOptions | undefined;
  /** Sensors that see every value after this one. Their ancestors must form a tree. */
  readonly parents?: readonly Sensor[] | undefined;
  /** Seconds without a record after which the sensor may be removed. Default: never. */
  readonly expirySeconds?: number | undefined;
  /** How detailed the sensor is. Default `INFO`. */
  readonly level?: RecordingLevel | undefined;
}

/** What a sensor needs of its registry. */
export interface SensorHost {
  readonly clock: Clock;
  readonly config: MetricConfig;
  /** @throws DuplicateMetricError when the name is taken */
  register(metric: Metric): void;
  warn(warning: MetricsWarning): void;
}

/** Where a stat gets its settings from: a metric (they may change), or a fixed object. */
interface ConfigSource {
  readonly config: MetricConfig;
}

class AttachedStat {
  readonly stat: Stat;
  readonly source: ConfigSource;

  constructor(stat: Stat, source: ConfigSource) {
    this.stat = stat;
    this.source = source;
  }
}

/**
 * Passes each value to its stats, then checks their quotas, then passes it to its parents. Made by
 * `MetricsRegistry.sensor`.
 */
export class Sensor {
  readonly name: string;
  readonly parents: readonly Sensor[];
  readonly #host: SensorHost;
  readonly #config: MetricConfig;
  readonly #expiryMs: number;
  readonly #records: boolean;
  readonly #stats: AttachedStat[] = [];
  readonly #metrics: Metric[] = [];
  readonly #metricsByKey = new Map<string, Metric>();
  // A field that is born undefined holds boxed numbers for ever: recording would take a third longer.
  #lastRecordMs = 0;

  /**
   * @throws SensorCycleError when one ancestor is reached twice
   * @throws InvalidMetricOptionError when an option is out of range
   */
  constructor(name: string, options: SensorOptions, host: SensorHost) {
    this.name = name;
    this.parents = [...(options.parents ?? [])];
    this.#host = host;
    this.#config = options.config === undefined ? host.config : MetricConfig.from(options.config);
    this.#expiryMs = expiryMs(options.expirySeconds ?? Number.POSITIVE_INFINITY);
    this.#records = levelRecords(this.#config.recordLevel, checkedLevel(options.level ?? 'INFO'));
    this.#lastRecordMs = host.clock.now();
    this.#checkAncestors(name, new Set());
  }

  /** Whether records have any effect: the level is not above that of the settings. */
  get shouldRecord(): boolean {
    return this.#records;
  }

  /** Whether it may be removed when it was idle for long enough. */
  get canExpire(): boolean {
    return this.#expiryMs < Number.POSITIVE_INFINITY;
  }

  /** Its metrics, in the order in which they were added. */
  get metrics(): readonly Metric[] {
    return this.#metrics;
  }

  /**
   * Adds a metric. Does nothing when the sensor has one of that name already.
   *
   * @param config settings of this metric. Default: those of the sensor.
   * @returns false when the sensor has expired, and nothing was added
   * @throws DuplicateMetricError when the name is registered elsewhere
   */
  add(
    name: MetricName,
    stat: MeasurableStat,
    config: MetricConfig | MetricConfigOptions = this.#config,
  ): boolean {
    if (this.hasExpired()) return false;
    if (this.#metricsByKey.has(name.key)) return true;
    const metric = this.#registerMetric(name, stat, MetricConfig.from(config));
    this.#stats.push(new AttachedStat(stat, metric));
    this.#warnOf(stat, metric.config);
    return true;
  }

  /**
   * Adds the metrics of a compound; those whose name the sensor has already are left out. As in
   * Kafka the settings for recording are fixed from now on, and a name that is taken elsewhere
   * leaves the compound attached with the metrics that came before it.
   *
   * @param config settings of these metrics. Default: those of the sensor.
   * @returns false when the sensor has expired, and nothing was added
   * @throws DuplicateMetricError when a name is registered elsewhere
   */
  addCompound(
    stat: CompoundStat,
    config: MetricConfig | MetricConfigOptions = this.#config,
  ): boolean {
    if (this.hasExpired()) return false;
    const fixed = MetricConfig.from(config);
    this.#stats.push(new AttachedStat(stat, { config: fixed }));
    this.#warnOf(stat, fixed);
    for (const { name, measurable } of stat.metrics()) {
      if (!this.#metricsByKey.has(name.key)) this.#registerMetric(name, measurable, fixed);
    }
    return true;
  }

  /**
   * Records a value and checks quotas, here and in the parents. A value counts even when it
   * violates a quota; the parents of a sensor that violates its own do not see it.
   *
   * @param value Default 1.
   * @param timeMs when it happened, in ms of the registry's clock. Default: now. Pass it where many
   *   values are recorded: reading the clock costs more than recording.
   * @throws QuotaViolationError when a quota is violated
   */
  record(value = 1, timeMs: number = this.#host.clock.now()): void {
    this.#record(value, timeMs, true);
  }

  /** Like {@link Sensor.record}, but no quota is looked at. Never throws. */
  recordUnchecked(value = 1, timeMs: number = this.#host.clock.now()): void {
    this.#record(value, timeMs, false);
  }

  /**
   * The first of the sensor's own metrics that is outside its quota, if any.
   *
   * @param nowMs Default: now.
   */
  findViolation(nowMs: number = this.#host.clock.now()): QuotaViolation | undefined {
    for (const metric of this.#metrics) {
      const violation = metric.findViolation(nowMs);
      if (violation !== undefined) return violation;
    }
    return undefined;
  }

  /**
   * Checks the quotas of the sensor's own metrics.
   *
   * @param nowMs Default: now.
   * @throws QuotaViolationError for the first that is violated
   */
  checkQuotas(nowMs: number = this.#host.clock.now()): void {
    const violation = this.findViolation(nowMs);
    if (violation !== undefined) throw new QuotaViolationError(violation);
  }

  /**
   * Whether nothing was recorded for longer than the expiry time.
   *
   * @param nowMs Default: now.
   */
  hasExpired(nowMs: number = this.#host.clock.now()): boolean {
    return nowMs - this.#lastRecordMs > this.#expiryMs;
  }

  #record(value: number, timeMs: number, checked: boolean): void {
    if (!this.#records) return;
    this.#lastRecordMs = timeMs;
    for (const attached of this.#stats) {
      attached.stat.record(attached.source.config, value, timeMs);
    }
    if (checked && this.#hasQuota()) this.checkQuotas(timeMs);
    for (const parent of this.parents) parent.#record(value, timeMs, checked);
  }

  /** Looked at first, so that recording without quotas pays for no call. */
  #hasQuota(): boolean {
    for (const metric of this.#metrics) if (metric.config.quota !== undefined) return true;
    return false;
  }

  #registerMetric(name: MetricName, measurable: Measurable, config: MetricConfig): Metric {
    const metric = new Metric(name, measurable, config, this.#host.clock);
    this.#host.register(metric);
    this.#metrics.push(metric);
    this.#metricsByKey.set(name.key, metric);
    return metric;
  }

  #warnOf(stat: Stat, config: MetricConfig): void {
    const concern = stat.findConcern?.(config);
    if (concern === undefined) return;
    this.#host.warn({
      code: 'LOGLOFT_METRICS_DOUBTFUL_STAT',
      message: `In sensor '${this.name}' ${concern}.`,
    });
  }

  #checkAncestors(child: string, seen: Set<Sensor>): void {
    if (seen.has(this)) throw new SensorCycleError(child, this.name);
    seen.add(this);
    for (const parent of this.parents) parent.#checkAncestors(child, seen);
  }
}

function expiryMs(seconds: number): number {
  if (seconds > 0) return seconds * 1000;
  throw new InvalidMetricOptionError(
    `expirySeconds must be greater than 0 (leave it out for never), got ${seconds}`,
  );
}
