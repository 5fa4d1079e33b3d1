import { expect, test } from 'vitest';
import { decodePercent, parseQuery } from '../../src/http/request-head.ts';

test.each([
  ['', []],
  ['a', [['a', '']]],
  ['a=', [['a', '']]],
  ['a=b=c', [['a', 'b=c']]],
  [
    '&a=1&&a=2&',
    [
      ['a', '1'],
      ['a', '2'],
    ],
  ],
  ['a+b=%2B+%20', [['a b', '+  ']]],
  ['%C3%A9=%F0%9F%98%80', [['é', '😀']]],
  ['__proto__=1', [['__proto__', '1']]],
])('%j', (query, expected) => {
  expect(parseQuery(query)).toEqual(expected);
});

test.each(['a=%', 'a=%zz', 'a=%ff', '%E2%82=1'])('%j is malformed', (query) => {
  expect(parseQuery(query)).toBeUndefined();
});

test('a path keeps its plus signs', () => {
  expect(decodePercent('a+b%2Bc%20d')).toBe('a+b+c d');
});
