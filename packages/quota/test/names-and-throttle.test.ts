import { ManualClock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { ReadQuotaManager, throttleTimeMs, WriteQuotaManager } from '@logloft/quota';
import { expect, test } from 'vitest';
import { ThrottleTimeMetrics } from '../src/throttle-time-metrics.ts';
import { decode, type Encoded, readVectors } from './read-vectors.ts';

interface File {
  readonly metricNames: readonly {
    readonly group: string;
    readonly name: string;
    readonly description: string;
  }[];
  readonly fetchThrottleTime: readonly (readonly [
    advanceMs: number,
    recordedMs: number | null,
    avg: Encoded,
    max: Encoded,
  ])[];
  readonly throttleTable: readonly (readonly [
    recorded: Encoded,
    bound: Encoded,
    rate: Encoded | null,
    windowMs: number,
    throttleMs: Encoded,
    boundedMs: Encoded,
  ])[];
}

const vectors = readVectors<File>('names-and-throttle-metrics');

test('both managers show exactly the metrics that Kafka shows, with its descriptions', () => {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry({ clock });
  const write = new WriteQuotaManager({ clock, metrics });
  const read = new ReadQuotaManager({ clock, metrics });
  const shown = [...metrics.metrics()].map(({ name }) => ({
    group: name.group,
    name: name.name,
    description: name.description,
    tags: name.tags.size,
  }));
  shown.sort((a, b) => (`${a.group}/${a.name}` < `${b.group}/${b.name}` ? -1 : 1));
  expect(shown).toEqual(vectors.metricNames);
  expect([write.limit.isUnlimited, read.limit.isUnlimited]).toEqual([true, true]);
});

test('throttle times are averaged as in the original, in all 61 rows', () => {
  const clock = new ManualClock({ startMs: 1_000_000 });
  const metrics = new MetricsRegistry({ clock });
  const times = new ThrottleTimeMetrics(metrics, 'fetches');
  const value = (suffix: string): number | undefined =>
    metrics
      .metric(
        metrics.metricName({
          name: `remote-fetch-throttle-time-${suffix}`,
          group: 'RemoteLogManager',
        }),
      )
      ?.value();
  for (const [advanceMs, recordedMs, avg, max] of vectors.fetchThrottleTime) {
    clock.advance(advanceMs);
    if (recordedMs !== null) times.record(recordedMs);
    expect([value('avg'), value('max')]).toStrictEqual([decode(avg), decode(max)]);
  }
  expect(vectors.fetchThrottleTime.length).toBe(61);
});

test('the throttle formula gives what the original gives, in all 50 rows of its table', () => {
  for (const [recorded, bound, rate, windowMs, throttleMs, boundedMs] of vectors.throttleTable) {
    if (rate === null) {
      expect(decode(recorded)).toBeLessThanOrEqual(decode(bound));
      continue;
    }
    const ms = throttleTimeMs({ rate: decode(rate), bound: decode(bound), windowMs });
    expect([ms, Math.min(ms, 30_000)]).toStrictEqual([decode(throttleMs), decode(boundedMs)]);
  }
  expect(vectors.throttleTable.length).toBe(50);
});
