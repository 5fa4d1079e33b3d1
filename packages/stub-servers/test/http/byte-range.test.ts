import { expect, test } from 'vitest';
import { resolveRange } from '../../src/http/byte-range.ts';

test.each([
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=2-4', 10, { start: 2, end: 4 }],
  ['bytes=2-', 10, { start: 2, end: 9 }],
  ['bytes=9-99', 10, { start: 9, end: 9 }],
  ['bytes=-4', 10, { start: 6, end: 9 }],
  ['bytes=-40', 10, { start: 0, end: 9 }],
  ['bytes= 1 - 2', 10, { start: 1, end: 2 }],
  ['bytes=0-99999999999999999999', 10, { start: 0, end: 9 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-1', 0, 'unsatisfiable'],
  [undefined, 10, undefined],
  ['', 10, undefined],
  ['bytes=', 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=5-2', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['bytes=a-b', 10, undefined],
  ['items=0-1', 10, undefined],
])('%j of %i bytes', (header, size, expected) => {
  expect(resolveRange(header, size)).toEqual(expected);
});
