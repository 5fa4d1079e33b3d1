import type { Clock, Timer } from '@logloft/clock';
import { DuplicateMetricError, InvalidMetricOptionError } from './errors.ts';
import { Gauge, Metric, type ReadGauge } from './metric.ts';
import { MetricConfig, type MetricConfigOptions } from './metric-config.ts';
import { MetricName, type MetricNameParts, tagEntries } from './metric-name.ts';
import { emitWarning, type MetricsWarning } from './metrics-warning.ts';
import type { MetricsReporter } from './reporter.ts';
import { ReporterList } from './reporter-list.ts';
import { Sensor, type SensorHost, type SensorOptions } from './sensor.ts';

/** How a {@link MetricsRegistry} is made. */
export interface MetricsRegistryOptions {
  /** Gives the time, in wall-clock ms, to all that is recorded or read without one. */
  readonly clock: Clock;
  /** Settings for sensors that bring none of their own. */
  readonly config?: MetricConfig | MetricConfigOptions | undefined;
  /**
   * Ms between two sweeps that remove expired sensors; Kafka uses 30,000. The timer runs only while
   * there are sensors that can expire. Default 0: no timer, call `expireSensors` yourself.
   */
  readonly expirySweepMs?: number | undefined;
  /** Who is told which metrics come and go, from the start; more by `addReporter`. Default: none. */
  readonly reporters?: readonly MetricsReporter[] | undefined;
  /**
   * Takes warnings: of a reporter that throws (once each) and of a stat that is likely to be a
   * mistake. Default: `process.emitWarning`. What it throws goes to the caller.
   */
  readonly onWarning?: ((warning: MetricsWarning) => void) | undefined;
}

/** The value of a metric at one moment. */
export interface MetricReading {
  readonly name: MetricName;
  readonly value: number;
}

/** Sensors and metrics by name. It has one metric about itself: how many are registered. */
export class MetricsRegistry implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #config: MetricConfig;
  readonly #expirySweepMs: number;
  readonly #metrics = new Map<string, Metric>();
  readonly #sensors = new Map<string, Sensor>();
  readonly #children = new Map<Sensor, Set<Sensor>>();
  readonly #host: SensorHost;
  readonly #reporters: ReporterList;
  #expirableSensors = 0;
  #sweepTimer: Timer | undefined;
  #isClosed = false;

  /** @throws InvalidMetricOptionError when an option is out of range */
  constructor(options: MetricsRegistryOptions) {
    this.#clock = options.clock;
    this.#config = MetricConfig.from(options.config ?? {});
    this.#expirySweepMs = sweepInterval(options.expirySweepMs ?? 0);
    const warn = options.onWarning ?? emitWarning;
    this.#reporters = new ReporterList(warn);
    this.#host = {
      clock: this.#clock,
      config: this.#config,
      register: (metric) => this.#register(metric),
      warn,
    };
    this.addGauge(
      this.metricName({
        name: 'count',
        group: 'kafka-metrics-count',
        description: 'total number of registered metrics',
      }),
      () => this.#metrics.size,
    );
    for (const reporter of options.reporters ?? []) this.addReporter(reporter);
  }

  /** The settings for sensors that bring none of their own. */
  get config(): MetricConfig {
    return this.#config;
  }

  /** A name with the default tags of the registry under the given ones. */
  metricName(parts: MetricNameParts): MetricName {
    const tags = new Map(this.#config.tags);
    for (const [name, value] of tagEntries(parts.tags)) tags.set(name, value);
    return new MetricName({ ...parts, tags });
  }

  /**
   * The sensor of that name. If there is one already it is returned as it is, and the options are
   * not looked at.
   *
   * @throws SensorCycleError when the ancestors do not form a tree
   * @throws InvalidMetricOptionError when an option is out of range
   */
  sensor(name: string, options: SensorOptions = {}): Sensor {
    const existing = this.#sensors.get(name);
    if (existing !== undefined) return existing;
    const sensor = new Sensor(name, options, this.#host);
    this.#sensors.set(name, sensor);
    for (const parent of sensor.parents) {
      const siblings = this.#children.get(parent);
      if (siblings === undefined) this.#children.set(parent, new Set([sensor]));
      else siblings.add(sensor);
    }
    if (sensor.canExpire) this.#expirableSensors += 1;
    this.#scheduleSweep();
    return sensor;
  }

  /** The sensor of that name, if there is one. */
  getSensor(name: string): Sensor | undefined {
    return this.#sensors.get(name);
  }

  /** All sensors, in the order in which they were made. */
  sensors(): Iterable<Sensor> {
    return this.#sensors.values();
  }

  /**
   * Removes a sensor, its metrics and its children. The object still records and checks its
   * quotas for those who hold it.
   */
  removeSensor(name: string): void {
    const sensor = this.#sensors.get(name);
    if (sensor === undefined) return;
    this.#sensors.delete(name);
    for (const metric of sensor.metrics) {
      if (this.#metrics.get(metric.name.key) === metric) this.removeMetric(metric.name);
    }
    for (const parent of sensor.parents) this.#forgetChild(parent, sensor);
    const children = this.#children.get(sensor) ?? [];
    this.#children.delete(sensor);
    if (sensor.canExpire) this.#expirableSensors -= 1;
    for (const child of children) {
      if (this.#sensors.get(child.name) === child) this.removeSensor(child.name);
    }
    if (this.#expirableSensors === 0) this.#cancelSweep();
  }

  /**
   * Registers a number that is kept elsewhere.
   *
   * @throws DuplicateMetricError when the name is taken
   */
  addGauge(name: MetricName, read: ReadGauge): Metric {
    const metric = this.#gauge(name, read);
    this.#register(metric);
    return metric;
  }

  /** Registers a number that is kept elsewhere, or returns the metric that has the name. */
  addGaugeIfAbsent(name: MetricName, read: ReadGauge): Metric {
    return this.#metrics.get(name.key) ?? this.addGauge(name, read);
  }

  /** The metric of that name, if there is one. */
  metric(name: MetricName): Metric | undefined {
    return this.#metrics.get(name.key);
  }

  /** All metrics, in the order in which they were registered. */
  metrics(): Iterable<Metric> {
    return this.#metrics.values();
  }

  /** The values of all metrics at one moment (default: now). Metrics may come and go meanwhile. */
  *snapshot(nowMs: number = this.#clock.now()): Generator<MetricReading, void, undefined> {
    for (const metric of [...this.#metrics.values()]) {
      yield { name: metric.name, value: metric.value(nowMs) };
    }
  }

  /**
   * Removes a metric and returns it. A sensor that owns it does not notice: it still records into
   * it and enforces its quota.
   */
  removeMetric(name: MetricName): Metric | undefined {
    const metric = this.#metrics.get(name.key);
    if (metric === undefined) return undefined;
    this.#metrics.delete(name.key);
    this.#reporters.metricRemoval(metric);
    return metric;
  }

  /**
   * Removes the sensors in which nothing was recorded for longer than their expiry time, and with
   * each of them its children.
   *
   * @param nowMs Default: now.
   * @returns how many sensors are gone
   */
  expireSensors(nowMs: number = this.#clock.now()): number {
    const before = this.#sensors.size;
    if (this.#expirableSensors === 0) return 0;
    for (const sensor of [...this.#sensors.values()]) {
      const isRegistered = this.#sensors.get(sensor.name) === sensor;
      if (isRegistered && sensor.hasExpired(nowMs)) this.removeSensor(sensor.name);
    }
    return before - this.#sensors.size;
  }

  /**
   * Tells `reporter` of all metrics there are, and from now on of those that come and go. One that is
   * there already is not added again; after `close` nothing is.
   */
  addReporter(reporter: MetricsReporter): void {
    if (!this.#isClosed) this.#reporters.add(reporter, [...this.#metrics.values()]);
  }

  /** Tells `reporter` nothing more, and closes it. Does nothing when it is not there. */
  removeReporter(reporter: MetricsReporter): void {
    this.#reporters.remove(reporter);
  }

  /** Ends the sweeps and closes the reporters. What is registered stays and can be read. May be called again. */
  async close(): Promise<void> {
    this.#cancelSweep();
    this.#isClosed = true;
    this.#reporters.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #register(metric: Metric): void {
    const { key } = metric.name;
    if (this.#metrics.has(key)) throw new DuplicateMetricError(metric.name);
    this.#metrics.set(key, metric);
    this.#reporters.metricChange(metric);
  }

  #gauge(name: MetricName, read: ReadGauge): Metric {
    return new Metric(name, new Gauge(read), this.#config, this.#clock);
  }

  #forgetChild(parent: Sensor, child: Sensor): void {
    const siblings = this.#children.get(parent);
    siblings?.delete(child);
    if (siblings?.size === 0) this.#children.delete(parent);
  }

  #scheduleSweep(): void {
    if (this.#isClosed || this.#expirySweepMs === 0 || this.#sweepTimer !== undefined) return;
    if (this.#expirableSensors === 0) return;
    this.#sweepTimer = this.#clock.setTimer(this.#expirySweepMs, () => {
      this.#sweepTimer = undefined;
      this.expireSensors();
      this.#scheduleSweep();
    });
  }

  #cancelSweep(): void {
    this.#sweepTimer?.cancel();
    this.#sweepTimer = undefined;
  }
}

function sweepInterval(ms: number): number {
  if (Number.isSafeInteger(ms) && ms >= 0) return ms;
  throw new InvalidMetricOptionError(
    `expirySweepMs must be an integer from 0 (no sweeps), got ${ms}`,
  );
}
