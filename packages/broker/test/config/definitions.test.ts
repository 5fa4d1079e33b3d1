import { expect, test } from 'vitest';
import type { ConfigDefinition } from '../../src/config/config-definition.ts';
import { parseConfig } from '../../src/config/config-text.ts';
import { PROPERTIES_WITHOUT_EFFECT } from '../../src/config/definitions/without-effect.ts';
import {
  BROKER_CONFIG,
  REMOTE_METADATA_CONFIG,
  TOPIC_CONFIG,
} from '../../src/config/definitions.ts';
import { resolveTopicConfig } from '../../src/config/resolve-topic-config.ts';

const NOTHING_SET = { static: new Map(), dynamicBroker: new Map(), dynamicDefault: new Map() };
const ALL: readonly ConfigDefinition[] = [
  ...BROKER_CONFIG,
  ...TOPIC_CONFIG,
  ...REMOTE_METADATA_CONFIG,
];

test('every default is what its own definition allows, as Kafka prints it', () => {
  for (const definition of ALL) {
    const { name, defaultText } = definition;
    if (defaultText !== null)
      expect(parseConfig(definition, defaultText).text, name).toBe(defaultText);
  }
});

test('every property has a documentation that is a sentence', () => {
  for (const { name, documentation } of ALL)
    expect(documentation, name).toMatch(/^[A-Z].{20,}\.$/s);
});

test('no name or alias is there twice', () => {
  for (const definitions of [BROKER_CONFIG, TOPIC_CONFIG, REMOTE_METADATA_CONFIG]) {
    const names = [...definitions].flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  }
  for (const name of PROPERTIES_WITHOUT_EFFECT.keys()) {
    expect(BROKER_CONFIG.find(name), name).toBeUndefined();
  }
});

test('every topic property has the default of the broker properties behind it', () => {
  const config = resolveTopicConfig(new Map(), NOTHING_SET);
  for (const definition of TOPIC_CONFIG) {
    expect(config.get(definition.name)?.text, definition.name).toBe(definition.defaultText);
    for (const { name } of definition.synonyms)
      expect(BROKER_CONFIG.find(name), name).toBeDefined();
  }
});

test('the topic properties that tools of Kafka read are there', () => {
  const names =
    'cleanup.policy, compression.type, delete.retention.ms, file.delete.delay.ms, flush.messages, ' +
    'flush.ms, index.interval.bytes, max.compaction.lag.ms, max.message.bytes, message.timestamp.type, ' +
    'message.timestamp.before.max.ms, message.timestamp.after.max.ms, min.cleanable.dirty.ratio, ' +
    'min.compaction.lag.ms, min.insync.replicas, preallocate, retention.bytes, retention.ms, ' +
    'segment.bytes, segment.index.bytes, segment.jitter.ms, segment.ms, unclean.leader.election.enable, ' +
    'remote.storage.enable, local.retention.ms, local.retention.bytes, remote.log.copy.disable, ' +
    'remote.log.delete.on.disable';
  expect([...TOPIC_CONFIG].map(({ name }) => name).sort()).toEqual(names.split(', ').sort());
});

test.each([
  ['remote.log.manager.write.quota.default', 'remote.log.manager.copy.max.bytes.per.second'],
  ['remote.log.manager.write.quota.window.num', 'remote.log.manager.copy.quota.window.num'],
  [
    'remote.log.manager.write.quota.window.size.seconds',
    'remote.log.manager.copy.quota.window.size.seconds',
  ],
  ['remote.log.manager.read.quota.default', 'remote.log.manager.fetch.max.bytes.per.second'],
  ['remote.log.manager.read.quota.window.num', 'remote.log.manager.fetch.quota.window.num'],
  [
    'remote.log.manager.read.quota.window.size.seconds',
    'remote.log.manager.fetch.quota.window.size.seconds',
  ],
])('%s of the draft is also known by its released name', (draft, released) => {
  expect(BROKER_CONFIG.find(released)?.name).toBe(draft);
});

test('the defaults and modes of the quotas are those of the draft', () => {
  const prefix = 'remote.log.manager.';
  const facts = [...BROKER_CONFIG]
    .filter(({ name }) => name.includes('.quota.'))
    .map(({ name, type, defaultText, mode }) => [
      name.slice(prefix.length),
      type,
      defaultText,
      mode,
    ]);
  expect(facts).toEqual([
    ['write.quota.default', 'long', '9223372036854775807', 'cluster-wide'],
    ['write.quota.window.num', 'int', '61', 'static'],
    ['write.quota.window.size.seconds', 'int', '1', 'static'],
    ['write.quota.scope', 'string', 'broker', 'static'],
    ['write.quota.exhausted', 'string', 'abort', 'static'],
    ['read.quota.default', 'long', '9223372036854775807', 'cluster-wide'],
    ['read.quota.window.num', 'int', '11', 'static'],
    ['read.quota.window.size.seconds', 'int', '1', 'static'],
  ]);
});

test('a name that the program does not have is its own mistake', () => {
  expect(() => BROKER_CONFIG.get('no.such.property')).toThrow(TypeError);
  expect(BROKER_CONFIG.find('__proto__')).toBeUndefined();
  expect(BROKER_CONFIG.find('constructor')).toBeUndefined();
});
