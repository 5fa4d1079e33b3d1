import { expect, test } from 'vitest';
import {
  applyOperations,
  type ConfigOperation,
  replaceConfig,
} from '../../src/config/alter-config.ts';
import { BROKER_CONFIG, TOPIC_CONFIG } from '../../src/config/definitions.ts';
import { resolveBrokerConfig } from '../../src/config/effective-config.ts';
import { resolveTopicConfig } from '../../src/config/resolve-topic-config.ts';
import { configs, layers } from './layers.ts';

const SET = 0;
const DELETE = 1;
const APPEND = 2;
const SUBTRACT = 3;

function apply(current: Record<string, string>, ...operations: [string, number, string | null][]) {
  const set = configs(current);
  const list: ConfigOperation[] = operations.map(([name, operation, value]) => ({
    name,
    operation,
    value,
  }));
  const effective = resolveTopicConfig(set, layers());
  return Object.fromEntries(
    applyOperations({ definitions: TOPIC_CONFIG, current: set, effective }, list),
  );
}

test('operations set and delete, and leave the rest as it is', () => {
  const current = { 'retention.ms': '1', 'segment.bytes': '100' };
  expect(apply(current, ['retention.ms', DELETE, null], ['flush.ms', SET, '5'])).toEqual({
    'segment.bytes': '100',
    'flush.ms': '5',
  });
  expect(apply(current, ['flush.ms', DELETE, null])).toEqual(current);
});

test('lists are appended to and subtracted from, starting from what counts', () => {
  expect(apply({}, ['cleanup.policy', APPEND, 'compact'])).toEqual({
    'cleanup.policy': 'delete,compact',
  });
  expect(apply({}, ['cleanup.policy', APPEND, 'delete'])).toEqual({ 'cleanup.policy': 'delete' });
  expect(
    apply({ 'cleanup.policy': 'delete,compact' }, ['cleanup.policy', SUBTRACT, 'compact, x']),
  ).toEqual({ 'cleanup.policy': 'delete' });
});

test('what is no list cannot be appended to', () => {
  expect(() => apply({}, ['retention.ms', APPEND, '1'])).toThrow(
    expect.objectContaining({ protocolError: 'INVALID_CONFIG', key: 'retention.ms' }),
  );
});

test.each<[string, [string, number, string | null][]]>([
  [
    'a key twice',
    [
      ['retention.ms', SET, '1'],
      ['retention.ms', DELETE, null],
    ],
  ],
  ['an unknown operation', [['retention.ms', 4, '1']]],
  ['no value', [['retention.ms', SET, null]]],
])('%s is an invalid request', (_, operations) => {
  expect(() => apply({}, ...operations)).toThrow(
    expect.objectContaining({ protocolError: 'INVALID_REQUEST' }),
  );
});

test('a name and its alias are one key', () => {
  const target = {
    definitions: BROKER_CONFIG,
    current: configs({ 'remote.log.manager.write.quota.default': '1' }),
    effective: resolveBrokerConfig(layers()),
  };
  const released = 'remote.log.manager.copy.max.bytes.per.second';
  const draft = 'remote.log.manager.write.quota.default';
  expect([
    ...applyOperations(target, [{ name: released, operation: DELETE, value: null }]),
  ]).toEqual([]);
  expect(() =>
    applyOperations(target, [
      { name: released, operation: SET, value: '2' },
      { name: draft, operation: SET, value: '2' },
    ]),
  ).toThrow(/more than once/);
});

test('unknown names pass through to the check of the whole', () => {
  expect(apply({}, ['__proto__', SET, '1'], ['no.such', APPEND, '1'])).toEqual(
    Object.fromEntries([
      ['__proto__', '1'],
      ['no.such', '1'],
    ]),
  );
});

test('a replacement is exactly what was given, each key once and with a value', () => {
  const entry = (name: string, value: string | null) => ({ name, value });
  expect([...replaceConfig(TOPIC_CONFIG, [entry('flush.ms', '5')])]).toEqual([['flush.ms', '5']]);
  for (const entries of [
    [entry('flush.ms', '5'), entry('flush.ms', '5')],
    [entry('flush.ms', null)],
  ]) {
    expect(() => replaceConfig(TOPIC_CONFIG, entries)).toThrow(
      expect.objectContaining({ protocolError: 'INVALID_REQUEST' }),
    );
  }
});
