import { ManualClock } from '@logloft/clock';
import { CumulativeSum, MetricsRegistry, type MetricsWarning } from '@logloft/metrics';
import {
  OtelBridge,
  type OtelBridgeOptions,
  type OtelCallback,
  type OtelInstrumentOptions,
  type OtelMeter,
  type OtelObservable,
} from '@logloft/metrics/otel';
import { expect, test } from 'vitest';

interface Instrument {
  readonly kind: 'gauge' | 'counter';
  readonly name: string;
  readonly options: OtelInstrumentOptions | undefined;
  readonly callbacks: Set<OtelCallback>;
}

/** A meter that makes instruments and collects them, as an SDK does. */
class FakeMeter implements OtelMeter {
  readonly instruments: Instrument[] = [];

  createObservableGauge(name: string, options?: OtelInstrumentOptions): OtelObservable {
    return this.#create('gauge', name, options);
  }

  createObservableCounter(name: string, options?: OtelInstrumentOptions): OtelObservable {
    return this.#create('counter', name, options);
  }

  collect(): readonly string[] {
    const lines: string[] = [];
    for (const { kind, name, options, callbacks } of this.instruments) {
      const observe = (value: number, attributes: object = {}): void => {
        const unit = options?.unit === undefined ? '' : ` ${options.unit}`;
        lines.push(`${kind} ${name}${JSON.stringify(attributes)} ${value}${unit}`);
      };
      for (const callback of callbacks) callback({ observe });
    }
    return lines;
  }

  #create(
    kind: 'gauge' | 'counter',
    name: string,
    options?: OtelInstrumentOptions,
  ): OtelObservable {
    const callbacks = new Set<OtelCallback>();
    this.instruments.push({ kind, name, options, callbacks });
    return {
      addCallback: (callback) => void callbacks.add(callback),
      removeCallback: (callback) => void callbacks.delete(callback),
    };
  }
}

function setUp(options: Partial<OtelBridgeOptions> = {}): {
  registry: MetricsRegistry;
  meter: FakeMeter;
  bridge: OtelBridge;
  warnings: MetricsWarning[];
  gauge: (name: string, value: number, tags?: Record<string, string>) => void;
} {
  const warnings: MetricsWarning[] = [];
  const onWarning = (warning: MetricsWarning): void => void warnings.push(warning);
  const registry = new MetricsRegistry({ clock: new ManualClock(), onWarning });
  registry.removeMetric(registry.metricName({ name: 'count', group: 'kafka-metrics-count' }));
  const meter = new FakeMeter();
  const bridge = new OtelBridge({ meter, prefix: 'logloft', onWarning, ...options });
  registry.addReporter(bridge);
  const gauge = (name: string, value: number, tags: Record<string, string> = {}): void => {
    registry.addGauge(registry.metricName({ name, group: 'RLMCopy', tags }), () => value);
  };
  return { registry, meter, bridge, warnings, gauge };
}

test('metrics are instruments with units, tags their attributes, totals counters', () => {
  const { registry, meter, gauge } = setUp();
  gauge('byte-rate', 100, { writer: '0' });
  gauge('byte-rate', 200, { writer: '1' });
  gauge('byte-total', 300);
  gauge('latency-ms-max', 1_500);
  gauge('buffer-total-bytes', 7);
  gauge('wait-ratio', 0.5);
  registry.sensor('s').add(registry.metricName({ name: 'sent', group: 'g' }), new CumulativeSum(3));
  expect(meter.collect()).toEqual([
    'gauge logloft.rlm_copy.byte_rate{"writer":"0"} 100 By/s',
    'gauge logloft.rlm_copy.byte_rate{"writer":"1"} 200 By/s',
    'counter logloft.rlm_copy.byte{} 300 By',
    'gauge logloft.rlm_copy.latency_max{} 1.5 s',
    'gauge logloft.rlm_copy.buffer_total{} 7 By',
    'gauge logloft.rlm_copy.wait{} 0.5 1',
    'counter logloft.g.sent{} 3',
  ]);
});

test('descriptions come along', () => {
  const { registry, meter } = setUp();
  const name = registry.metricName({ name: 'a', group: 'g', description: 'About a.' });
  registry.addGauge(name, () => 1);
  expect(meter.instruments.map(({ options }) => options)).toEqual([{ description: 'About a.' }]);
});

test('what has no value is not observed', () => {
  const { meter, gauge } = setUp();
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
    gauge('size', value, { value: `${value}` });
    gauge('sent-total', value, { value: `${value}` });
  }
  expect(meter.collect()).toEqual(['gauge logloft.rlm_copy.size{"value":"-1"} -1']);
});

test('a gauge and a counter of one name get two', () => {
  const { registry, meter, gauge } = setUp();
  gauge('connections', 2);
  gauge('connections-total', 9);
  gauge('connections-total', 1, { l: '1' });
  expect(meter.collect()).toEqual([
    'gauge logloft.rlm_copy.connections{} 2',
    'counter logloft.rlm_copy.connections.total{} 9',
    'counter logloft.rlm_copy.connections.total{"l":"1"} 1',
  ]);
  registry.removeMetric(registry.metricName({ name: 'connections-total', group: 'RLMCopy' }));
  expect(meter.collect()).toHaveLength(2);
});

test('metrics that are removed are not observed, and closing ends all observation', () => {
  const { registry, meter, bridge, gauge } = setUp();
  gauge('a', 1);
  gauge('b', 2);
  registry.removeMetric(registry.metricName({ name: 'a', group: 'RLMCopy' }));
  expect(meter.collect()).toEqual(['gauge logloft.rlm_copy.b{} 2']);
  registry.removeReporter(bridge);
  expect(meter.collect()).toEqual([]);
  expect(meter.instruments.every(({ callbacks }) => callbacks.size === 0)).toBe(true);
});

test('attribute sets beyond the bound become one, by the convention of OpenTelemetry', () => {
  const { meter, gauge, warnings } = setUp({ maxLabelSets: 1 });
  for (const value of [1, 2, 3]) gauge('sent-total', value, { to: `${value}` });
  expect(meter.collect()).toEqual([
    'counter logloft.rlm_copy.sent{"to":"1"} 1',
    'counter logloft.rlm_copy.sent{"otel.metric.overflow":true} 5',
  ]);
  expect(warnings.map(({ code }) => code)).toEqual(['LOGLOFT_METRICS_LABEL_SETS']);
});

test('names have only what OpenTelemetry allows', () => {
  const { registry, meter } = setUp({ prefix: '' });
  registry.addGauge(registry.metricName({ name: 'größe:x', group: '9 lives' }), () => 1);
  registry.addGauge(registry.metricName({ name: 'x'.repeat(400), group: 'g' }), () => 1);
  for (const { name } of meter.instruments)
    expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_./-]{0,254}$/);
});
