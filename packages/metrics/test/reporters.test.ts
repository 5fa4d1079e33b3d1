import { ManualClock } from '@logloft/clock';
import {
  CumulativeSum,
  Max,
  type Metric,
  type MetricName,
  MetricsRegistry,
  type MetricsReporter,
  type MetricsWarning,
} from '@logloft/metrics';
import { describe, expect, test, vi } from 'vitest';

/** A reporter that notes what it is told. */
function noting(): MetricsReporter & { readonly told: string[] } {
  const told: string[] = [];
  return {
    told,
    init: (metrics) => void told.push(`init ${metrics.map(({ name }) => name.name).join(' ')}`),
    metricChange: ({ name }) => void told.push(`+${name.name}`),
    metricRemoval: ({ name }) => void told.push(`-${name.name}`),
    close: () => void told.push('close'),
  };
}

function setUp(onWarning?: (warning: MetricsWarning) => void): {
  registry: MetricsRegistry;
  name: (of: string) => MetricName;
} {
  const registry = new MetricsRegistry({ clock: new ManualClock(), onWarning });
  return { registry, name: (of) => registry.metricName({ name: of, group: 'g' }) };
}

describe('a reporter', () => {
  test('is told of what there is, then of what comes and goes, until it is removed', () => {
    const { registry, name } = setUp();
    const reporter = noting();
    registry.addGauge(name('a'), () => 1);
    registry.addReporter(reporter);
    registry.addReporter(reporter);
    const sensor = registry.sensor('s');
    sensor.add(name('b'), new Max());
    sensor.add(name('c'), new Max());
    registry.removeMetric(name('a'));
    registry.removeMetric(name('a'));
    registry.removeSensor('s');
    registry.removeReporter(reporter);
    registry.removeReporter(reporter);
    registry.addGauge(name('d'), () => 1);
    expect(reporter.told).toEqual(['init count a', '+b', '+c', '-a', '-b', '-c', 'close']);
  });

  test('given to the registry at its start is told of all, and closed with it, once', async () => {
    const reporter = noting();
    const registry = new MetricsRegistry({ clock: new ManualClock(), reporters: [reporter] });
    await registry.close();
    await registry.close();
    registry.addReporter(reporter);
    expect(reporter.told).toEqual(['init count', 'close']);
  });

  test('is told of metrics that expire', () => {
    const clock = new ManualClock();
    const reporter = noting();
    const registry = new MetricsRegistry({ clock, reporters: [reporter] });
    registry
      .sensor('s', { expirySeconds: 1 })
      .add(registry.metricName({ name: 'a', group: 'g' }), new Max());
    clock.advance(1_001);
    registry.expireSensors();
    expect(reporter.told).toEqual(['init count', '+a', '-a']);
  });

  test('that throws harms nobody, and is warned of once', () => {
    const warnings: MetricsWarning[] = [];
    const { registry, name } = setUp((warning) => void warnings.push(warning));
    const reason = new Error('no disk');
    const fail = (): never => {
      throw reason;
    };
    const failing = { init: fail, metricChange: fail, metricRemoval: fail, close: fail };
    const other = noting();
    registry.addReporter(failing);
    registry.addReporter(other);
    registry.addGauge(name('a'), () => 1);
    registry.removeMetric(name('a'));
    registry.removeReporter(failing);
    expect(other.told).toEqual(['init count', '+a', '-a']);
    expect(warnings).toEqual([
      {
        code: 'LOGLOFT_METRICS_REPORTER_FAILED',
        message: expect.stringContaining('threw Error: no disk'),
        cause: reason,
      },
    ]);
  });

  test('may have none of the methods', () => {
    const { registry, name } = setUp();
    const reporter: MetricsReporter = {};
    registry.addReporter(reporter);
    registry.addGauge(name('a'), () => 1);
    registry.removeMetric(name('a'));
    registry.removeReporter(reporter);
  });

  test('may read values whenever it likes', () => {
    const { registry, name } = setUp();
    const seen = new Map<string, Metric>();
    registry.addReporter({ metricChange: (metric) => void seen.set(metric.name.name, metric) });
    const sensor = registry.sensor('s');
    sensor.add(name('total'), new CumulativeSum());
    sensor.record(5);
    expect(seen.get('total')?.value()).toBe(5);
    expect(seen.get('total')?.isCumulative).toBe(true);
  });
});

test('warnings go to the process unless somebody else takes them', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const { registry } = setUp();
  registry.addReporter({
    init: () => {
      throw new Error('no disk');
    },
  });
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining('no disk'),
    expect.objectContaining({ code: 'LOGLOFT_METRICS_REPORTER_FAILED' }),
  );
});
