import { ManualClock } from '@logloft/clock';
import {
  CumulativeSum,
  DuplicateMetricError,
  InvalidMetricOptionError,
  MetricsRegistry,
  type MetricsRegistryOptions,
  type RecordingLevel,
  SensorCycleError,
  WindowedSum,
} from '@logloft/metrics';
import { describe, expect, test } from 'vitest';

function setUp(options: Partial<MetricsRegistryOptions> = {}): {
  clock: ManualClock;
  registry: MetricsRegistry;
} {
  const clock = new ManualClock();
  return { clock, registry: new MetricsRegistry({ clock, ...options }) };
}

describe('reading', () => {
  test('a snapshot reads every metric at one moment', () => {
    const { clock, registry } = setUp({ config: { samples: 1, timeWindowMs: 1_000 } });
    const sensor = registry.sensor('s');
    sensor.add(registry.metricName({ name: 'sum', group: 'g' }), new WindowedSum());
    registry.addGauge(registry.metricName({ name: 'gauge', group: 'g' }), () => 7);
    sensor.record(5);
    const now = clock.now();
    const read = (atMs?: number): unknown =>
      [...registry.snapshot(atMs)].map(({ name, value }) => [name.toString(), value]);
    expect(read()).toEqual([
      ['kafka-metrics-count/count{}', 3],
      ['g/sum{}', 5],
      ['g/gauge{}', 7],
    ]);
    expect(read(now + 1_000)).toEqual([
      ['kafka-metrics-count/count{}', 3],
      ['g/sum{}', 0],
      ['g/gauge{}', 7],
    ]);
  });

  test('metrics may come and go while a snapshot is read', () => {
    const { registry } = setUp();
    const names = ['a', 'b', 'c'].map((name) => registry.metricName({ name, group: 'g' }));
    for (const name of names) registry.addGauge(name, () => 1);
    const seen: string[] = [];
    for (const { name } of registry.snapshot()) {
      seen.push(name.name);
      for (const removed of names) registry.removeMetric(removed);
      registry.addGaugeIfAbsent(registry.metricName({ name: 'new', group: 'g' }), () => 1);
    }
    expect(seen).toEqual(['count', 'a', 'b', 'c']);
  });

  test.each(['constructor', '__proto__', 'toString'])('%s is a name like any other', (word) => {
    const { registry } = setUp();
    const sensor = registry.sensor(word);
    const name = registry.metricName({ name: word, group: word, tags: [[word, word]] });
    sensor.add(name, new CumulativeSum());
    sensor.record(3);
    expect(registry.getSensor(word)).toBe(sensor);
    expect(registry.metric(name)?.value()).toBe(3);
    expect(name.tags.get(word)).toBe(word);
    registry.removeSensor(word);
    expect(registry.metric(name)).toBeUndefined();
  });
});

describe('removing', () => {
  test('a sensor takes its children and the metrics of all with it, but not those of others', () => {
    const { registry } = setUp();
    const parent = registry.sensor('parent');
    const child = registry.sensor('child', { parents: [parent] });
    const other = registry.sensor('other');
    for (const sensor of [parent, child, other]) {
      sensor.add(registry.metricName({ name: sensor.name, group: 'g' }), new CumulativeSum());
    }
    registry.removeSensor('parent');
    expect([...registry.sensors()].map(({ name }) => name)).toEqual(['other']);
    expect([...registry.metrics()].map(({ name }) => name.name)).toEqual(['count', 'other']);
  });

  test('a metric that has taken over the name of a removed one survives the old sensor', () => {
    const { registry } = setUp();
    const name = registry.metricName({ name: 'm', group: 'g' });
    registry.sensor('old').add(name, new CumulativeSum());
    registry.removeMetric(name);
    const metric = registry.addGauge(name, () => 1);
    registry.removeSensor('old');
    expect(registry.metric(name)).toBe(metric);
  });

  test('a child that was made anew is not taken by the removal of its former parent', () => {
    const { registry } = setUp();
    const parent = registry.sensor('parent');
    registry.sensor('child', { parents: [parent] });
    registry.removeSensor('child');
    const again = registry.sensor('child');
    registry.removeSensor('parent');
    expect(registry.getSensor('child')).toBe(again);
  });

  test('ten thousand children come and go', () => {
    const { registry } = setUp();
    const parent = registry.sensor('parent');
    for (let index = 0; index < 10_000; index += 1) {
      registry.sensor(`child-${index}`, { parents: [parent] });
    }
    for (let index = 0; index < 10_000; index += 1) registry.removeSensor(`child-${index}`);
    expect([...registry.sensors()]).toEqual([parent]);
  });
});

describe('expiry', () => {
  test('the sweep removes what is idle, and no timer is left when nothing can expire', () => {
    const { clock, registry } = setUp({ expirySweepMs: 30_000 });
    expect(clock.pendingTimers).toBe(0);
    registry.sensor('for-ever');
    expect(clock.pendingTimers).toBe(0);
    const busy = registry.sensor('busy', { expirySeconds: 40 });
    registry.sensor('idle', { expirySeconds: 40 });
    expect(clock.pendingTimers).toBe(1);
    clock.advance(30_000);
    busy.record();
    clock.advance(30_000);
    expect([...registry.sensors()].map(({ name }) => name)).toEqual(['for-ever', 'busy']);
    clock.advance(60_000);
    expect([...registry.sensors()].map(({ name }) => name)).toEqual(['for-ever']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('removing the last sensor that can expire ends the timer', () => {
    const { clock, registry } = setUp({ expirySweepMs: 30_000 });
    registry.sensor('a', { expirySeconds: 1 });
    registry.removeSensor('a');
    expect(clock.pendingTimers).toBe(0);
  });

  test('closing ends the timer for good and may be repeated', async () => {
    const { clock, registry } = setUp({ expirySweepMs: 30_000 });
    registry.sensor('a', { expirySeconds: 1 });
    await registry.close();
    await registry.close();
    registry.sensor('b', { expirySeconds: 1 });
    expect(clock.pendingTimers).toBe(0);
    clock.advance(2_000);
    expect(registry.expireSensors()).toBe(2);
  });

  test('without a sweep there is never a timer, and the sweep can be called', () => {
    const { clock, registry } = setUp();
    registry.sensor('a', { expirySeconds: 1 });
    expect(clock.pendingTimers).toBe(0);
    expect(registry.expireSensors(clock.now() + 1_000)).toBe(0);
    expect(registry.expireSensors(clock.now() + 1_001)).toBe(1);
  });

  test('a sensor that has expired takes no metric any more', () => {
    const { clock, registry } = setUp();
    const sensor = registry.sensor('a', { expirySeconds: 1 });
    clock.advance(1_001);
    expect(sensor.hasExpired()).toBe(true);
    expect(sensor.add(registry.metricName({ name: 'm', group: 'g' }), new WindowedSum())).toBe(
      false,
    );
  });
});

describe('errors', () => {
  test('a taken name is refused and named', () => {
    const { registry } = setUp();
    const name = registry.metricName({ name: 'm', group: 'g', tags: { a: '1' } });
    registry.addGauge(name, () => 1);
    const again = (): unknown => registry.addGauge(name, () => 2);
    expect(again).toThrow(DuplicateMetricError);
    expect(again).toThrow(/A metric named g\/m\{a=1\} is registered already/);
    expect(code(again)).toBe('LOGLOFT_METRICS_DUPLICATE_METRIC');
  });

  test('ancestors that would see a value twice are refused, and nothing is registered', () => {
    const { registry } = setUp();
    const root = registry.sensor('root');
    const parents = ['l', 'r'].map((name) => registry.sensor(name, { parents: [root] }));
    const diamond = (): unknown => registry.sensor('leaf', { parents });
    expect(diamond).toThrow(SensorCycleError);
    expect(code(diamond)).toBe('LOGLOFT_METRICS_SENSOR_CYCLE');
    expect(registry.getSensor('leaf')).toBeUndefined();
  });

  test.each([
    [() => setUp({ expirySweepMs: -1 }), /expirySweepMs/],
    [() => setUp({ config: { samples: 0 } }), /samples must be an integer from 1, got 0/],
    [() => setUp({ config: { timeWindowMs: 0.5 } }), /timeWindowMs must be/],
    [() => setUp({ config: { eventWindow: 0 } }), /eventWindow must be/],
    [() => setUp({ config: { recordLevel: 'ALL' as RecordingLevel } }), /got ALL/],
    [() => setUp().registry.sensor('s', { expirySeconds: 0 }), /expirySeconds must be/],
    [() => setUp().registry.sensor('s', { level: 'x' as RecordingLevel }), /got x/],
  ])('options out of range are refused by name (%#)', (make, message) => {
    expect(make).toThrow(InvalidMetricOptionError);
    expect(make).toThrow(message);
    expect(code(make)).toBe('LOGLOFT_METRICS_INVALID_OPTION');
  });
});

function code(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
}
