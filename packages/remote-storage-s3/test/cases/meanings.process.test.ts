import {
  memorySource,
  type ObjectStore,
  type RemoteStorageErrorKind,
} from '@logloft/remote-storage';
import { seededBytes } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import { BUCKET, failureOf, openStubStore, PART_BYTES } from '../support/stub-store.ts';

// What the table of error kinds says of S3, for every operation: by the code of the store where there is
// one, by the status where there is none (always in an answer to HEAD).

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly kind: RemoteStorageErrorKind;
  readonly retryable?: boolean;
}

const ANSWERS: readonly Answer[] = [
  { status: 404, code: 'NoSuchBucket', kind: 'container-missing' },
  { status: 403, code: 'AccessDenied', kind: 'denied' },
  { status: 403, code: 'InvalidAccessKeyId', kind: 'denied' },
  { status: 403, code: 'SignatureDoesNotMatch', kind: 'denied' },
  { status: 401, code: 'Unauthorized', kind: 'denied' },
  { status: 503, code: 'SlowDown', kind: 'throttled', retryable: true },
  { status: 503, code: 'ServiceUnavailable', kind: 'throttled', retryable: true },
  { status: 429, code: 'TooManyRequests', kind: 'throttled', retryable: true },
  { status: 500, code: 'InternalError', kind: 'unavailable', retryable: true },
  { status: 502, code: 'BadGateway', kind: 'unavailable', retryable: true },
  { status: 504, code: 'GatewayTimeout', kind: 'unavailable', retryable: true },
  { status: 408, code: 'Slow', kind: 'timeout', retryable: true },
  { status: 400, code: 'RequestTimeout', kind: 'unavailable', retryable: true },
  { status: 400, code: 'SomethingNew', kind: 'unavailable', retryable: false },
  { status: 412, code: 'PreconditionFailed', kind: 'precondition' },
  { status: 416, code: 'InvalidRange', kind: 'bad-range' },
  { status: 301, code: 'PermanentRedirect', kind: 'invalid-configuration' },
  { status: 501, code: 'NotImplemented', kind: 'invalid-configuration' },
  { status: 507, code: 'InsufficientStorage', kind: 'full' },
];

const LARGE = PART_BYTES + 1;

const OPERATIONS: readonly [string, (store: ObjectStore) => Promise<unknown>][] = [
  ['put', (store) => store.put('key', memorySource(seededBytes(1, 10)))],
  ['put in parts', (store) => store.put('key', memorySource(seededBytes(1, LARGE)))],
  ['get', (store) => store.get('key')],
  ['get of a range', (store) => store.get('key', { start: 1, end: 2 })],
  ['head', (store) => store.head('key')],
  ['delete', (store) => store.delete(['key'])],
  ['delete of many', (store) => store.delete(['key', 'other'])],
  ['list', (store) => store.list()[Symbol.asyncIterator]().next() as Promise<unknown>],
];

const ONCE = {
  maxAttempts: 1,
  baseDelayMs: 1,
  throttledBaseDelayMs: 1,
  maxDelayMs: 1,
  maxRetryAfterMs: 1_000,
};

describe.each(OPERATIONS)('%s', (name, operation) => {
  test.each(ANSWERS)('is $kind for $status $code', async (answer) => {
    const { stub, store } = await openStubStore({ retryPolicy: ONCE });
    const { status, code, kind, retryable = false } = answer;
    const headers = { 'Retry-After': '7', 'x-amz-request-id': 'request-7' };
    stub.failures.add({ action: { kind: 'answer', status, code, headers } });
    const failure = await failureOf(operation(store));
    // A bad request without words is asked for once more, with words.
    if (name === 'head' && status === 400) expect(failure).toMatchObject({ retryable });
    else expect(failure).toMatchObject({ kind, retryable });
    expect(String(failure)).toContain(`"${BUCKET}"`);
    if (kind === 'throttled') expect(failure).toMatchObject({ retryAfterMs: 7_000 });
  });
});
