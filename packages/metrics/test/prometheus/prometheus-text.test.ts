import {
  openMetricsText,
  type PrometheusSample,
  prometheusText,
} from '@logloft/metrics/prometheus';
import { describe, expect, test } from 'vitest';

function sample(parts: Partial<PrometheusSample>): PrometheusSample {
  return { name: 'x', help: '', type: 'gauge', labels: [], value: 1, ...parts };
}

describe('the text format 0.0.4', () => {
  test('keeps families together, with HELP and TYPE of the first sample', () => {
    const text = prometheusText([
      sample({ name: 'a_total', help: 'All of it.', type: 'counter', labels: [['t', '1']] }),
      sample({ name: 'b', value: 2.5 }),
      sample({ name: 'a_total', help: 'Other.', type: 'gauge', labels: [['t', '2']], value: 3 }),
    ]);
    expect(text).toBe(
      '# HELP a_total All of it.\n# TYPE a_total counter\na_total{t="1"} 1\na_total{t="2"} 3\n' +
        '# TYPE b gauge\nb 2.5\n',
    );
  });

  test('escapes help and label values, and sorts labels by name', () => {
    const text = prometheusText([
      sample({
        help: 'a \\ "b"\nc',
        labels: [
          ['z', 'a\\b"c\nd'],
          ['b', '\ud800é'],
        ],
      }),
    ]);
    expect(text).toBe(
      '# HELP x a \\\\ "b"\\nc\n# TYPE x gauge\nx{b="\ufffdé",z="a\\\\b\\"c\\nd"} 1\n',
    );
  });

  test('replaces what names must not have, and loses no label by that', () => {
    const text = prometheusText([
      sample({
        name: '9-a.b c',
        labels: [
          ['client-id', '1'],
          ['client_id', '2'],
          ['__name__', '3'],
          ['', '4'],
        ],
      }),
    ]);
    expect(text).toBe(
      '# TYPE _9_a_b_c gauge\n_9_a_b_c{_="4",_name__="3",client_id="1",client_id_="2"} 1\n',
    );
  });

  test.each([
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [1e21, '1e+21'],
    [-0.5, '-0.5'],
  ])('prints %d as %s', (value, text) => {
    expect(prometheusText([sample({ value })])).toBe(`# TYPE x gauge\nx ${text}\n`);
  });

  test('has no series twice, and is empty without samples', () => {
    expect(prometheusText([sample({}), sample({ value: 2 })])).toBe('# TYPE x gauge\nx 1\n');
    expect(prometheusText([])).toBe('');
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'a metric and a label may be called %s',
    (name) => {
      const printed = name === '__proto__' ? '_proto_' : name;
      const label = name === '__proto__' ? '_proto__' : name;
      expect(prometheusText([sample({ name, labels: [[name, name]] })])).toBe(
        `# TYPE ${printed} gauge\n${printed}{${label}="${name}"} 1\n`,
      );
    },
  );
});

describe('the OpenMetrics text', () => {
  test('names counters without their end, gives units where the name has them, and ends in EOF', () => {
    const text = openMetricsText([
      sample({ name: 'wait_seconds_total', type: 'counter', unit: 'seconds', help: 'Say "so".' }),
      sample({ name: 'size_bytes', unit: 'bytes', value: Number.NaN }),
      sample({ name: 'odd', unit: 'bytes' }),
    ]);
    expect(text).toBe(
      '# TYPE wait_seconds counter\n# UNIT wait_seconds seconds\n# HELP wait_seconds Say \\"so\\".\n' +
        'wait_seconds_total 1\n# TYPE size_bytes gauge\n# UNIT size_bytes bytes\nsize_bytes NaN\n' +
        '# TYPE odd gauge\nodd 1\n# EOF\n',
    );
  });

  test('leaves out totals that are negative or NaN, which would make a scraper refuse all', () => {
    const text = openMetricsText([
      sample({ name: 'a_total', type: 'counter', value: Number.NaN }),
      sample({ name: 'b_total', type: 'counter', value: -1, labels: [['l', '1']] }),
      sample({ name: 'b_total', type: 'counter', value: 2, labels: [['l', '2']] }),
    ]);
    expect(text).toBe('# TYPE b counter\nb_total{l="2"} 2\n# EOF\n');
  });

  test('a counter whose short name a gauge has keeps its name, and so does one that has no end', () => {
    const text = openMetricsText([
      sample({ name: 'connections' }),
      sample({ name: 'connections_total', type: 'counter' }),
      sample({ name: 'odd', type: 'counter' }),
    ]);
    expect(text).toBe(
      '# TYPE connections gauge\nconnections 1\n# TYPE connections_total unknown\n' +
        'connections_total 1\n# TYPE odd unknown\nodd 1\n# EOF\n',
    );
  });
});
