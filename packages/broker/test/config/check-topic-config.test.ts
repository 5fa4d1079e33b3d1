import { expect, test } from 'vitest';
import { checkTopicConfig } from '../../src/config/check-topic-config.ts';
import { configs, layers, WITH_REMOTE_TIER } from './layers.ts';

const TIERED = layers({ static: WITH_REMOTE_TIER });

function check(texts: Record<string, string>, previous?: Record<string, string>) {
  return checkTopicConfig({
    overrides: configs(texts),
    layers: TIERED,
    previous: previous === undefined ? undefined : configs(previous),
  });
}

function message(texts: Record<string, string>, previous?: Record<string, string>): string {
  try {
    check(texts, previous);
    return 'accepted';
  } catch (error) {
    expect(error).toMatchObject({ protocolError: 'INVALID_CONFIG' });
    return error instanceof Error ? error.message : '';
  }
}

test('what is sound is returned as Kafka prints it', () => {
  const overrides = check({ 'retention.ms': ' +0060000', 'remote.storage.enable': 'TRUE' });
  expect([...overrides]).toEqual([
    ['retention.ms', '60000'],
    ['remote.storage.enable', 'true'],
  ]);
});

test('a wrong value is answered with key, value and what is allowed', () => {
  expect(message({ 'cleanup.policy': 'compactt' })).toBe(
    'cleanup.policy must be a list of compact, delete; got "compactt".',
  );
  expect(message({ 'segment.bytes': '13' })).toBe(
    'segment.bytes must be an int from 14 to 2147483647; got "13".',
  );
});

test('an unknown key is answered with the nearest one, whatever it is called', () => {
  expect(message({ 'retention.m': '1' })).toBe(
    'There is no property "retention.m". Did you mean retention.ms?',
  );
  expect(message(Object.fromEntries([['__proto__', '1']]))).toBe(
    'There is no property "__proto__".',
  );
  expect(message({ constructor: '1' })).toContain('"constructor"');
});

test.each([
  ['cleanup.policy', 'compact', 'log compaction'],
  ['cleanup.policy', 'compact,delete', 'log compaction'],
  ['compression.type', 'gzip', 'compression by the broker'],
  ['preallocate', 'true', 'segment files made at full size'],
])('%s=%s is refused, naming the feature that is not served', (key, value, feature) => {
  expect(message({ [key]: value })).toContain(`${key}=${value} asks for ${feature}`);
});

test('a topic is not tiered by a broker without a remote tier, and the remedy is named', () => {
  const overrides = configs({ 'remote.storage.enable': 'true' });
  expect(() => checkTopicConfig({ overrides, layers: layers(), previous: undefined })).toThrow(
    /remote\.log\.storage\.system\.enable=true/,
  );
});

test.each<[string, Record<string, string>]>([
  ['ms above', { 'local.retention.ms': '11', 'retention.ms': '10' }],
  ['ms without limit', { 'local.retention.ms': '-1', 'retention.ms': '10' }],
  ['ms above the default', { 'local.retention.ms': '604800001' }],
  ['bytes above', { 'local.retention.bytes': '11', 'retention.bytes': '10' }],
  ['bytes without limit', { 'local.retention.bytes': '-1', 'retention.bytes': '0' }],
])('local retention must not be more than the total: %s', (_, texts) => {
  expect(message(texts)).toMatch(/^local\.retention\.(ms|bytes)=-?\d+ must not be above retention/);
});

test.each<[string, Record<string, string>]>([
  ['the same', { 'local.retention.ms': '10', 'retention.ms': '10' }],
  ['as much as in all', { 'local.retention.ms': '-2', 'retention.ms': '10' }],
  ['any, when the total is without limit', { 'local.retention.ms': '-1', 'retention.ms': '-1' }],
  ['nothing', { 'local.retention.ms': '0' }],
  ['any bytes by default', { 'local.retention.bytes': '1000' }],
])('local retention may be %s', (_, texts) => {
  expect(message(texts)).toBe('accepted');
});

test('while copying is switched off, local limits are the total ones', () => {
  const off = { 'remote.storage.enable': 'true', 'remote.log.copy.disable': 'true' };
  expect(message(off)).toBe('accepted');
  expect(message({ ...off, 'local.retention.ms': '604800000' })).toBe('accepted');
  expect(message({ ...off, 'local.retention.ms': '5' })).toContain('remote.log.copy.disable=true');
  expect(message({ ...off, 'local.retention.bytes': '5' })).toContain('local.retention.bytes=5');
});

test('tiering is switched off only by choice of what happens to the data', () => {
  const tiered = { 'remote.storage.enable': 'true' };
  expect(message({}, tiered)).toContain('remote.log.delete.on.disable=true');
  expect(message({ 'remote.storage.enable': 'false' }, tiered)).toContain(
    'remote.log.copy.disable',
  );
  expect(message({ 'remote.log.delete.on.disable': 'true' }, tiered)).toBe('accepted');
  expect(message(tiered, tiered)).toBe('accepted');
  expect(message({}, {})).toBe('accepted');
});

test('compaction lags must not contradict each other', () => {
  expect(message({ 'min.compaction.lag.ms': '5', 'max.compaction.lag.ms': '4' })).toBe(
    'min.compaction.lag.ms=5 must not be above max.compaction.lag.ms=4.',
  );
});
