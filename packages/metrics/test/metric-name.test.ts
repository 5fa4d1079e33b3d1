import { ManualClock } from '@logloft/clock';
import { MetricConfig, MetricName, MetricsRegistry } from '@logloft/metrics';
import fc from 'fast-check';
import { expect, test } from 'vitest';

test('names are equal by name, group and tags; the order of tags and the description do not count', () => {
  const a = new MetricName({ name: 'n', group: 'g', tags: { x: '1', y: '2' }, description: 'a' });
  const b = new MetricName({
    name: 'n',
    group: 'g',
    tags: [
      ['y', '2'],
      ['x', '1'],
    ],
  });
  expect(a.equals(b)).toBe(true);
  expect([a.toString(), b.toString()]).toEqual(['g/n{x=1, y=2}', 'g/n{y=2, x=1}']);
  expect(a.equals(new MetricName({ name: 'n', group: 'g', tags: { x: '1' } }))).toBe(false);
  expect(a.equals(new MetricName({ name: 'g', group: 'n', tags: a.tags }))).toBe(false);
});

test('different names never share a key, whatever characters are in them', () => {
  const parts = fc.record({
    name: fc.string(),
    group: fc.string(),
    tags: fc.uniqueArray(fc.tuple(fc.string(), fc.string()), { selector: ([tag]) => tag }),
  });
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const same =
        a.name === b.name &&
        a.group === b.group &&
        JSON.stringify([...a.tags].sort()) === JSON.stringify([...b.tags].sort());
      expect(new MetricName(a).equals(new MetricName(b))).toBe(same);
    }),
  );
});

test('a registry puts its own tags first, and given ones win', () => {
  const registry = new MetricsRegistry({
    clock: new ManualClock(),
    config: { tags: { cluster: 'c', node: '0' } },
  });
  const name = registry.metricName({ name: 'n', group: 'g', tags: { topic: 't', node: '1' } });
  expect(name.toString()).toBe('g/n{cluster=c, node=1, topic=t}');
});

test('a configuration has the defaults of Kafka, and changes make a copy', () => {
  const config = new MetricConfig();
  expect(config).toMatchObject({
    samples: 2,
    timeWindowMs: 30_000,
    eventWindow: Number.POSITIVE_INFINITY,
    quota: undefined,
    recordLevel: 'INFO',
    expiryAgeMs: 60_000,
  });
  const changed = config.with({ samples: 11 });
  expect([config.samples, changed.samples, changed.expiryAgeMs]).toEqual([2, 11, 330_000]);
  expect(MetricConfig.from(changed)).toBe(changed);
});
