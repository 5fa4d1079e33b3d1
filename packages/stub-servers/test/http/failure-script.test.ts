import { expect, test } from 'vitest';
import { FailureScript, type MatchableRequest } from '../../src/http/failure-script.ts';

function request(parts: Partial<MatchableRequest> = {}): MatchableRequest {
  return {
    method: 'PUT',
    target: '/b/k',
    path: '/b/k',
    query: '',
    headers: new Map(),
    operation: 'PutObject',
    bucket: 'b',
    key: 'k',
    ...parts,
  };
}

const HANG = { kind: 'hang' } as const;
const DELAY = { kind: 'delay', ms: 1 } as const;

test('the first rule that takes a request decides', () => {
  const script = new FailureScript();
  const first = script.add({ operation: 'PutObject', times: 1, action: HANG });
  const second = script.add({ action: DELAY });
  expect(script.decide(request())).toBe(HANG);
  expect(script.decide(request())).toBe(DELAY);
  expect(script.decide(request({ operation: 'GetObject' }))).toBe(DELAY);
  expect([first.fired, first.matched]).toEqual([1, 1]);
  expect([second.fired, second.matched]).toEqual([2, 2]);
});

test('a request that a rule skips is left to the rules behind it', () => {
  const script = new FailureScript();
  script.add({ skip: 1, action: HANG });
  script.add({ action: DELAY });
  expect(script.decide(request())).toBe(DELAY);
  expect(script.decide(request())).toBe(HANG);
});

test('a rule for keys never takes a request without one, and a pattern holds no state', () => {
  const script = new FailureScript();
  script.add({ key: /k/g, action: HANG });
  expect(script.decide(request({ key: undefined }))).toBeUndefined();
  for (let turn = 0; turn < 3; turn += 1) expect(script.decide(request())).toBe(HANG);
  script.clear();
  expect(script.decide(request())).toBeUndefined();
});

test('a rule that is removed takes nothing any more', () => {
  const script = new FailureScript();
  const failure = script.add({ bucket: 'b', action: HANG });
  expect(script.decide(request({ bucket: 'c' }))).toBeUndefined();
  expect(script.decide(request())).toBe(HANG);
  failure.remove();
  expect(script.decide(request())).toBeUndefined();
});

test('whoever waits for a rule to fire is told, or gives up with the reason of the signal', async () => {
  const script = new FailureScript();
  const failure = script.add({ action: HANG });
  let told = 0;
  const twice = failure.whenFired(2).then(() => {
    told += 1;
  });
  script.decide(request());
  await failure.whenFired();
  expect(told).toBe(0);
  script.decide(request());
  await twice;
  expect(told).toBe(1);
  const reason = new Error('enough');
  const abort = new AbortController();
  const never = failure.whenFired(9, { signal: abort.signal });
  abort.abort(reason);
  await expect(never).rejects.toBe(reason);
  await expect(failure.whenFired(9, { signal: abort.signal })).rejects.toBe(reason);
});

test.each([
  { skip: -1, action: HANG },
  { times: Number.NaN, action: HANG },
  { action: { kind: 'delay', ms: -1 } as const },
  { action: { kind: 'delay', ms: Number.POSITIVE_INFINITY } as const },
  { action: { kind: 'answer', status: 199 } as const },
  { action: { kind: 'answer', status: 600 } as const },
  { action: { kind: 'cut-request', afterBytes: 0.5 } as const },
  { action: { kind: 'truncate-answer', afterBytes: -1 } as const },
])('a rule that could not be carried out is refused: %j', (rule) => {
  expect(() => new FailureScript().add(rule)).toThrow(RangeError);
});
