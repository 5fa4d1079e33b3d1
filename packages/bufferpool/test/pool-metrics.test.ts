import { ManualClock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { expect, test } from 'vitest';
import { BUFFER_POOL_METRICS, BufferPool } from '../src/index.ts';
import { readRecordedNames } from './kafka-scenarios.ts';

function makePool(group?: string) {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry({ clock });
  const options = { totalBytes: 100, poolableBytes: 10 };
  const pool = new BufferPool(options, { clock, metrics, metricsGroup: group });
  const read = (name: string): number | undefined =>
    metrics.metric(metrics.metricName({ name, group: group ?? 'producer-metrics' }))?.value();
  return { clock, metrics, pool, read };
}

test('the metrics and sensors that Kafka registers are registered, with its descriptions', () => {
  const { metrics } = makePool();
  const recorded = readRecordedNames();
  expect(recorded.metricNames).toHaveLength(6);
  for (const { name, group, description } of recorded.metricNames) {
    const metric = metrics.metric(metrics.metricName({ name, group }));
    expect(metric?.name, name).toMatchObject({ name, group, description });
  }
  for (const { sensor } of recorded.sensors) expect(metrics.getSensor(sensor)).toBeDefined();
});

test('no metric is registered beyond the table, and each of the table is', () => {
  const { metrics } = makePool('network');
  const names = [...metrics.metrics()].map(({ name }) => name);
  const ours = names.filter(({ group }) => group === 'network').map(({ name }) => name);
  expect(ours.sort()).toEqual(Object.keys(BUFFER_POOL_METRICS).sort());
});

test('waiting is counted in nanoseconds, and a time-out as exhausted', async () => {
  const { clock, pool, read } = makePool('network');
  await pool.allocate(100);
  const waiting = pool.allocate(10, { maxBlockMs: 250 }).catch(() => undefined);
  expect(read('waiting-threads')).toBe(1);
  expect(read('buffer-total-bytes')).toBe(100);
  expect(read('buffer-available-bytes')).toBe(0);
  await clock.advanceAsync(250);
  await waiting;
  expect(read('bufferpool-wait-time-total')).toBe(250_000_000);
  expect(read('bufferpool-wait-time-ns-total')).toBe(250_000_000);
  expect(read('buffer-exhausted-total')).toBe(1);
  expect(read('waiting-threads')).toBe(0);
});

test('tryAllocate, aborts, refusals and close do not count as exhausted', async () => {
  const { pool, read } = makePool();
  await pool.allocate(100);
  expect(pool.tryAllocate(1)).toBeUndefined();
  const abort = new AbortController();
  const waits = [pool.allocate(1, { signal: abort.signal }), pool.allocate(1), pool.allocate(101)];
  abort.abort();
  await pool.close();
  await Promise.allSettled(waits);
  expect(read('buffer-exhausted-total')).toBe(0);
});

test('two pools share a registry under two groups, and the same group twice is refused whole', () => {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry({ clock });
  const options = { totalBytes: 100, poolableBytes: 10 };
  new BufferPool(options, { clock, metrics, metricsGroup: 'network' });
  new BufferPool(options, { clock, metrics, metricsGroup: 'fetch' });
  const count = [...metrics.metrics()].length;
  expect(() => new BufferPool(options, { clock, metrics, metricsGroup: 'fetch' })).toThrow();
  expect([...metrics.metrics()]).toHaveLength(count);
  expect([...metrics.sensors()]).toHaveLength(4);
});
