import { readdirSync, readFileSync } from 'node:fs';
import { ManualClock } from '@logloft/clock';
import { Max, Meter, type MetricName, MetricsRegistry, type MetricTags } from '@logloft/metrics';
import { PrometheusExporter } from '@logloft/metrics/prometheus';
import { expect, test, vi } from 'vitest';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const readme = read('../README.md');

test('the first example of the README runs, and prints what the README says', async () => {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(example).toBe(read('./readme-example.ts'));

  const [, output] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')));
  await import('./readme-example.ts');
  expect(`${printed.join('\n')}\n`).toBe(output);
});

test('the README shows what Prometheus gets of the first example', () => {
  const registry = new MetricsRegistry({ clock: new ManualClock() });
  const name = (of: string, tags: MetricTags = {}): MetricName =>
    registry.metricName({ name: of, group: 'server', tags });
  const requests = registry.sensor('requests');
  requests.addCompound(
    new Meter({ rate: name('request-byte-rate'), total: name('request-byte-total') }),
  );
  requests.add(name('request-size-max', { listener: 'plain' }), new Max());
  registry.addGauge(name('connections'), () => 2);
  for (const bytes of [512, 2_048, 1_024]) requests.record(bytes);
  const exporter = new PrometheusExporter({ registry, prefix: 'app' });
  expect(readme).toContain(`\`\`\`text\n${exporter.openMetrics()}\`\`\``);
});

test('the README has every code of errors and warnings, and no other', () => {
  const codes = (text: string): Set<string> =>
    new Set([...text.matchAll(/LOGLOFT_METRICS_[A-Z_]+/g)].map(([code]) => code));
  const sources = readdirSync(new URL('../src', import.meta.url), { recursive: true });
  const files = sources.map(String).filter((file) => file.endsWith('.ts'));
  expect(codes(readme)).toEqual(codes(files.map((file) => read(`../src/${file}`)).join('\n')));
});

test('the README names every stat and scheme of bins that is exported', () => {
  const stats = [...read('../src/index.ts').matchAll(/export \{ (\w+) \} from '.\/stats\//g)];
  expect(stats.length).toBeGreaterThan(10);
  for (const [, stat] of stats) expect(readme).toContain(`\`${stat}\``);
});
