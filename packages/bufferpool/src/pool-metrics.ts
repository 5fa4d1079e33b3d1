import { Meter, type MetricName, type MetricsRegistry, type Sensor } from '@logloft/metrics';

/** Group of the metrics where the owner names none: that of Kafka's producer. */
export const DEFAULT_METRICS_GROUP = 'producer-metrics';

const NS_PER_MS = 1_000_000;

/** Name of one of the metrics of a pool. */
export type BufferPoolMetric =
  | 'bufferpool-wait-ratio'
  | 'bufferpool-wait-time-total'
  | 'bufferpool-wait-time-ns-total'
  | 'buffer-exhausted-rate'
  | 'buffer-exhausted-total'
  | 'waiting-threads'
  | 'buffer-total-bytes'
  | 'buffer-available-bytes';

/** The names and descriptions of all metrics, as Kafka's producer has them. */
export const BUFFER_POOL_METRICS: Readonly<Record<BufferPoolMetric, string>> = Object.freeze({
  'bufferpool-wait-ratio': 'The fraction of time an appender waits for space allocation.',
  'bufferpool-wait-time-total':
    '*Deprecated* The total time an appender waits for space allocation.',
  'bufferpool-wait-time-ns-total':
    'The total time in nanoseconds an appender waits for space allocation.',
  'buffer-exhausted-rate':
    'The average per-second number of record sends that are dropped due to buffer exhaustion',
  'buffer-exhausted-total':
    'The total number of record sends that are dropped due to buffer exhaustion',
  'waiting-threads': 'Allocations that wait for memory of the pool',
  'buffer-total-bytes': 'Memory that the pool may hand out, in bytes, whether in use or not',
  'buffer-available-bytes': 'Memory that is not in use, in bytes: unallocated or in free buffers',
});

/** What the gauges of a pool read, each when it is measured. */
export interface PoolReadings {
  readonly totalBytes: () => number;
  readonly availableBytes: () => number;
  readonly waiters: () => number;
}

/** Kafka's metrics of one pool, on the registry of its owner. */
export class PoolMetrics {
  readonly #waitTime: Sensor;
  readonly #exhausted: Sensor;

  /** @throws DuplicateMetricError when a pool of this group is registered, before anything else is */
  constructor(registry: MetricsRegistry, group: string, readings: PoolReadings) {
    const name = (metric: BufferPoolMetric): MetricName =>
      registry.metricName({ name: metric, group, description: BUFFER_POOL_METRICS[metric] });

    // Gauges first: they refuse a name that is taken, where a sensor would be shared in silence.
    registry.addGauge(name('waiting-threads'), readings.waiters);
    registry.addGauge(name('buffer-total-bytes'), readings.totalBytes);
    registry.addGauge(name('buffer-available-bytes'), readings.availableBytes);

    // Kafka has a registry a client, and plain sensor names; here pools may share one registry.
    const prefix = group === DEFAULT_METRICS_GROUP ? '' : `${group}:`;
    this.#waitTime = registry.sensor(`${prefix}bufferpool-wait-time`);
    const rate = name('bufferpool-wait-ratio');
    // Both meters have the ratio; the first one's is registered (KIP-773 added the second).
    for (const total of ['bufferpool-wait-time-total', 'bufferpool-wait-time-ns-total'] as const) {
      this.#waitTime.addCompound(new Meter({ unit: 'nanoseconds', rate, total: name(total) }));
    }
    this.#exhausted = registry.sensor(`${prefix}buffer-exhausted-records`);
    this.#exhausted.addCompound(
      new Meter({ rate: name('buffer-exhausted-rate'), total: name('buffer-exhausted-total') }),
    );
  }

  /** Notes one stretch of waiting. */
  recordWait(ms: number): void {
    this.#waitTime.recordUnchecked(Math.max(0, Math.round(ms * NS_PER_MS)));
  }

  /** Notes one allocation that ran out of time. */
  recordExhausted(): void {
    this.#exhausted.recordUnchecked(1);
  }
}
