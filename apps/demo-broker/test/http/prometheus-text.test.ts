import { ManualClock } from '@logloft/clock';
import { CumulativeSum, MetricsRegistry } from '@logloft/metrics';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type PrometheusSample, prometheusText } from '../../src/http/prometheus-text.ts';
import { registrySamples } from '../../src/http/registry-samples.ts';

function sample(parts: Partial<PrometheusSample>): PrometheusSample {
  return { name: 'x', help: '', type: 'gauge', labels: [], value: 1, ...parts };
}

it('prints a family once, with the help and type of its first sample', () => {
  const text = prometheusText([
    sample({ name: 'bytes', help: 'How many.', labels: [['topic', 'a']], value: 1.5 }),
    sample({ name: 'other' }),
    sample({ name: 'bytes', labels: [['topic', 'b']], value: 2 }),
  ]);
  expect(text).toBe(
    [
      '# HELP bytes How many.',
      '# TYPE bytes gauge',
      'bytes{topic="a"} 1.5',
      'bytes{topic="b"} 2',
      '# TYPE other gauge',
      'other 1',
      '',
    ].join('\n'),
  );
});

it('escapes help and label values, and replaces what names must not have', () => {
  const text = prometheusText([
    sample({
      name: '1st.metric-name',
      help: 'back\\slash\nline',
      labels: [['client-id', 'a"b\\c\nd']],
    }),
  ]);
  expect(text).toContain('# HELP _1st_metric_name back\\\\slash\\nline\n');
  expect(text).toContain('_1st_metric_name{client_id="a\\"b\\\\c\\nd"} 1\n');
});

it('prints numbers that JSON has no words for', () => {
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 63];
  const text = prometheusText(values.map((value, n) => sample({ name: `v${n}`, value })));
  expect(text.match(/^v\d .*$/gm)).toEqual([
    'v0 NaN',
    'v1 +Inf',
    'v2 -Inf',
    'v3 9223372036854776000',
  ]);
});

it('never prints a series twice, nor a line that a scraper cannot read', () => {
  const line =
    /^(?:# HELP [a-zA-Z_:][\w:]* .*|# TYPE [a-zA-Z_:][\w:]* (?:gauge|counter)|[a-zA-Z_:][\w:]*(?:\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*")*\})? (?:NaN|[+-]Inf|-?[\d.e+-]+))$/;
  const samples = fc.array(
    fc.record({
      name: fc.string({ minLength: 1, unit: 'binary' }),
      help: fc.string(),
      type: fc.constantFrom('gauge' as const, 'counter' as const),
      labels: fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string())),
      value: fc.double(),
    }),
  );
  fc.assert(
    fc.property(samples, (all) => {
      const lines = prometheusText(all).split('\n').slice(0, -1);
      for (const printed of lines) expect(printed).toMatch(line);
      const series = lines
        .filter((printed) => !printed.startsWith('#'))
        .map((printed) => printed.slice(0, printed.lastIndexOf(' ')));
      expect(new Set(series).size).toBe(series.length);
    }),
  );
});

it('names the metrics of a registry by group and name, cumulative ones as counters', () => {
  const registry = new MetricsRegistry({ clock: new ManualClock() });
  const name = registry.metricName({
    name: 'BytesIn-total',
    group: 'broker-topic-metrics',
    description: 'Bytes that came in.',
    tags: { topic: '__proto__' },
  });
  registry.sensor('in').add(name, new CumulativeSum());
  registry.sensor('in').record(7);
  registry.addGauge(registry.metricName({ name: 'byte-rate', group: 'RLMCopy' }), () => 3);
  const text = prometheusText(registrySamples(registry));
  expect(text).toContain('logloft_rlm_copy_byte_rate 3\n');
  expect(text).toContain('# HELP logloft_broker_topic_bytes_in_total Bytes that came in.\n');
  expect(text).toContain('# TYPE logloft_broker_topic_bytes_in_total counter\n');
  expect(text).toContain('logloft_broker_topic_bytes_in_total{topic="__proto__"} 7\n');
});
