import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ConfigDefinitionParts,
  type ConfigType,
  defineConfig,
} from '../../src/config/config-definition.ts';
import { parseConfig, printLong } from '../../src/config/config-text.ts';

function define(type: ConfigType, parts: Partial<ConfigDefinitionParts> = {}) {
  return defineConfig('some.key', { type, doc: 'A property of a test.', ...parts });
}

test.each<[ConfigType, string, string, unknown]>([
  ['boolean', ' TRUE ', 'true', true],
  ['boolean', 'False', 'false', false],
  ['int', '2147483647', '2147483647', 2_147_483_647],
  ['int', '+007', '7', 7],
  ['short', '-32768', '-32768', -32_768],
  ['long', '9007199254740991', '9007199254740991', 9_007_199_254_740_991],
  ['long', '9223372036854775807', '9223372036854775807', Number.POSITIVE_INFINITY],
  ['long', '9223372036854775806', '9223372036854775806', Number.POSITIVE_INFINITY],
  ['long', '-9223372036854775808', '-9223372036854775808', -(2 ** 63)],
  ['double', '.5', '0.5', 0.5],
  ['double', '3', '3.0', 3],
  ['double', '1e10', '1.0E10', 1e10],
  ['double', '0.00025', '2.5E-4', 0.00025],
  ['list', ' a , b', 'a,b', ['a', 'b']],
  ['list', '', '', []],
  ['string', ' x ', 'x', 'x'],
  ['password', 's,=', 's,=', 's,='],
])('a %s reads %j, and prints as %s', (type, text, printed, value) => {
  expect(parseConfig(define(type), text)).toEqual({ text: printed, value });
});

test.each<[ConfigType, string]>([
  ['boolean', 'yes'],
  ['boolean', ''],
  ['int', '2147483648'],
  ['int', '1.0'],
  ['int', ''],
  ['int', '0x10'],
  ['int', '1_000'],
  ['short', '32768'],
  ['long', '9223372036854775808'],
  ['long', '-9223372036854775809'],
  ['long', '9'.repeat(1_000_000)],
  ['double', 'NaN'],
  ['double', 'Infinity'],
  ['double', '1e999'],
])('a %s does not take %j', (type, text) => {
  expect(() => parseConfig(define(type), text)).toThrow(
    expect.objectContaining({ code: 'LOGLOFT_CONFIG_INVALID_VALUE', key: 'some.key' }),
  );
});

test('an error names the key, the value, what is allowed, and where it stood', () => {
  const messages = [
    [define('int', { min: 1 }), '0'],
    [define('double', { min: 0, max: 1 }), '2'],
    [define('string', { allowed: ['abort', 'wait'] }), 'stop'],
    [define('list', { allowed: ['compact', 'delete'] }), 'delete,compactt'],
    [define('list', { nonEmpty: true }), ''],
    [define('password', { nonEmpty: true }), ' '],
  ] as const;
  expect(
    messages.map(([definition, text]) => {
      try {
        return parseConfig(definition, text, 'flag some.key');
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    }),
  ).toEqual([
    'some.key must be an int from 1 to 2147483647; got "0". (flag some.key)',
    'some.key must be a double from 0 to 1; got "2". (flag some.key)',
    'some.key must be one of abort, wait; got "stop". (flag some.key)',
    'some.key must be a list of compact, delete; got "delete,compactt". (flag some.key)',
    'some.key must be a list of at least one item; got "". (flag some.key)',
    'some.key must be a text that is not empty; got a hidden value. (flag some.key)',
  ]);
});

test('a long value is not repeated in full', () => {
  expect(() => parseConfig(define('int'), 'x'.repeat(5000))).toThrow(/^.{0,300}$/s);
});

test('any long is printed as it was read', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (long) => {
      expect(parseConfig(define('long'), String(long)).text).toBe(String(long));
    }),
  );
});

test('what is printed reads as the same', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
      const { text } = parseConfig(define('double'), String(double));
      expect(parseConfig(define('double'), text)).toEqual({
        text,
        value: double === 0 ? Number(text) : double,
      });
    }),
  );
});

test('no limit is printed as the largest long', () => {
  expect(printLong(Number.POSITIVE_INFINITY)).toBe('9223372036854775807');
  expect(printLong(1e15)).toBe('1000000000000000');
});
