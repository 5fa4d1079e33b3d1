import { expect, test } from 'vitest';
import { kindOfHttpStatus, parseRetryAfter } from '../../src/index.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

test.each([
  ['0', 0],
  ['7', 7_000],
  [' 120 ', 120_000],
  ['1.5', 1_500],
  ['99999999999999', 86_400_000],
  ['Fri, 02 Jan 2026 03:04:35 GMT', 30_000],
  ['Fri, 02 Jan 2026 03:04:00 GMT', 0],
  ['Fri, 02 Jan 2099 03:04:00 GMT', 86_400_000],
])('Retry-After "%s" asks for %i ms', (header, ms) => {
  expect(parseRetryAfter(header, NOW)).toBe(ms);
});

test.each([
  null,
  undefined,
  '',
  'soon',
  '-1',
  '1e3',
  '0x10',
  '12 apples',
  'Abc, 1',
  'Fri, 99 Foo 2026 03:04:35 GMT',
])('Retry-After %j asks for nothing', (header) => {
  expect(parseRetryAfter(header, NOW)).toBeUndefined();
});

test.each([
  [200, undefined],
  [304, undefined],
  [400, undefined],
  [401, 'denied'],
  [403, 'denied'],
  [404, 'not-found'],
  [408, 'timeout'],
  [409, 'precondition'],
  [412, 'precondition'],
  [416, 'bad-range'],
  [429, 'throttled'],
  [500, 'unavailable'],
  [502, 'unavailable'],
  [503, 'throttled'],
  [504, 'unavailable'],
  [507, 'full'],
  [599, 'unavailable'],
  [600, undefined],
])('status %i is %s', (status, kind) => {
  expect(kindOfHttpStatus(status)).toBe(kind);
});
