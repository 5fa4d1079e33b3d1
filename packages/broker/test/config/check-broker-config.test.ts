import { expect, test } from 'vitest';
import { checkBrokerConfig } from '../../src/config/check-broker-config.ts';
import { configs, layers } from './layers.ts';

const LIMIT = 'remote.log.manager.write.quota.default';
const RELEASED = 'remote.log.manager.copy.max.bytes.per.second';

function check(texts: Record<string, string>, target: 'node' | 'cluster-default' = 'node') {
  return checkBrokerConfig({ target, overrides: configs(texts), layers: layers() });
}

test.each(['node', 'cluster-default'] as const)(
  'a quota may be set at run time on the %s',
  (target) => {
    expect([...check({ [LIMIT]: '5000' }, target)]).toEqual([[LIMIT, '5000']]);
    expect([...check({ [RELEASED]: '5000' }, target)]).toEqual([[LIMIT, '5000']]);
  },
);

test.each([
  'remote.log.manager.write.quota.window.num',
  'remote.log.manager.copy.quota.window.num',
  'node.id',
  'rsm.config.chunk.size',
])('%s can be set at start only, which is an invalid request that names it', (name) => {
  expect(() => check({ [name]: '5' })).toThrow(
    expect.objectContaining({
      code: 'LOGLOFT_CONFIG_READ_ONLY',
      protocolError: 'INVALID_REQUEST',
      message: expect.stringContaining(name),
    }),
  );
});

test('a limit of nothing is refused', () => {
  expect(() => check({ [LIMIT]: '0' })).toThrow(
    expect.objectContaining({
      protocolError: 'INVALID_CONFIG',
      message: `${LIMIT} must be a long of at least 1; got "0".`,
    }),
  );
});

test('two names with different values, an unknown name and one without effect are refused', () => {
  expect(() => check({ [LIMIT]: '1', [RELEASED]: '2' })).toThrow(
    expect.objectContaining({ code: 'LOGLOFT_CONFIG_CONFLICT' }),
  );
  expect(() => check({ 'log.retention.mss': '1' })).toThrow(
    expect.objectContaining({ nearest: 'log.retention.ms' }),
  );
  expect(() => check({ 'num.io.threads': '1' })).toThrow(/no effect here/);
});

test('defaults of topics that contradict each other are refused', () => {
  expect(() => check({ 'log.local.retention.ms': '-1' })).toThrow(/local\.retention\.ms=-1/);
  expect(() => check({ 'log.cleanup.policy': 'compact' })).toThrow(/log compaction/);
  expect([...check({ 'log.retention.ms': '-1', 'log.local.retention.ms': '-1' })]).toHaveLength(2);
});
