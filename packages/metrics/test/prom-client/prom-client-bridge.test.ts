import { ManualClock } from '@logloft/clock';
import { CumulativeSum, MetricsRegistry, type MetricsWarning } from '@logloft/metrics';
import {
  PromClientBridge,
  type PromClientMetric,
  type PromClientRegistry,
} from '@logloft/metrics/prom-client';
import { expect, test } from 'vitest';

/** What prom-client 15 does with metrics that are registered, as far as the bridge meets it. */
class FakePromClientRegistry implements PromClientRegistry {
  readonly byName = new Map<string, PromClientMetric & { name: string; type: string }>();

  registerMetric(metric: PromClientMetric): void {
    const known = metric as PromClientMetric & { name: string; type: string };
    if (this.byName.has(known.name)) {
      throw new Error(`A metric with the name ${known.name} has already been registered.`);
    }
    this.byName.set(known.name, known);
  }

  removeSingleMetric(name: string): void {
    this.byName.delete(name);
  }

  /** As for OpenMetrics, where prom-client takes the end off the names of counters first. */
  async collect(options: { readonly openMetrics?: boolean } = {}): Promise<readonly object[]> {
    const metrics = [...this.byName.values()];
    if (options.openMetrics === true) {
      for (const metric of metrics) {
        if (metric.type === 'counter') metric.name = metric.name.replace(/_total$/, '');
      }
    }
    return Promise.all(metrics.map((metric) => metric.get()));
  }
}

function setUp(maxLabelSets?: number): {
  registry: MetricsRegistry;
  target: FakePromClientRegistry;
  bridge: PromClientBridge;
  warnings: MetricsWarning[];
  gauge: (name: string, value: number, tags?: Record<string, string>) => void;
} {
  const warnings: MetricsWarning[] = [];
  const onWarning = (warning: MetricsWarning): void => void warnings.push(warning);
  const registry = new MetricsRegistry({ clock: new ManualClock(), onWarning });
  registry.removeMetric(registry.metricName({ name: 'count', group: 'kafka-metrics-count' }));
  const target = new FakePromClientRegistry();
  const bridge = new PromClientBridge({ target, prefix: 'logloft', maxLabelSets, onWarning });
  const gauge = (name: string, value: number, tags: Record<string, string> = {}): void => {
    const description = `About ${name}.`;
    registry.addGauge(registry.metricName({ name, group: 'g', description, tags }), () => value);
  };
  return { registry, target, bridge, warnings, gauge };
}

test('metrics are shown as families with base units, those that come later too', async () => {
  const { registry, target, bridge, gauge } = setUp();
  gauge('latency-ms-max', 1_500, { 'client-id': 'a' });
  registry.addReporter(bridge);
  gauge('latency-ms-max', 500, { 'client-id': 'b' });
  registry.sensor('s').add(registry.metricName({ name: 'sent', group: 'g' }), new CumulativeSum(3));
  expect(await target.collect()).toEqual([
    {
      name: 'logloft_g_latency_max_seconds',
      help: 'About latency-ms-max.',
      type: 'gauge',
      aggregator: 'sum',
      values: [
        { value: 1.5, labels: { client_id: 'a' } },
        { value: 0.5, labels: { client_id: 'b' } },
      ],
    },
    {
      name: 'logloft_g_sent_total',
      help: 'sent',
      type: 'counter',
      aggregator: 'sum',
      values: [{ value: 3, labels: {} }],
    },
  ]);
});

test('a counter has the name that prom-client wants for OpenMetrics', async () => {
  const { registry, target, bridge, gauge } = setUp(1);
  registry.addReporter(bridge);
  gauge('sent-total', 1, { to: 'a' });
  gauge('sent-total', 2, { to: 'b' });
  const [family] = await target.collect({ openMetrics: true });
  expect(family).toMatchObject({
    name: 'logloft_g_sent',
    values: [
      { value: 1, labels: { to: 'a' } },
      { value: 2, labels: { overflow: 'true' } },
    ],
  });
});

test('a family goes with its last metric, and all with the bridge', async () => {
  const { registry, target, bridge, gauge } = setUp();
  registry.addReporter(bridge);
  gauge('a', 1, { l: '1' });
  gauge('a', 2, { l: '2' });
  gauge('b', 3);
  registry.removeMetric(registry.metricName({ name: 'a', group: 'g', tags: { l: '1' } }));
  expect([...target.byName.keys()]).toEqual(['logloft_g_a', 'logloft_g_b']);
  registry.removeMetric(registry.metricName({ name: 'a', group: 'g', tags: { l: '2' } }));
  expect([...target.byName.keys()]).toEqual(['logloft_g_b']);
  registry.removeReporter(bridge);
  expect(await target.collect()).toEqual([]);
});

test('a name that the other registry has is left to it, with a warning; all others are shown', async () => {
  const { registry, target, bridge, gauge, warnings } = setUp();
  const taken = { name: 'logloft_g_taken', type: 'gauge', get: async () => ({ theirs: true }) };
  target.registerMetric(taken);
  gauge('taken', 1);
  gauge('free', 2);
  registry.addReporter(bridge);
  gauge('later', 3);
  expect([...target.byName.keys()]).toEqual([
    'logloft_g_taken',
    'logloft_g_free',
    'logloft_g_later',
  ]);
  registry.removeMetric(registry.metricName({ name: 'taken', group: 'g' }));
  expect(await taken.get()).toEqual({ theirs: true });
  expect(target.byName.has('logloft_g_taken')).toBe(true);
  expect(warnings.map(({ code }) => code)).toEqual(['LOGLOFT_METRICS_REPORTER_FAILED']);
});

test('a gauge that throws is left out', async () => {
  const { registry, target, bridge, warnings } = setUp();
  registry.addReporter(bridge);
  registry.addGauge(registry.metricName({ name: 'broken', group: 'g' }), () => {
    throw new Error('no such file');
  });
  expect(await target.collect()).toMatchObject([{ name: 'logloft_g_broken', values: [] }]);
  expect(warnings.map(({ code }) => code)).toEqual(['LOGLOFT_METRICS_UNREADABLE']);
});
