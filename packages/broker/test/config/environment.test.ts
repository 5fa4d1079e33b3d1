import { expect, test } from 'vitest';
import { BROKER_CONFIG } from '../../src/config/definitions.ts';
import { propertyOf, variableOf } from '../../src/config/environment.ts';

test.each([
  ['node.id', 'LOGLOFT_NODE_ID'],
  ['rsm.config.a_b', 'LOGLOFT_RSM_CONFIG_A__B'],
  ['rsm.config.a-b', 'LOGLOFT_RSM_CONFIG_A___B'],
])('%s is set by %s', (property, variable) => {
  expect(variableOf(property)).toBe(variable);
  expect(propertyOf(variable)).toBe(property);
});

test('the variable of every property leads back to it', () => {
  for (const name of BROKER_CONFIG.names()) expect(propertyOf(variableOf(name))).toBe(name);
});

test('variables without the prefix are none of ours', () => {
  expect(propertyOf('NODE_ID')).toBeUndefined();
  expect(propertyOf('loglofT_NODE_ID')).toBeUndefined();
});
