import { expect, test } from 'vitest';
import { type MutableLoggedRequest, RequestLog } from '../../src/http/request-log.ts';

function request(operation: string): MutableLoggedRequest {
  return {
    operation,
    bucket: undefined,
    key: undefined,
    method: 'GET',
    path: '/',
    status: 0,
    bytesIn: 0,
    bytesOut: 0,
    outcome: 'running',
    failure: undefined,
    error: undefined,
  };
}

test('requests are counted by operation, also those that are no longer kept', () => {
  const log = new RequestLog(4);
  for (const operation of ['a', 'b', 'a', '__proto__', 'a']) log.begin(request(operation));
  expect(log.count()).toBe(5);
  expect(log.count('a')).toBe(3);
  expect(log.count('__proto__')).toBe(1);
  expect(log.count('constructor')).toBe(0);
  expect([...log.counts()]).toEqual([
    ['a', 3],
    ['b', 1],
    ['__proto__', 1],
  ]);
  expect([...log].map(({ operation }) => operation)).toEqual(['a', '__proto__', 'a']);
  expect(log.of('a')).toHaveLength(2);
  log.reset();
  expect([log.length, log.count(), log.counts().size]).toEqual([0, 0, 0]);
});

test('the log never holds more than it may', () => {
  for (const max of [1, 2, 3, 10]) {
    const log = new RequestLog(max);
    for (let turn = 0; turn < 50; turn += 1) {
      log.begin(request(String(turn)));
      expect(log.length).toBeLessThanOrEqual(max);
      expect(log.all.at(-1)?.operation).toBe(String(turn));
    }
  }
});
