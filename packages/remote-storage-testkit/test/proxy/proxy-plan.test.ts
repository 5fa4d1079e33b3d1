import { expect, test } from 'vitest';
import {
  PASSING_PROXY_FAULTS,
  type ProxyFault,
  type ProxyFaultPlan,
  ruledProxyFaults,
  seededProxyFaults,
} from '../../src/index.ts';

const RESET: ProxyFault = { type: 'reset' };
const HOLE: ProxyFault = { type: 'blackhole' };

function types(plan: ProxyFaultPlan, requests: readonly string[]): (string | undefined)[] {
  return requests.map((line, index) => {
    const [method = '', path = ''] = line.split(' ');
    return plan.next({ number: index + 1, method, path })?.type;
  });
}

test('a rule without bounds holds for every request', () => {
  const plan = ruledProxyFaults([{ fault: RESET }]);
  expect(types(plan, ['GET /a', 'PUT /b'])).toEqual(['reset', 'reset']);
});

test('method and path narrow a rule, as text or as an expression', () => {
  const plan = ruledProxyFaults([
    { method: 'PUT', path: 'partNumber=2', fault: RESET },
    { path: /\.log$/g, fault: HOLE },
  ]);
  const requests = ['PUT /k?partNumber=2', 'GET /k?partNumber=2', 'GET /a.log', 'GET /b.log'];
  expect(types(plan, requests)).toEqual(['reset', undefined, 'blackhole', 'blackhole']);
});

test('a rule skips, then holds for its times, and leaves all else to the rules behind it', () => {
  const plan = ruledProxyFaults([
    { method: 'GET', skip: 1, times: 2, fault: RESET },
    { times: 1, fault: HOLE },
  ]);
  const requests = ['GET /1', 'GET /2', 'PUT /3', 'GET /4', 'GET /5'];
  expect(types(plan, requests)).toEqual(['blackhole', 'reset', undefined, 'reset', undefined]);
});

test('a seeded plan is the same for the same seed, and another for another', () => {
  const requests = Array.from({ length: 200 }, (_, index) => `GET /${index}`);
  const typesOf = (seed: number, rate: number): (string | undefined)[] =>
    types(seededProxyFaults(seed, { rate }), requests);
  expect(typesOf(1, 0.5)).toEqual(typesOf(1, 0.5));
  expect(typesOf(1, 0.5)).not.toEqual(typesOf(2, 0.5));
  expect(typesOf(1, 0)).toEqual(requests.map(() => undefined));
  expect(typesOf(1, 1)).not.toContain(undefined);
  const hits = typesOf(7, 0.5).filter((type) => type !== undefined).length;
  expect(hits).toBeGreaterThan(60);
  expect(hits).toBeLessThan(140);
});

test('a seeded plan does each of its actions, and none without any', () => {
  const plan = seededProxyFaults(3, { rate: 1 });
  const seen = new Set(
    Array.from({ length: 500 }, (_, index) =>
      plan.next({ number: index, method: 'GET', path: '/' }),
    ),
  );
  expect(seen.size).toBe(PASSING_PROXY_FAULTS.length);
  expect(types(seededProxyFaults(3, { rate: 1, actions: [] }), ['GET /'])).toEqual([undefined]);
});
