import { expect, test } from 'vitest';
import { BROKER_CONFIG } from '../../src/config/definitions.ts';
import { nearestName } from '../../src/config/nearest-name.ts';

test.each([
  ['log.segment.byte', 'log.segment.bytes'],
  ['log.segmnet.bytes', 'log.segment.bytes'],
  ['Log.Retention.Ms', 'log.retention.ms'],
  ['remote.log.manager.write.quota', 'remote.log.manager.write.quota.scope'],
  ['listner', 'listeners'],
])('%s probably means %s', (written, meant) => {
  expect(nearestName(written, BROKER_CONFIG.names())).toBe(meant);
});

test('nothing resembles what is far from everything', () => {
  expect(nearestName('xyz', BROKER_CONFIG.names())).toBeUndefined();
  expect(nearestName('', BROKER_CONFIG.names())).toBeUndefined();
});
