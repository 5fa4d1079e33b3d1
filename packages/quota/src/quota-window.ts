// Hot path: recording and asking make no object.
import type { Clock } from '@logloft/clock';
import {
  MetricConfig,
  type MetricName,
  type MetricsRegistry,
  QuotaBound,
  type Sensor,
} from '@logloft/metrics';
import type { Gate } from './admission-node.ts';
import { QuotaNameTakenError } from './errors.ts';
import type { QuotaName } from './quota-name.ts';
import { SteadyRate, steadyNow } from './steady-rate.ts';
import { throttleTimeMs } from './throttle-time.ts';

/** Kafka forgets a quota's history when nothing was recorded for that long. */
const IDLE_SECONDS = 3_600;

/** Where the rate of a window is shown. */
export interface WindowDisplay {
  readonly metrics: MetricsRegistry;
  readonly name: QuotaName;
}

/** What a {@link QuotaWindow} is made of. */
export interface QuotaWindowParts {
  readonly clock: Clock;
  /** Bytes per second. */
  readonly bound: number;
  readonly samples: number;
  readonly timeWindowMs: number;
  readonly display: WindowDisplay | undefined;
}

/** What was recorded in the window and what is reserved, against a bound on the rate of both. */
export class QuotaWindow implements Gate {
  readonly #clock: Clock;
  readonly #display: WindowDisplay | undefined;
  readonly #metricName: MetricName | undefined;
  #config: MetricConfig;
  #bound = 0;
  #rate: SteadyRate;
  #sensor: Sensor | undefined;
  #reservedBytes = 0;
  #isClosed = false;

  /** @throws QuotaNameTakenError when the registry has a sensor of that name */
  constructor(parts: QuotaWindowParts) {
    this.#clock = parts.clock;
    this.#bound = parts.bound;
    this.#config = new MetricConfig({
      samples: parts.samples,
      timeWindowMs: parts.timeWindowMs,
      quota: QuotaBound.upper(parts.bound),
    });
    this.#rate = new SteadyRate(parts.clock);
    this.#display = parts.display;
    if (parts.display === undefined) return;
    const { metrics, name } = parts.display;
    const { group, description, tags } = name;
    this.#metricName = metrics.metricName({ name: 'byte-rate', group, description, tags });
    this.#sensor = this.#register(this.#rate);
    if (this.#sensor === undefined) throw new QuotaNameTakenError(name.sensor);
  }

  get bound(): number {
    return this.#bound;
  }

  get reservedBytes(): number {
    return this.#reservedBytes;
  }

  get byteRate(): number {
    return this.#live().measure(this.#config);
  }

  get windowMs(): number {
    return this.#live().windowSizeMs(this.#config, steadyNow(this.#clock));
  }

  /** Ms since something was last recorded, or since it was made. */
  get idleMs(): number {
    return steadyNow(this.#clock) - this.#rate.lastRecordMs;
  }

  /** Ms after which a record is forgotten. */
  get spanMs(): number {
    return this.#config.expiryAgeMs;
  }

  setBound(bound: number): void {
    this.#bound = bound;
    this.#config = this.#config.with({ quota: QuotaBound.upper(bound) });
    if (this.#metricName === undefined) return;
    this.#display?.metrics.metric(this.#metricName)?.updateConfig(this.#config);
  }

  record(bytes: number): void {
    const rate = this.#live();
    if (this.#sensor === undefined) rate.record(this.#config, bytes);
    else this.#sensor.recordUnchecked(bytes);
  }

  /** Exactly at the bound it is open. */
  isOpen(): boolean {
    const nowMs = steadyNow(this.#clock);
    return this.#live().measureWith(this.#config, this.#reservedBytes, nowMs) <= this.#bound;
  }

  charge(bytes: number): void {
    this.#reservedBytes += bytes;
  }

  /** Takes back what was charged. */
  discharge(bytes: number): void {
    this.#reservedBytes -= bytes;
  }

  /** Ms until the window has grown enough for what is in it, or a sample leaves it. */
  msUntilOpen(): number {
    const rate = this.#live();
    const bytes = rate.total(this.#config) + this.#reservedBytes;
    const enoughMs = rate.oldestStartMs(this.#config) + Math.ceil((bytes * 1000) / this.#bound);
    return Math.min(enoughMs, rate.nextExpiryMs(this.#config)) - steadyNow(this.#clock);
  }

  throttleTimeMs(): number {
    const window = this.#live();
    // Read once: a clock costs as much as the sum of the whole window.
    const nowMs = steadyNow(this.#clock);
    const rate = window.measureWith(this.#config, this.#reservedBytes, nowMs);
    if (rate <= this.#bound) return 0;
    const windowMs = window.windowSizeMs(this.#config, nowMs);
    return throttleTimeMs({ rate, bound: this.#bound, windowMs });
  }

  /** Takes the rate out of the registry. It still counts for those who hold it. */
  close(): void {
    this.#isClosed = true;
    if (this.#display === undefined || !this.#isRegistered(this.#display)) return;
    this.#display.metrics.removeSensor(this.#display.name.sensor);
  }

  #isRegistered({ metrics, name }: WindowDisplay): boolean {
    return this.#sensor !== undefined && metrics.getSensor(name.sensor) === this.#sensor;
  }

  /** The rate; if its sensor was removed or has expired, it is put into the registry again. */
  #live(): SteadyRate {
    if (this.#isClosed || this.#display === undefined || this.#isRegistered(this.#display)) {
      return this.#rate;
    }
    // Kafka forgets the history with the sensor, but a removal for other reasons lifts no quota.
    if (this.idleMs > IDLE_SECONDS * 1000) this.#rate = new SteadyRate(this.#clock);
    this.#sensor = this.#register(this.#rate);
    return this.#rate;
  }

  /** The sensor that shows `rate`, or undefined when another one has its name. */
  #register(rate: SteadyRate): Sensor | undefined {
    if (this.#display === undefined || this.#metricName === undefined) return undefined;
    const { metrics, name } = this.#display;
    if (metrics.getSensor(name.sensor) !== undefined) return undefined;
    const sensor = metrics.sensor(name.sensor, { expirySeconds: IDLE_SECONDS });
    sensor.add(this.#metricName, rate, this.#config);
    return sensor;
  }
}
