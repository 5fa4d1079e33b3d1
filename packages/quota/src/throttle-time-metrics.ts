import { Avg, Max, type MetricsRegistry, type Sensor } from '@logloft/metrics';
import { QuotaNameTakenError } from './errors.ts';

/** Kafka drops the sensor when nothing was throttled for that long. */
const IDLE_SECONDS = 3_600;

const GROUP = 'RemoteLogManager';

/** Whose throttle times are shown: Kafka's names for writing to and reading from remote storage. */
export type ThrottledKind = 'copies' | 'fetches';

const NAMES = {
  copies: 'remote-copy-throttle-time',
  fetches: 'remote-fetch-throttle-time',
} as const;

/**
 * The average and the maximum of throttle times, in ms, over Kafka's default window of two samples
 * of 30 s. Only times above 0 are counted, so the average is over the times when there was
 * something to wait for.
 */
export class ThrottleTimeMetrics {
  readonly #metrics: MetricsRegistry;
  readonly #kind: ThrottledKind;
  readonly #name: (typeof NAMES)[ThrottledKind];
  #sensor: Sensor;

  /** @throws QuotaNameTakenError when the registry shows these times already */
  constructor(metrics: MetricsRegistry, kind: ThrottledKind) {
    this.#metrics = metrics;
    this.#kind = kind;
    this.#name = NAMES[kind];
    if (metrics.getSensor(this.#name) !== undefined) throw new QuotaNameTakenError(this.#name);
    this.#sensor = this.#register();
  }

  /** Counts a throttle time; 0 or less is not one. */
  record(ms: number): void {
    if (!(ms > 0)) return;
    if (!this.#isRegistered()) this.#sensor = this.#register();
    this.#sensor.recordUnchecked(ms);
  }

  /** Takes the metrics out of the registry. */
  close(): void {
    if (this.#isRegistered()) this.#metrics.removeSensor(this.#name);
  }

  #isRegistered(): boolean {
    return this.#metrics.getSensor(this.#name) === this.#sensor;
  }

  #register(): Sensor {
    const sensor = this.#metrics.sensor(this.#name, { expirySeconds: IDLE_SECONDS });
    sensor.add(this.#metricName('avg', 'average'), new Avg());
    sensor.add(this.#metricName('max', 'maximum'), new Max());
    return sensor;
  }

  #metricName(suffix: string, word: string): ReturnType<MetricsRegistry['metricName']> {
    return this.#metrics.metricName({
      name: `${this.#name}-${suffix}`,
      group: GROUP,
      description: `The ${word} time in millis remote ${this.#kind} was throttled by a broker`,
    });
  }
}
