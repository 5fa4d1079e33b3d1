import { expect, test } from 'vitest';
import { describeConfig } from '../../src/config/describe-config.ts';
import { resolveBrokerConfig } from '../../src/config/effective-config.ts';
import { resolveTopicConfig } from '../../src/config/resolve-topic-config.ts';
import { configs, layers } from './layers.ts';

test('a quota is described with type, value, source, mode, documentation and its other name', () => {
  const name = 'remote.log.manager.write.quota.default';
  const config = resolveBrokerConfig(layers({ dynamicDefault: { [name]: '5000' } }));
  const alias = 'remote.log.manager.copy.max.bytes.per.second';
  expect(describeConfig(config, [name])).toEqual([
    {
      name,
      value: '5000',
      readOnly: false,
      isDefault: false,
      configSource: 3,
      isSensitive: false,
      configType: 5,
      documentation: expect.stringContaining('copied to the remote tier'),
      synonyms: [
        { name, value: '5000', source: 3 },
        { name: alias, value: '5000', source: 3 },
        { name, value: '9223372036854775807', source: 5 },
        { name: alias, value: '9223372036854775807', source: 5 },
      ],
    },
  ]);
});

test('a window of a quota is an int that is read-only', () => {
  const [described] = describeConfig(resolveBrokerConfig(layers()), [
    'remote.log.manager.write.quota.window.num',
  ]);
  expect(described).toMatchObject({
    value: '61',
    readOnly: true,
    isDefault: true,
    configSource: 5,
    configType: 3,
  });
});

test('all properties are described when none is named, unset ones without a value', () => {
  const all = describeConfig(resolveBrokerConfig(layers()));
  expect(all.length).toBeGreaterThan(80);
  expect(all.find(({ name }) => name === 'log.dirs')).toMatchObject({ value: null, synonyms: [] });
  expect(describeConfig(resolveBrokerConfig(layers()), [])).toHaveLength(all.length);
});

test('names that do not exist are left out', () => {
  const config = resolveTopicConfig(configs({ 'retention.ms': '5' }), layers());
  const described = describeConfig(config, ['__proto__', 'retention.ms', 'nope']);
  expect(described.map(({ name, value, configSource }) => [name, value, configSource])).toEqual([
    ['retention.ms', '5', 1],
  ]);
});
