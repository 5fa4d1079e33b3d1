import type { MetricName, MetricsRegistry } from '@logloft/metrics';
import type { CacheStats } from './cache-stats.ts';

/** Name and description of a metric, and where its number is. */
type Gauge = readonly [name: string, description: string, read: (stats: CacheStats) => number];

// Group names and, where there are any, names are those of Aiven's plugin.
const GAUGES: Readonly<Record<string, readonly Gauge[]>> = Object.freeze({
  'chunk-cache-metrics': [
    ['cache-hits-total', 'Chunks found in the cache', (stats) => stats.chunks.hits],
    ['cache-misses-total', 'Chunks not found in the cache', (stats) => stats.chunks.misses],
    ['cache-load-success-total', 'Chunks loaded', (stats) => stats.reads.loads],
    ['cache-load-success-time-total', 'Time to load chunks, in ms', (stats) => stats.reads.loadMs],
    ['cache-load-failure-total', 'Chunks not loaded', (stats) => stats.reads.loadFailures],
    ['cache-eviction-total', 'Chunks that had to go', (stats) => stats.chunks.evictions],
    ['cache-eviction-weight-total', 'Their bytes', (stats) => stats.chunks.evictedBytes],
    ['cache-size-total', 'Chunks in the cache', (stats) => stats.chunks.entries],
    ['cache-bytes', 'Bytes in the cache', (stats) => stats.chunks.bytes],
    ['cache-bypass-total', 'Chunks that were not taken in', (stats) => stats.chunks.bypassed],
    ['cache-thrash-total', 'Misses of chunks evicted lately', (stats) => stats.chunks.thrashed],
    ['cache-damaged-total', 'Chunks found damaged on disk', (stats) => stats.chunks.damaged],
    ['cache-failures-total', 'Failures of the disk', (stats) => stats.chunks.failures],
  ],
  'segment-indexes-cache-metrics': [
    ['cache-hits-total', 'Indexes found in the cache', (stats) => stats.indexes.hits],
    ['cache-misses-total', 'Indexes not found in the cache', (stats) => stats.indexes.misses],
    ['cache-eviction-total', 'Indexes that had to go', (stats) => stats.indexes.evictions],
    ['cache-eviction-weight-total', 'Their bytes', (stats) => stats.indexes.evictedBytes],
    ['cache-size-total', 'Objects of indexes in the cache', (stats) => stats.indexes.entries],
    ['cache-bytes', 'Bytes in the cache', (stats) => stats.indexes.bytes],
    ['requests-total', 'Requests for indexes', (stats) => stats.indexes.requests],
  ],
  'segment-manifest-cache-metrics': [
    ['cache-hits-total', 'Manifests found in the cache', (stats) => stats.manifests.hits],
    ['cache-misses-total', 'Manifests not found in the cache', (stats) => stats.manifests.misses],
    ['cache-size-total', 'Manifests in the cache', (stats) => stats.manifests.entries],
    ['requests-total', 'Requests for manifests', (stats) => stats.manifests.requests],
  ],
  'segment-fetch-metrics': [
    ['direct-requests-total', 'Requests that a reader waited for', (s) => s.reads.directRequests],
    ['ahead-requests-total', 'Requests of the read-ahead', (stats) => stats.reads.aheadRequests],
    ['store-bytes-total', 'Bytes that the store gave', (stats) => stats.reads.storeBytes],
    ['delivered-bytes-total', 'Bytes that readers got', (stats) => stats.reads.deliveredBytes],
    ['cancelled-total', 'Reads that ended early', (stats) => stats.reads.cancelled],
    ['timeouts-total', 'Waits that took too long', (stats) => stats.reads.timeouts],
    ['ended-loads-total', 'Loads ended, as nobody waited', (stats) => stats.reads.endedLoads],
    ['dropped-ahead-total', 'Read-ahead that was dropped', (stats) => stats.reads.droppedAhead],
  ],
});

/**
 * Registers what the reading of segments did. Names that another storage has registered already stay
 * that one's.
 *
 * @returns takes them away again
 */
export function registerReadMetrics(
  registry: MetricsRegistry,
  stats: () => CacheStats,
): () => void {
  const ours: MetricName[] = [];
  for (const [group, gauges] of Object.entries(GAUGES)) {
    for (const [name, description, read] of gauges) {
      const metricName = registry.metricName({ name, group, description });
      if (registry.metric(metricName) !== undefined) continue;
      registry.addGauge(metricName, () => read(stats()));
      ours.push(metricName);
    }
  }
  return () => {
    for (const name of ours) registry.removeMetric(name);
  };
}
