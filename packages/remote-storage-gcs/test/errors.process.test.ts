import { ManualClock } from '@logloft/clock';
import { memorySource, type ObjectStore } from '@logloft/remote-storage';
import type { FailureAction } from '@logloft/stub-servers/gcs';
import { describe, expect, test } from 'vitest';
import {
  BUCKET,
  bytesOf,
  NO_RETRIES,
  openStore,
  openStub,
  PART_BYTES,
} from './support/open-store.ts';

const KEY = 'topic/segment.log';

const CALLS: readonly (readonly [string, (store: ObjectStore) => Promise<unknown>])[] = [
  ['put', (store) => store.put(KEY, memorySource(bytesOf(1, 10)))],
  ['put in parts', (store) => store.put(KEY, memorySource(bytesOf(1, 2 * PART_BYTES)))],
  ['get', (store) => store.get(KEY)],
  ['get of a range', (store) => store.get(KEY, { start: 0, end: 1 })],
  ['head', (store) => store.head(KEY)],
  ['delete', (store) => store.delete([KEY])],
  ['list', (store) => store.list()[Symbol.asyncIterator]().next() as Promise<unknown>],
];

describe.each(CALLS)('%s', (_, call) => {
  test.each([
    ['denied', { status: 401 }, 'gcs.credentials'],
    ['denied', { status: 403 }, 'storage.objects.'],
    [
      'throttled',
      { status: 403, code: 'userRateLimitExceeded', message: 'User Rate Limit Exceeded' },
      'fewer requests',
    ],
    ['throttled', { status: 429, headers: { 'retry-after': '7' } }, 'fewer requests'],
    ['throttled', { status: 503 }, 'Scripted failure'],
    ['timeout', { status: 408 }, '408'],
    ['unavailable', { status: 500 }, '500'],
    ['unavailable', { status: 502, body: '<html>\nBad\u0007 Gateway' }, '<html> Bad Gateway'],
    ['precondition', { status: 412 }, '412'],
    ['full', { status: 507 }, '507'],
  ] as const)('is %s for %o', async (kind, answer, words) => {
    await using opened = await openStub({ retryPolicy: NO_RETRIES });
    const { stub, store } = opened;
    const headers = {
      'x-guploader-uploadid': 'request-1',
      ...('headers' in answer && answer.headers),
    };
    const action: FailureAction = { kind: 'answer', ...answer, headers };
    stub.failures.add({ action });
    const failure = await failureOf(call(store));
    expect(failure).toMatchObject({ name: 'RemoteStorageError', kind });
    if (kind !== 'precondition') {
      expect(failure.message).toContain(words);
      expect(failure.message).toContain(JSON.stringify(BUCKET));
      expect(failure.message).toContain('request-1');
    }
    if (answer.status === 429) expect(failure).toMatchObject({ retryAfterMs: 7_000 });
  });

  test('tells a missing bucket from a missing object', async () => {
    await using opened = await openStub({ retryPolicy: NO_RETRIES });
    const astray = openStore(opened.stub.url, { bucket: 'other-bucket' });
    const failure = await failureOf(call(astray));
    expect(failure).toMatchObject({ kind: 'container-missing' });
    expect(failure.message).toContain('gcs.bucket.name');
    expect(failure.message).toContain('"other-bucket"');
    await astray.close();
  });
});

test('a missing object names bucket and key', async () => {
  await using opened = await openStub();
  for (const call of [opened.store.get(KEY), opened.store.head(KEY)]) {
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ kind: 'not-found', key: KEY });
    expect(failure.message).toContain(`"${KEY}" in the bucket "${BUCKET}"`);
  }
});

test('a 404 that does not say what is missing is looked into', async () => {
  await using opened = await openStub();
  const { stub, store } = opened;
  stub.failures.add({ key: KEY, action: { kind: 'answer', status: 404, body: 'Not Found' } });
  expect(await failureOf(store.get(KEY))).toMatchObject({ kind: 'not-found' });
  expect(stub.requests.count('buckets.get')).toBe(1);
  // Without the right to look at the bucket nothing more is known.
  stub.failures.add({ operation: 'buckets.get', action: { kind: 'answer', status: 403 } });
  expect(await failureOf(store.get(KEY))).toMatchObject({ kind: 'not-found' });
  stub.failures.clear();
  const gone = { kind: 'answer', status: 404, body: 'Not Found' } as const;
  stub.failures.add({ action: gone });
  expect(await failureOf(store.get(KEY))).toMatchObject({ kind: 'container-missing' });
  // A delete must not take a lost bucket for a deleted object.
  expect(await failureOf(store.delete([KEY]))).toMatchObject({ kind: 'container-missing' });
});

test('a clock that is far off is named where access is refused', async () => {
  const lateMs = Date.UTC(2026, 0, 1);
  const stubOptions = { token: 'secret', clock: new ManualClock({ startMs: lateMs }) };
  const clock = new ManualClock({ startMs: lateMs + 600_000 });
  await using opened = await openStub({}, clock, stubOptions);
  const failure = await failureOf(opened.store.head(KEY));
  expect(failure.message).toContain("clock is 600 s ahead of the store's");
});

test('a retention policy is named as what refuses a delete', async () => {
  await using opened = await openStub();
  const { stub, store } = opened;
  const message = "Object is subject to bucket's retention policy and cannot be deleted";
  const action = { kind: 'answer', status: 403, code: 'retentionPolicyNotMet', message } as const;
  stub.failures.add({ action });
  const failure = await failureOf(store.delete([KEY]));
  expect(failure).toMatchObject({ kind: 'denied' });
  expect(failure.message).toContain('retention policy or the object a hold');
});

test('what the store answers never fills a log: one line, cut to size', async () => {
  await using opened = await openStub();
  const { stub, store } = opened;
  const body = 'x\n'.repeat(200_000);
  stub.failures.add({ action: { kind: 'answer', status: 400, body } });
  const failure = await failureOf(store.head(KEY));
  expect(failure.message.length).toBeLessThan(1_000);
  expect(failure.message).not.toContain('\n');
});

async function failureOf(call: Promise<unknown>): Promise<Error> {
  const outcome = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error('the call must fail, but succeeded');
}
