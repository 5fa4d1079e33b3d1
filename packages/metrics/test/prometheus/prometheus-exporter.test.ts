import { ManualClock } from '@logloft/clock';
import {
  CumulativeSum,
  InvalidMetricOptionError,
  Max,
  Meter,
  MetricsRegistry,
  type MetricsWarning,
  type MetricTags,
} from '@logloft/metrics';
import {
  OPENMETRICS_CONTENT_TYPE,
  PROMETHEUS_CONTENT_TYPE,
  PrometheusExporter,
  type PrometheusExporterOptions,
  prometheusText,
  registrySamples,
} from '@logloft/metrics/prometheus';
import { describe, expect, test } from 'vitest';

function setUp(options: Partial<PrometheusExporterOptions> = {}): {
  registry: MetricsRegistry;
  exporter: PrometheusExporter;
  warnings: MetricsWarning[];
  gauge: (name: string, value: number, tags?: MetricTags, group?: string) => void;
  /** The lines with values, without that of the registry itself. */
  values: () => readonly string[];
} {
  const registry = new MetricsRegistry({ clock: new ManualClock() });
  const warnings: MetricsWarning[] = [];
  const onWarning = (warning: MetricsWarning): void => void warnings.push(warning);
  const exporter = new PrometheusExporter({ registry, onWarning, ...options });
  const gauge = (name: string, value: number, tags: MetricTags = {}, group = 'g'): void => {
    registry.addGauge(registry.metricName({ name, group, tags }), () => value);
  };
  const values = (): readonly string[] =>
    exporter
      .prometheus()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('metrics_count'));
  return { registry, exporter, warnings, gauge, values };
}

describe('names', () => {
  test.each([
    ['RLMCopy', 'byte-rate', 'rlm_copy_byte_rate 5'],
    ['BrokerTopicMetrics', 'BytesInPerSec', 'broker_topic_metrics_bytes_in_per_sec 5'],
    ['producer-metrics', 'bufferpool-wait-ratio', 'producer_bufferpool_wait_ratio 5'],
    [
      'producer-metrics',
      'bufferpool-wait-time-ns-total',
      'producer_bufferpool_wait_time_seconds_total 5e-9',
    ],
    ['producer-metrics', 'buffer-total-bytes', 'producer_buffer_total_bytes 5'],
    ['g', 'request-latency-ms-max', 'g_request_latency_max_seconds 0.005'],
    ['g', 'busy-percent', 'g_busy_ratio 0.05'],
    ['g', 'io-ms-rate', 'g_io_ms_rate 5'],
    ['g', 'ms', 'g_ms 5'],
    ['g', 'records-total', 'g_records_total 5'],
    ['g', 'total', 'g_total 5'],
  ])('%s/%s is printed as %s', (group, name, line) => {
    const { gauge, values } = setUp();
    gauge(name, 5, {}, group);
    expect(values()).toEqual([line]);
  });

  test('what is cumulative is a counter and ends in _total, whatever its name', () => {
    const { registry, exporter, values } = setUp();
    registry
      .sensor('s')
      .add(registry.metricName({ name: 'bytes-sent', group: 'g' }), new CumulativeSum(7));
    expect(values()).toEqual(['g_bytes_sent_total 7']);
    expect(exporter.prometheus()).toContain('# TYPE g_bytes_sent_total counter');
    expect(exporter.openMetrics()).toContain('# TYPE g_bytes_sent counter');
  });

  test('a unit that the name does not tell can be told, and conversion left out', () => {
    const unitOf = ({ name }: { name: string }): 'milliseconds' | 'none' | undefined => {
      if (name === 'throttle-time-avg') return 'milliseconds';
      return name === 'size-bytes' ? 'none' : undefined;
    };
    const told = setUp({ unitOf, prefix: 'logloft' });
    told.gauge('throttle-time-avg', 1_500);
    told.gauge('size-bytes', 2);
    expect(told.values()).toEqual([
      'logloft_g_throttle_time_avg_seconds 1.5',
      'logloft_g_size_bytes 2',
    ]);
    const plain = setUp({ baseUnits: false });
    plain.gauge('wait-time-ns-total', 1_500);
    plain.gauge('busy-percent', 50);
    plain.gauge('size-bytes', 2);
    expect(plain.values()).toEqual([
      'g_wait_time_ns_total 1500',
      'g_busy_percent 50',
      'g_size_bytes 2',
    ]);
  });

  test('a dialect renames and leaves out', () => {
    const { gauge, values } = setUp({
      rename: ({ name, tags }) => {
        if (name === 'secret') return 'omit';
        if (name !== 'size') return undefined;
        return { name: 'kafka_log_log_size', labels: [['topic', tags.get('topic') ?? '']] };
      },
    });
    gauge('size', 3, { topic: 't', broker: '0' });
    gauge('secret', 1);
    gauge('other', 2);
    expect(values()).toEqual(['kafka_log_log_size{topic="t"} 3', 'g_other 2']);
  });

  test('the samples of a registry alone are those that the exporter prints', () => {
    const { registry, exporter, gauge } = setUp({ prefix: 'p' });
    gauge('wait-ms', 3, { a: '1' });
    expect(prometheusText(registrySamples(registry, { prefix: 'p' }))).toBe(exporter.prometheus());
  });
});

describe('the bound on label sets', () => {
  test('folds what comes later into one series, and warns once', () => {
    const { gauge, values, warnings } = setUp({ maxLabelSets: 2 });
    for (const index of [1, 2, 3, 4]) {
      gauge('bytes-total', index, { client: `${index}` });
      gauge('latency-max', index, { client: `${index}` });
      gauge('latency-min', index, { client: `${index}` });
      gauge('latency-avg', index, { client: `${index}` });
    }
    const named = (name: string, overflow: string): readonly string[] => [
      `g_${name}{client="1"} 1`,
      `g_${name}{client="2"} 2`,
      ...(overflow === '' ? [] : [`g_${name}{overflow="true"} ${overflow}`]),
    ];
    const expected = [
      ...named('bytes_total', '7'),
      ...named('latency_max', '4'),
      ...named('latency_min', '3'),
      ...named('latency_avg', ''),
    ];
    expect(values()).toEqual(expected);
    expect(values()).toEqual(expected);
    expect(warnings.map(({ code }) => code)).toEqual(
      Array.from({ length: 4 }, () => 'LOGLOFT_METRICS_LABEL_SETS'),
    );
  });

  test('one that was folded stays folded when a place is free, and a new one gets the place', () => {
    const { registry, gauge, values } = setUp({ maxLabelSets: 2 });
    for (const index of [1, 2, 3]) gauge('a-total', index, { l: `${index}` });
    values();
    registry.removeMetric(registry.metricName({ name: 'a-total', group: 'g', tags: { l: '1' } }));
    gauge('a-total', 4, { l: '4' });
    expect(values()).toEqual([
      'g_a_total{l="2"} 2',
      'g_a_total{l="4"} 4',
      'g_a_total{overflow="true"} 3',
    ]);
  });

  test('a maximum of nothing does not hide the others', () => {
    const { gauge, values } = setUp({ maxLabelSets: 1 });
    for (const [index, value] of [1, Number.NaN, 5, Number.NaN].entries()) {
      gauge('latency-max', value, { l: `${index}` });
    }
    expect(values()).toEqual(['g_latency_max{l="0"} 1', 'g_latency_max{overflow="true"} 5']);
  });

  test.each([0, 1.5, Number.NaN])('of %d is refused', (maxLabelSets) => {
    expect(() => setUp({ maxLabelSets })).toThrow(InvalidMetricOptionError);
  });
});

test('a gauge that throws is left out, the others are shown, and it is warned of once', () => {
  const { registry, gauge, values, warnings } = setUp();
  registry.addGauge(registry.metricName({ name: 'broken', group: 'g' }), () => {
    throw new Error('no such file');
  });
  gauge('fine', 1);
  expect([values(), values()]).toEqual([['g_fine 1'], ['g_fine 1']]);
  expect(warnings.map(({ code }) => code)).toEqual(['LOGLOFT_METRICS_UNREADABLE']);
});

test('two metrics that become one series are warned of, and the first is shown', () => {
  const { gauge, values, warnings } = setUp();
  gauge('a-b', 1);
  gauge('a.b', 2);
  expect([values(), values()]).toEqual([['g_a_b 1'], ['g_a_b 1']]);
  expect(warnings.map(({ code }) => code)).toEqual(['LOGLOFT_METRICS_DUPLICATE_SERIES']);
});

test('samples from elsewhere come after those of the registry', () => {
  const extra = {
    name: 'process_cpu_seconds_total',
    help: 'h',
    type: 'counter',
    labels: [],
    value: 3,
  } as const;
  const { gauge, values } = setUp({ extraSamples: () => [extra] });
  gauge('a', 1);
  expect(values()).toEqual(['g_a 1', 'process_cpu_seconds_total 3']);
});

test.each([
  [undefined, PROMETHEUS_CONTENT_TYPE],
  ['*/*', PROMETHEUS_CONTENT_TYPE],
  ['text/plain;version=0.0.4', PROMETHEUS_CONTENT_TYPE],
  ['application/openmetrics-text; version=1.0.0; charset=utf-8', OPENMETRICS_CONTENT_TYPE],
  [
    'application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5',
    PROMETHEUS_CONTENT_TYPE,
  ],
  [
    'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    OPENMETRICS_CONTENT_TYPE,
  ],
  ['text/plain;q=0.9, application/openmetrics-text;q=0.5', PROMETHEUS_CONTENT_TYPE],
  ['application/openmetrics-text;q=0', PROMETHEUS_CONTENT_TYPE],
])('a scraper that accepts %s gets %s', (accept, contentType) => {
  const { exporter } = setUp();
  const answer = exporter.answer(accept);
  expect(answer.contentType).toBe(contentType);
  expect(answer.body.endsWith('# EOF\n')).toBe(contentType === OPENMETRICS_CONTENT_TYPE);
});

test('a meter and a maximum print as a dashboard expects them', () => {
  const { registry, exporter } = setUp({ prefix: 'logloft' });
  const sensor = registry.sensor('requests');
  const name = (of: string, description: string): ReturnType<typeof registry.metricName> =>
    registry.metricName({
      name: of,
      group: 'server-metrics',
      description,
      tags: { listener: 'plain' },
    });
  sensor.addCompound(
    new Meter({
      rate: name('request-byte-rate', 'Bytes per second.'),
      total: name('request-byte-total', 'Bytes.'),
    }),
  );
  sensor.add(name('request-latency-ms-max', 'The longest.'), new Max());
  sensor.record(120);
  expect(exporter.openMetrics()).toBe(
    [
      '# TYPE logloft_kafka_metrics_count_count gauge',
      '# HELP logloft_kafka_metrics_count_count total number of registered metrics',
      'logloft_kafka_metrics_count_count 4',
      '# TYPE logloft_server_request_byte counter',
      '# HELP logloft_server_request_byte Bytes.',
      'logloft_server_request_byte_total{listener="plain"} 120',
      '# TYPE logloft_server_request_byte_rate gauge',
      '# HELP logloft_server_request_byte_rate Bytes per second.',
      'logloft_server_request_byte_rate{listener="plain"} 4',
      '# TYPE logloft_server_request_latency_max_seconds gauge',
      '# UNIT logloft_server_request_latency_max_seconds seconds',
      '# HELP logloft_server_request_latency_max_seconds The longest.',
      'logloft_server_request_latency_max_seconds{listener="plain"} 0.12',
      '# EOF',
      '',
    ].join('\n'),
  );
});
