import { ManualClock } from '@logloft/clock';
import {
  Avg,
  CumulativeSum,
  Meter,
  MetricsRegistry,
  QuotaBound,
  QuotaViolationError,
  type Sensor,
  SimpleRate,
  Value,
} from '@logloft/metrics';
import { describe, expect, test } from 'vitest';

function setUp(): { clock: ManualClock; registry: MetricsRegistry } {
  const clock = new ManualClock();
  return { clock, registry: new MetricsRegistry({ clock }) };
}

function violationOf(sensor: Sensor): QuotaViolationError {
  try {
    sensor.checkQuotas();
  } catch (error) {
    if (error instanceof QuotaViolationError) return error;
  }
  throw new Error('the quota was not violated');
}

describe('a quota', () => {
  test('counts the value that violates it, and tells what was measured against what', () => {
    const { registry } = setUp();
    const sensor = registry.sensor('s', { config: { quota: QuotaBound.upper(5) } });
    const name = registry.metricName({ name: 'sum', group: 'g' });
    sensor.add(name, new CumulativeSum());
    sensor.record(5);
    expect(() => sensor.record(1)).toThrow(QuotaViolationError);
    const violation = violationOf(sensor);
    expect(violation.code).toBe('LOGLOFT_METRICS_QUOTA_VIOLATION');
    expect([violation.value, violation.quota.bound]).toEqual([6, 5]);
    expect(violation.metricName).toBe(name);
    expect(violation.message).toMatch(/Metric g\/sum\{\} must be at most 5 by its quota, but is 6/);
    expect(String(violation)).toMatch(/^QuotaViolationError: Metric g\/sum/);
  });

  test('is checked without an error where that is asked for', () => {
    const { registry } = setUp();
    const sensor = registry.sensor('s', { config: { quota: QuotaBound.lower(3) } });
    sensor.add(registry.metricName({ name: 'v', group: 'g' }), new Value());
    expect(sensor.findViolation()?.value).toBe(0);
    sensor.recordUnchecked(3);
    expect(sensor.findViolation()).toBeUndefined();
  });

  test('is an error without a stack, and leaves the stacks of others as they were', () => {
    const { registry } = setUp();
    const sensor = registry.sensor('s', { config: { quota: QuotaBound.upper(0) } });
    sensor.add(registry.metricName({ name: 'avg', group: 'g' }), new Avg());
    const before = Error.stackTraceLimit;
    const violation = violationOf(sensor);
    expect(violation.stack ?? '').not.toMatch(/\n\s+at /);
    expect(Error.stackTraceLimit).toBe(before);
    expect(violation).toBeInstanceOf(Error);
  });

  test('can be given to a metric later, and be taken away', () => {
    const { registry } = setUp();
    const sensor = registry.sensor('s');
    const name = registry.metricName({ name: 'sum', group: 'g' });
    sensor.add(name, new CumulativeSum());
    sensor.record(10);
    registry.metric(name)?.updateConfig({ quota: QuotaBound.upper(5) });
    expect(() => sensor.record(1)).toThrow(QuotaViolationError);
    registry.metric(name)?.updateConfig({});
    sensor.record(1);
    expect(registry.metric(name)?.value()).toBe(12);
  });

  test('of a child keeps the value from the parents', () => {
    const { registry } = setUp();
    const parent = registry.sensor('parent');
    const child = registry.sensor('child', {
      parents: [parent],
      config: { quota: QuotaBound.upper(1) },
    });
    const parentSum = registry.metricName({ name: 'parent', group: 'g' });
    parent.add(parentSum, new CumulativeSum());
    child.add(registry.metricName({ name: 'child', group: 'g' }), new CumulativeSum());
    child.record(1);
    expect(() => child.record(1)).toThrow(QuotaViolationError);
    child.recordUnchecked(1);
    expect(registry.metric(parentSum)?.value()).toBe(2);
  });
});

describe('time', () => {
  test('is that of the record where one is given, and that of the clock where none is', () => {
    const { clock, registry } = setUp();
    const sensor = registry.sensor('s', { config: { samples: 2, timeWindowMs: 1_000 } });
    const name = registry.metricName({ name: 'rate', group: 'g' });
    sensor.add(name, new SimpleRate());
    const start = clock.now();
    sensor.record(10, start - 4_000);
    sensor.record(10);
    expect(registry.metric(name)?.value()).toBe(10);
    expect(registry.metric(name)?.value(start + 2_000)).toBe(0);
  });

  test('a steady rate reads within 10 % of the truth however often it is read', () => {
    const { clock, registry } = setUp();
    const sensor = registry.sensor('s', { config: { samples: 11, timeWindowMs: 1_000 } });
    const rate = registry.metricName({ name: 'rate', group: 'g' });
    const total = registry.metricName({ name: 'total', group: 'g' });
    sensor.addCompound(new Meter({ rate, total }));
    for (let ms = 0; ms < 120_000; ms += 10) {
      clock.advance(10);
      sensor.record(1);
      if (ms < 11_000) continue;
      const read = registry.metric(rate)?.value() ?? Number.NaN;
      expect(Math.abs(read - 100)).toBeLessThan(10);
    }
    expect(registry.metric(total)?.value()).toBe(12_000);
  });
});
