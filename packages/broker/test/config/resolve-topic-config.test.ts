import { DEFAULT_LOG_CONFIG, resolveLogConfig } from '@logloft/log';
import { expect, test } from 'vitest';
import { logConfigOf } from '../../src/config/log-config-of.ts';
import { resolveTopicConfig } from '../../src/config/resolve-topic-config.ts';
import { configs, layers } from './layers.ts';

function effective(name: string, ...args: Parameters<typeof resolveTopicConfig>) {
  const entry = resolveTopicConfig(...args).get(name);
  return [entry?.text, entry?.source];
}

test('the topic counts before the node, the cluster default, the start and the default', () => {
  const name = 'max.message.bytes';
  const broker = 'message.max.bytes';
  const all = layers({
    dynamicBroker: { [broker]: '3' },
    dynamicDefault: { [broker]: '2' },
    static: { [broker]: '1' },
  });
  const { dynamicDefault, static: atStart } = all;
  const nothing = new Map<string, string>();
  expect(effective(name, configs({ [name]: '4' }), all)).toEqual(['4', 'DYNAMIC_TOPIC_CONFIG']);
  expect(effective(name, nothing, all)).toEqual(['3', 'DYNAMIC_BROKER_CONFIG']);
  expect(effective(name, nothing, { ...layers(), dynamicDefault, static: atStart })).toEqual([
    '2',
    'DYNAMIC_DEFAULT_BROKER_CONFIG',
  ]);
  expect(effective(name, nothing, { ...layers(), static: atStart })).toEqual([
    '1',
    'STATIC_BROKER_CONFIG',
  ]);
  expect(effective(name, nothing, layers())).toEqual(['1048588', 'DEFAULT_CONFIG']);
});

test.each<[Record<string, string>, string]>([
  [{}, '604800000'],
  [{ 'log.retention.hours': '2' }, '7200000'],
  [{ 'log.retention.hours': '2', 'log.retention.minutes': '3' }, '180000'],
  [{ 'log.retention.hours': '2', 'log.retention.minutes': '3', 'log.retention.ms': '4' }, '4'],
  [{ 'log.retention.hours': '-1' }, '-1'],
  [{ 'log.retention.hours': '2147483647' }, '7730941129200000'],
])('retention.ms of a broker with %j is %s', (atStart, expected) => {
  expect(effective('retention.ms', new Map(), layers({ static: atStart }))[0]).toBe(expected);
});

test('a layer that counts more wins with any of its names', () => {
  const two = layers({
    static: { 'log.retention.ms': '1' },
    dynamicDefault: { 'log.retention.ms': '2' },
  });
  expect(effective('retention.ms', new Map(), two)).toEqual(['2', 'DYNAMIC_DEFAULT_BROKER_CONFIG']);
});

test('synonyms are listed in the order in which they count, each with its own name and value', () => {
  const some = layers({
    static: { 'log.retention.hours': '2' },
    dynamicDefault: { 'log.retention.ms': '9' },
  });
  const entry = resolveTopicConfig(configs({ 'retention.ms': '5' }), some).get('retention.ms');
  expect(entry?.synonyms).toEqual([
    { name: 'retention.ms', text: '5', source: 'DYNAMIC_TOPIC_CONFIG' },
    { name: 'log.retention.ms', text: '9', source: 'DYNAMIC_DEFAULT_BROKER_CONFIG' },
    { name: 'log.retention.hours', text: '2', source: 'STATIC_BROKER_CONFIG' },
    { name: 'log.retention.hours', text: '168', source: 'DEFAULT_CONFIG' },
  ]);
});

test('a property without one at the broker has its own default', () => {
  const entry = resolveTopicConfig(new Map(), layers()).get('remote.storage.enable');
  expect(entry).toMatchObject({
    text: 'false',
    source: 'DEFAULT_CONFIG',
    synonyms: [{ name: 'remote.storage.enable', text: 'false', source: 'DEFAULT_CONFIG' }],
  });
});

test('values are read by type, and a name or type that does not fit is a mistake of the program', () => {
  const { values } = resolveTopicConfig(configs({ 'flush.messages': '5' }), layers());
  expect(values.number('flush.messages')).toBe(5);
  expect(values.number('flush.ms')).toBe(Number.POSITIVE_INFINITY);
  expect(values.list('cleanup.policy')).toEqual(['delete']);
  expect(values.boolean('preallocate')).toBe(false);
  expect(() => values.number('cleanup.policy')).toThrow(TypeError);
  expect(() => values.string('flush.ms')).toThrow(TypeError);
  expect(() => values.boolean('no.such')).toThrow(TypeError);
});

test('a log made of the defaults has the defaults of the log', () => {
  const { values } = resolveTopicConfig(new Map(), layers());
  expect(resolveLogConfig(logConfigOf(values))).toEqual(DEFAULT_LOG_CONFIG);
});

test('a log takes every value of its topic, the longest there are among them', () => {
  const { values } = resolveTopicConfig(
    configs({
      'segment.bytes': '14',
      'segment.ms': '9223372036854775806',
      'retention.ms': '9223372036854775807',
      'local.retention.ms': '0',
      'message.timestamp.type': 'LogAppendTime',
      'remote.storage.enable': 'true',
      'flush.messages': '1',
    }),
    layers(),
  );
  expect(resolveLogConfig(logConfigOf(values))).toMatchObject({
    segmentBytes: 14,
    segmentMs: Number.POSITIVE_INFINITY,
    retentionMs: Number.POSITIVE_INFINITY,
    localRetentionMs: 0,
    messageTimestampType: 'LogAppendTime',
    remoteStorageEnable: true,
    flushMessages: 1,
  });
});
