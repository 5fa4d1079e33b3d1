import { Meter, type MetricName, type MetricsRegistry, type Sensor } from '@logloft/metrics';
import type { TopicIdPartition } from '@logloft/remote-storage';
import { partitionKey } from './metadata/partition-events.ts';

const GROUP = 'BrokerTopicMetrics';

/** What is metered. */
export type RemoteLogMeter =
  | 'fetchBytes'
  | 'fetchRequests'
  | 'fetchErrors'
  | 'copyBytes'
  | 'copyRequests'
  | 'copyErrors'
  | 'deleteRequests'
  | 'deleteErrors';

/** What is kept by partition, and shown as sums. */
export type RemoteLogGauge =
  | 'copyLagBytes'
  | 'copyLagSegments'
  | 'deleteLagBytes'
  | 'deleteLagSegments'
  | 'metadataCount'
  | 'sizeBytes'
  | 'sizeComputationTime';

/** Of each meter: Kafka's name for the rate, a name for the total, and what it is about. */
const METERS: Readonly<
  Record<RemoteLogMeter, readonly [rate: string, total: string, description: string]>
> = {
  fetchBytes: ['RemoteFetchBytesPerSec', 'RemoteFetchBytesTotal', 'bytes returned by remote reads'],
  fetchRequests: ['RemoteFetchRequestsPerSec', 'RemoteFetchRequestsTotal', 'remote reads'],
  fetchErrors: ['RemoteFetchErrorsPerSec', 'RemoteFetchErrorsTotal', 'remote reads that failed'],
  copyBytes: ['RemoteCopyBytesPerSec', 'RemoteCopyBytesTotal', 'bytes of segments copied'],
  copyRequests: ['RemoteCopyRequestsPerSec', 'RemoteCopyRequestsTotal', 'copies begun'],
  copyErrors: ['RemoteCopyErrorsPerSec', 'RemoteCopyErrorsTotal', 'copies that failed'],
  deleteRequests: ['RemoteDeleteRequestsPerSec', 'RemoteDeleteRequestsTotal', 'deletions begun'],
  deleteErrors: ['RemoteDeleteErrorsPerSec', 'RemoteDeleteErrorsTotal', 'deletions that failed'],
};

/** Of each gauge: Kafka's name (KIP-963), and what it is about. */
const GAUGES: ReadonlyMap<RemoteLogGauge, readonly [name: string, description: string]> = new Map([
  ['copyLagBytes', ['RemoteCopyLagBytes', 'bytes rolled and not copied yet']],
  ['copyLagSegments', ['RemoteCopyLagSegments', 'segments rolled and not copied yet']],
  ['deleteLagBytes', ['RemoteDeleteLagBytes', 'bytes chosen for deletion, not deleted yet']],
  [
    'deleteLagSegments',
    ['RemoteDeleteLagSegments', 'segments chosen for deletion, not deleted yet'],
  ],
  ['metadataCount', ['RemoteLogMetadataCount', 'remote segments known and not deleted']],
  ['sizeBytes', ['RemoteLogSizeBytes', 'bytes of remote segments that are copied whole']],
  ['sizeComputationTime', ['RemoteLogSizeComputationTime', 'ms taken to compute the remote size']],
]);

interface TopicFigures {
  /** Values of the topic's partitions, by partition. */
  readonly byPartition: Map<string, Map<RemoteLogGauge, number>>;
  readonly gauges: readonly MetricName[];
}

/** The metrics of the remote log manager, under Kafka's names. */
export class RemoteLogMetrics {
  readonly #registry: MetricsRegistry;
  readonly #topics = new Map<string, TopicFigures>();
  readonly #sensors = new Set<string>();
  readonly #names: MetricName[] = [];

  constructor(registry: MetricsRegistry) {
    this.#registry = registry;
    for (const [gauge, [name, description]] of GAUGES) {
      this.addGauge({ name, group: GROUP, description }, () => this.total(gauge));
    }
  }

  /** Records into the meter of the topic and that of the broker. */
  mark(meter: RemoteLogMeter, topic: string, value = 1): void {
    this.#sensor(meter, topic).record(value);
    this.#sensor(meter).record(value);
  }

  /** Sets a partition's share of a gauge. */
  set(gauge: RemoteLogGauge, partition: TopicIdPartition, value: number): void {
    const { byPartition } = this.#topic(partition.topic);
    const key = partitionKey(partition);
    let values = byPartition.get(key);
    if (values === undefined) {
      values = new Map();
      byPartition.set(key, values);
    }
    values.set(gauge, value);
  }

  /** Takes the partition out of all sums, so that nothing of it stays behind (KAFKA-16948). */
  forget(partition: TopicIdPartition): void {
    const figures = this.#topics.get(partition.topic);
    figures?.byPartition.delete(partitionKey(partition));
    if (figures === undefined || figures.byPartition.size > 0) return;
    for (const name of figures.gauges) this.#registry.removeMetric(name);
    this.#topics.delete(partition.topic);
  }

  /** The sum of a gauge over the partitions of a topic, or of all. */
  total(gauge: RemoteLogGauge, topic?: string): number {
    let sum = 0;
    const figures = topic === undefined ? this.#topics.values() : [this.#topics.get(topic)];
    for (const one of figures) {
      for (const values of one?.byPartition.values() ?? []) sum += values.get(gauge) ?? 0;
    }
    return sum;
  }

  /** Registers a gauge that lives as long as this. */
  addGauge(
    parts: { readonly name: string; readonly group: string; readonly description: string },
    read: () => number,
  ): void {
    const name = this.#registry.metricName(parts);
    this.#registry.addGaugeIfAbsent(name, read);
    this.#names.push(name);
  }

  /** Removes everything from the registry. */
  close(): void {
    for (const figures of this.#topics.values()) {
      for (const name of figures.gauges) this.#registry.removeMetric(name);
    }
    this.#topics.clear();
    for (const name of this.#names.splice(0)) this.#registry.removeMetric(name);
    for (const sensor of this.#sensors) this.#registry.removeSensor(sensor);
    this.#sensors.clear();
  }

  #sensor(meter: RemoteLogMeter, topic?: string): Sensor {
    const [rate, total, description] = METERS[meter];
    const key = topic === undefined ? rate : `${rate}:${topic}`;
    const known = this.#registry.getSensor(key);
    if (known !== undefined) return known;
    const tags = topic === undefined ? {} : { topic };
    const sensor = this.#registry.sensor(key);
    sensor.addCompound(
      new Meter({
        rate: this.#registry.metricName({ name: rate, group: GROUP, tags, description }),
        total: this.#registry.metricName({ name: total, group: GROUP, tags, description }),
      }),
    );
    this.#sensors.add(key);
    return sensor;
  }

  #topic(topic: string): TopicFigures {
    let figures = this.#topics.get(topic);
    if (figures === undefined) {
      const gauges = [...GAUGES].map(([gauge, [name, description]]) => {
        const tags = { topic };
        const full = this.#registry.metricName({ name, group: GROUP, tags, description });
        this.#registry.addGaugeIfAbsent(full, () => this.total(gauge, topic));
        return full;
      });
      figures = { byPartition: new Map(), gauges };
      this.#topics.set(topic, figures);
    }
    return figures;
  }
}
