import type { LogManager } from '@logloft/log';
import type { MetricsRegistry } from '@logloft/metrics';
import { APIS } from '@logloft/protocol';
import type { TopicManager } from '../topics/topic-manager.ts';
import type { BrokerStatistics } from './broker-statistics.ts';

/** Group of the broker's own metrics. */
const BROKER_METRICS_GROUP = 'broker-metrics';

/** Where the figures come from. */
export interface StatisticsSources {
  readonly statistics: BrokerStatistics;
  readonly logs: LogManager;
  readonly topics: TopicManager;
}

type Reading = readonly [name: string, description: string, read: () => number];

/** Shows a broker's counters in a registry, as gauges that are read when somebody looks. */
export function registerStatistics(registry: MetricsRegistry, sources: StatisticsSources): void {
  for (const [name, description, read] of readings(sources)) {
    registry.addGauge(
      registry.metricName({ name, group: BROKER_METRICS_GROUP, description }),
      read,
    );
  }
  const { requests } = sources.statistics;
  for (const { key, name } of APIS) {
    const metric = registry.metricName({
      name: 'request-total',
      group: BROKER_METRICS_GROUP,
      description: 'requests by API',
      tags: { api: name },
    });
    registry.addGauge(metric, () => requests[key] ?? 0);
  }
}

function readings({ statistics, logs, topics }: StatisticsSources): readonly Reading[] {
  const log = logs.statistics;
  const partitions = (): number =>
    topics.all().reduce((sum, one) => sum + one.partitions.length, 0);
  return [
    ['connection-opened-total', 'connections accepted', () => statistics.connectionsOpened],
    [
      'connection-fault-total',
      'connections closed for what they sent',
      () => statistics.connectionFaults,
    ],
    [
      'connection-count',
      'connections open now',
      () => statistics.connectionsOpened - statistics.connectionsClosed,
    ],
    ['request-bytes-total', 'bytes of requests', () => statistics.bytesIn],
    ['response-bytes-total', 'bytes of responses', () => statistics.bytesOut],
    [
      'batch-appended-total',
      'record batches appended for clients',
      () => statistics.batchesAppended,
    ],
    ['batch-appended-bytes-total', 'bytes of these batches', () => statistics.batchBytesAppended],
    ['batch-refused-total', 'record batches refused', () => statistics.batchesRefused],
    [
      'fetch-local-bytes-total',
      'bytes given from local segments',
      () => statistics.localFetchBytes,
    ],
    [
      'fetch-remote-bytes-total',
      'bytes given from the remote tier',
      () => statistics.remoteFetchBytes,
    ],
    [
      'fetch-remote-throttled-total',
      'partitions answered empty because the read quota was exhausted',
      () => statistics.remoteFetchesThrottled,
    ],
    ['topic-count', 'topics, internal ones included', () => topics.all().length],
    ['partition-count', 'partitions led here', partitions],
    [
      'log-size-bytes',
      'bytes of all local segments',
      () => logs.list().reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0),
    ],
    ['log-hot-read-bytes-total', 'bytes read while in memory', () => log.hotReadBytes],
    [
      'log-cold-read-bytes-total',
      'bytes read from disk in the background',
      () => log.coldReadBytes,
    ],
  ];
}
