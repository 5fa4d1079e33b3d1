import { ManualClock } from '@logloft/clock';
import {
  Avg,
  CumulativeCount,
  Max,
  type MeasurableStat,
  Meter,
  type Metric,
  MetricsRegistry,
  Min,
  Percentiles,
  QuotaBound,
  Rate,
  SimpleRate,
  Value,
  WindowedCount,
  WindowedSum,
} from '@logloft/metrics';
import { describe, expect, test } from 'vitest';

/** A sensor with one metric, windows of 2 x 30 s unless told otherwise, and a clock to move. */
function setUp(
  stat: MeasurableStat,
  config = { samples: 2, timeWindowMs: 30_000 },
): {
  clock: ManualClock;
  metric: Metric;
  record: (value: number, times?: number) => void;
} {
  const clock = new ManualClock();
  const registry = new MetricsRegistry({ clock });
  const name = registry.metricName({ name: 'm', group: 'g' });
  const sensor = registry.sensor('s', { config });
  sensor.add(name, stat);
  const metric = registry.metric(name);
  if (metric === undefined) throw new Error('the metric is registered');
  const record = (value: number, times = 1): void => {
    for (let count = 0; count < times; count += 1) sensor.record(value);
  };
  return { clock, metric, record };
}

describe('in the first window', () => {
  test('a Rate acts as if all samples but one lay behind: never more than the true rate', () => {
    const { clock, metric, record } = setUp(new Rate());
    record(300);
    clock.advance(1_000);
    expect(metric.value()).toBe(300 / 31);
    clock.advance(28_999);
    expect(metric.value()).toBe(300 / 59.999);
  });

  test('a Rate with one sample has no such padding, and explodes in its first ms', () => {
    const { clock, metric, record } = setUp(new Rate(), { samples: 1, timeWindowMs: 1_000 });
    record(1);
    expect(metric.value()).toBe(1_000);
    clock.advance(500);
    expect(metric.value()).toBe(2);
  });

  test('a SimpleRate divides by one sample, so it does not fall while that lasts', () => {
    const { clock, metric, record } = setUp(new SimpleRate(), { samples: 11, timeWindowMs: 1_000 });
    record(500);
    expect(metric.value()).toBe(500);
    clock.advance(1_000);
    expect(metric.value()).toBe(500);
    clock.advance(1_000);
    expect(metric.value()).toBe(250);
  });

  test('a first look at a rate begins the window as a first record does', () => {
    const { clock, metric, record } = setUp(new SimpleRate(), { samples: 11, timeWindowMs: 1_000 });
    expect(metric.value()).toBe(0);
    clock.advance(4_000);
    record(500);
    expect(metric.value()).toBe(125);
  });
});

describe('after a silence', () => {
  test.each([
    ['Avg', new Avg(), Number.NaN],
    ['Max', new Max(), Number.NaN],
    ['Min', new Min(), Number.NaN],
    ['WindowedSum', new WindowedSum(), 0],
    ['WindowedCount', new WindowedCount(), 0],
    ['Rate', new Rate(), 0],
    ['SimpleRate', new SimpleRate(), 0],
    ['Value', new Value(), 7],
    ['CumulativeCount', new CumulativeCount(), 1],
  ])(
    'longer than the window %s is what it is without events, or keeps its total',
    (_kind, stat, idle) => {
      const { clock, metric, record } = setUp(stat);
      record(7);
      clock.advance(59_999);
      expect(metric.value()).not.toBeNaN();
      clock.advance(1);
      expect(metric.value()).toBe(idle);
    },
  );

  test('that was read the window begins at the reading, one that was not begins at the next record', () => {
    const config = { samples: 2, timeWindowMs: 1_000 };
    const [read, unread] = [setUp(new SimpleRate(), config), setUp(new SimpleRate(), config)];
    for (const { clock, metric, record } of [read, unread]) {
      record(10);
      clock.advance(5_000);
      if (metric === read.metric) metric.value();
      clock.advance(1_500);
      record(10);
      clock.advance(400);
    }
    expect([read.metric.value(), unread.metric.value()]).toEqual([10 / 1.9, 10]);
  });
});

describe('NaN', () => {
  test.each([
    ['Avg', new Avg()],
    ['Max', new Max()],
    ['Min', new Min()],
    ['WindowedSum', new WindowedSum()],
    ['Rate', new Rate()],
  ])('recorded once makes %s NaN until it leaves the window, and no longer', (_kind, stat) => {
    const { clock, metric, record } = setUp(stat);
    record(5);
    record(Number.NaN);
    expect(metric.value()).toBeNaN();
    clock.advance(60_000);
    record(5);
    expect(metric.value()).not.toBeNaN();
  });

  test('is outside every quota: an average with a quota violates it while it has no data', () => {
    const { metric } = setUp(new Avg());
    metric.updateConfig({ quota: QuotaBound.upper(5) });
    expect(metric.findViolation()?.value).toBeNaN();
  });

  test('counts in the first bin of percentiles, and as an event', () => {
    const percentiles = new Percentiles({
      sizeInBytes: 40,
      max: 10,
      bucketing: 'constant',
      percentiles: [],
    });
    const { metric, record } = setUp(percentiles);
    record(Number.NaN, 3);
    record(9);
    expect(metric.value()).toBe(0);
  });
});

describe('a wall clock', () => {
  test('that is set back makes a window forget later than it should, and breaks nothing', () => {
    const { clock, metric, record } = setUp(new SimpleRate(), { samples: 2, timeWindowMs: 1_000 });
    record(100);
    clock.setWallTime(clock.now() - 3_600_000);
    expect(metric.value()).toBe(100);
    record(100);
    expect(metric.value()).toBe(200);
    clock.advance(1_999);
    expect(metric.value()).toBe(200);
    clock.advance(1);
    expect(metric.value()).toBe(0);
  });

  test('that is set forward makes a window forget at once', () => {
    const { clock, metric, record } = setUp(new WindowedSum());
    record(100);
    clock.setWallTime(clock.now() + 3_600_000);
    expect(metric.value()).toBe(0);
    record(1);
    expect(metric.value()).toBe(1);
  });
});

describe('settings that are changed under way', () => {
  test('to fewer samples: what is beyond counts until it expires', () => {
    const { clock, metric, record } = setUp(new WindowedSum(), { samples: 4, timeWindowMs: 1_000 });
    for (let second = 0; second < 4; second += 1) {
      record(1);
      clock.advance(1_000);
    }
    expect(metric.value()).toBe(3);
    metric.updateConfig({ samples: 2, timeWindowMs: 1_000 });
    expect(metric.value()).toBe(1);
    record(5);
    clock.advance(1_999);
    expect(metric.value()).toBe(5);
  });

  test('to longer windows: what is kept counts for longer at once', () => {
    const { clock, metric, record } = setUp(new WindowedSum(), { samples: 2, timeWindowMs: 1_000 });
    record(1);
    metric.updateConfig({ samples: 2, timeWindowMs: 60_000 });
    clock.advance(119_999);
    expect(metric.value()).toBe(1);
    clock.advance(1);
    expect(metric.value()).toBe(0);
  });

  test('to another quota: history counts against the new bound at once', () => {
    const { metric, record } = setUp(new WindowedSum());
    record(10);
    metric.updateConfig({ quota: QuotaBound.upper(9) });
    expect(metric.findViolation()).toMatchObject({ value: 10, quota: { bound: 9 } });
    metric.updateConfig({ quota: QuotaBound.upper(10) });
    expect(metric.findViolation()).toBeUndefined();
  });

  test('of a compound are for measuring only: recording keeps those it was added with', () => {
    const clock = new ManualClock();
    const registry = new MetricsRegistry({ clock });
    const [rate, total] = ['rate', 'total'].map((name) =>
      registry.metricName({ name, group: 'g' }),
    );
    if (rate === undefined || total === undefined) throw new Error('there are two names');
    const sensor = registry.sensor('s', { config: { samples: 2, timeWindowMs: 1_000 } });
    sensor.addCompound(new Meter({ rate, total }));
    registry.metric(rate)?.updateConfig({ samples: 2, timeWindowMs: 500 });
    for (let half = 0; half < 4; half += 1) {
      sensor.record(10);
      clock.advance(500);
    }
    // Samples of 1 s, of which those count that had an event in the last 2 x 500 ms.
    expect(registry.metric(rate)?.value()).toBe(20 / 1);
    expect(registry.metric(total)?.value()).toBe(40);
  });
});
