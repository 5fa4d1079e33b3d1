import { inspect } from 'node:util';
import { memorySource, type RemoteStorageErrorKind } from '@logloft/remote-storage';
import { type ProxyFault, seededBytes } from '@logloft/remote-storage-testkit';
import { describe, expect, test } from 'vitest';
import type { AzureObjectStore } from '../src/index.ts';
import { ACCOUNT, ACCOUNT_KEY } from './support/azurite.ts';
import { openStore } from './support/containers.ts';
import { faultyAzurite } from './support/faulty-azurite.ts';
import { failureOf } from './support/waiting.ts';

const openFaulty = faultyAzurite();

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly kind: RemoteStorageErrorKind;
  readonly retryable?: boolean;
  /** What the message must tell. */
  readonly says?: RegExp;
}

const ANSWERS: readonly Answer[] = [
  { status: 404, code: 'BlobNotFound', kind: 'not-found' },
  { status: 404, kind: 'not-found' },
  {
    status: 404,
    code: 'ContainerNotFound',
    kind: 'container-missing',
    says: /create it.*azure\.container\.name/,
  },
  { status: 409, code: 'ContainerBeingDeleted', kind: 'container-missing' },
  { status: 401, code: 'InvalidAuthenticationInfo', kind: 'denied', says: /azure\.account\.key/ },
  { status: 401, kind: 'denied' },
  { status: 403, code: 'AuthenticationFailed', kind: 'denied', says: /azure\.account\.key/ },
  { status: 403, code: 'AuthorizationFailure', kind: 'denied', says: /network rules/ },
  {
    status: 403,
    code: 'AuthorizationPermissionMismatch',
    kind: 'denied',
    says: /Storage Blob Data Contributor/,
  },
  { status: 403, code: 'KeyBasedAuthenticationNotPermitted', kind: 'denied', says: /login/ },
  { status: 403, kind: 'denied' },
  {
    status: 409,
    code: 'BlobArchived',
    kind: 'unavailable',
    retryable: false,
    says: /archive tier.*rehydrate/,
  },
  { status: 409, code: 'BlobImmutableDueToPolicy', kind: 'denied', says: /immutability policy/ },
  { status: 412, code: 'LeaseIdMissing', kind: 'precondition', says: /lease/ },
  { status: 412, kind: 'precondition' },
  { status: 416, code: 'InvalidRange', kind: 'bad-range' },
  { status: 429, kind: 'throttled', retryable: true },
  { status: 503, code: 'ServerBusy', kind: 'throttled', retryable: true },
  { status: 500, code: 'OperationTimedOut', kind: 'unavailable', retryable: true },
  { status: 500, kind: 'unavailable', retryable: true },
  { status: 502, kind: 'unavailable', retryable: true },
  { status: 408, kind: 'timeout', retryable: true },
  {
    status: 400,
    code: 'SomethingNew',
    kind: 'unavailable',
    retryable: false,
    says: /400 SomethingNew/,
  },
  { status: 400, code: 'InvalidBlobOrBlock', kind: 'precondition', says: /week/ },
  {
    status: 413,
    code: 'RequestBodyTooLarge',
    kind: 'invalid-configuration',
    says: /azure\.upload\.block\.size/,
  },
];

function faultOf(
  { status, code }: Answer,
  more: Readonly<Record<string, string>> = {},
): ProxyFault {
  const headers = { 'x-ms-request-id': 'request-7', 'content-type': 'application/xml', ...more };
  if (code === undefined) return { type: 'status', status, headers };
  return {
    type: 'status',
    status,
    headers: { ...headers, 'x-ms-error-code': code },
    body: `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>Said by the service.\nRequestId:request-7\nTime:2026-01-01T00:00:00Z</Message></Error>`,
  };
}

const CALLS: readonly (readonly [string, (store: AzureObjectStore) => Promise<unknown>])[] = [
  ['head', (store) => store.head('some/object')],
  ['get', (store) => store.get('some/object', { start: 1, end: 2 })],
  ['put', (store) => store.put('some/object', memorySource(seededBytes(1, 100)))],
  ['delete', (store) => store.delete(['some/object'])],
];

describe.each(CALLS)('%s', (name, call) => {
  test.each(ANSWERS)('$status $code is $kind', async (answer) => {
    const { store, breakWith, container } = await openFaulty();
    breakWith({ fault: faultOf(answer) });
    // What is not there counts as deleted.
    if (name === 'delete' && answer.kind === 'not-found') {
      await call(store);
      return;
    }
    const { kind, retryable = false, says = /./ } = answer;
    const failure = await failureOf(call(store));
    expect(failure).toMatchObject({ kind, retryable, key: 'some/object' });
    expect(failure.message).toMatch(says);
    for (const part of [
      container.containerName,
      '"some/object"',
      String(answer.status),
      'request-7',
    ]) {
      expect(failure.message).toContain(part);
    }
  });
});

describe('what an answer tells besides', () => {
  test('Retry-After is told on', async () => {
    const { store, breakWith } = await openFaulty();
    breakWith({ fault: { type: 'status', status: 503, retryAfterSeconds: 17 } });
    expect(await failureOf(store.head('object'))).toMatchObject({ retryAfterMs: 17_000 });
  });

  test.each([
    { offMs: 3_600_000, says: /clock of this machine is 60 minutes behind/ },
    { offMs: -1_800_000, says: /clock of this machine is 30 minutes ahead of/ },
  ])('a clock that is off is named as such ($offMs ms)', async ({ offMs, says }) => {
    const { store, breakWith } = await openFaulty();
    const date = new Date(Date.now() + offMs).toUTCString();
    const answer = { status: 403, code: 'AuthenticationFailed', kind: 'denied' } as const;
    breakWith({ fault: faultOf(answer, { date }) });
    for (const [, call] of CALLS) {
      const failure = await failureOf(call(store));
      expect(failure).toMatchObject({ kind: 'denied' });
      expect(failure.message).toMatch(says);
    }
  });

  test('the time of the service is that of any answer, a refusal too', async () => {
    const { store, breakWith } = await openFaulty();
    expect(Math.abs((await store.serverTime()) - Date.now())).toBeLessThan(600_000);
    const date = new Date(1_700_000_000_000).toUTCString();
    const answer = { status: 403, code: 'AuthenticationFailed', kind: 'denied' } as const;
    breakWith({ fault: faultOf(answer, { date }) });
    expect(await store.serverTime()).toBe(1_700_000_000_000);
  });

  test('a SAS token that has expired is named as such', async () => {
    const { store, breakWith } = await openFaulty();
    breakWith({
      fault: {
        type: 'status',
        status: 403,
        headers: { 'x-ms-error-code': 'AuthenticationFailed', 'content-type': 'application/xml' },
        body: '<?xml version="1.0"?><Error><Code>AuthenticationFailed</Code><Message>Server failed to authenticate the request.</Message><AuthenticationErrorDetail>Signature not valid in the specified time frame: Start [a] - Expiry [b] - Current [c]</AuthenticationErrorDetail></Error>',
      },
    });
    const failure = await failureOf(store.get('object'));
    expect(failure).toMatchObject({ kind: 'denied' });
    expect(failure.message).toMatch(/has expired: renew azure\.sas\.token/);
  });
});

describe('the server itself', () => {
  test('a wrong key is denied', async () => {
    const { container, proxy } = await openFaulty();
    const store = await openStore({
      endpoint: `${proxy.url}/${ACCOUNT}`,
      container: container.containerName,
      accountKey: Buffer.alloc(64, 1).toString('base64'),
    });
    for (const [, call] of CALLS)
      expect(await failureOf(call(store))).toMatchObject({ kind: 'denied' });
    expect(await failureOf(store.delete(['a', 'b']))).toMatchObject({ kind: 'denied' });
    const listing = store.list()[Symbol.asyncIterator]().next();
    expect(await failureOf(listing)).toMatchObject({ kind: 'denied' });
    await store.close();
  });

  test('a container that is missing is told from an object that is', async () => {
    const { store, container } = await openFaulty();
    expect(await failureOf(store.get('object'))).toMatchObject({ kind: 'not-found' });
    await store.delete(['object']);
    await store.delete(['object', 'other']);
    await container.delete();
    for (const [, call] of CALLS) {
      expect(await failureOf(call(store))).toMatchObject({ kind: 'container-missing' });
    }
    const several = failureOf(store.delete(['object', 'other']));
    expect(await several).toMatchObject({ kind: 'container-missing' });
    const listing = store.list()[Symbol.asyncIterator]().next();
    expect(await failureOf(listing)).toMatchObject({ kind: 'container-missing' });
    await container.create();
  });

  test('an object that somebody leased can be neither written nor deleted', async () => {
    const { store, container } = await openFaulty();
    await container.getBlockBlobClient('object').upload('leased', 6);
    const lease = container.getBlobClient('object').getBlobLeaseClient();
    await lease.acquireLease(-1);
    const writing = store.put('object', memorySource(seededBytes(1, 100)));
    expect(await failureOf(writing)).toMatchObject({ kind: 'precondition', retryable: false });
    expect(await failureOf(store.delete(['object']))).toMatchObject({ kind: 'precondition' });
    await lease.releaseLease();
  });

  test('an object in the archive tier cannot be read, and the failure says what to do', async () => {
    const { store, container } = await openFaulty();
    const blob = container.getBlockBlobClient('object');
    await blob.upload('archived', 8);
    await blob.setAccessTier('Archive');
    const failure = await failureOf(store.get('object'));
    expect(failure).toMatchObject({ kind: 'unavailable', retryable: false, key: 'object' });
    expect(failure.message).toContain('rehydrate');
    await store.delete(['object']);
  });

  test('nobody who listens is unavailable, and says so', async () => {
    const endpoint = `http://127.0.0.1:1/${ACCOUNT}`;
    const store = await openStore({ endpoint, container: 'container' });
    const failure = await failureOf(store.head('object'));
    expect(failure).toMatchObject({ kind: 'unavailable', retryable: true });
    expect(failure.message).toMatch(/ECONNREFUSED.*azure\.endpoint\.url/);
    await store.close();
  });
});

test('neither message nor details of an error give a secret away', async () => {
  const { proxy, container } = await openFaulty();
  const place = { endpoint: `${proxy.url}/${ACCOUNT}`, container: container.containerName };
  const signature = 'c2VjcmV0c2lnbmF0dXJl';
  const stores = [
    await openStore({ ...place }),
    await openStore({
      ...place,
      accountKey: undefined,
      sasToken: `?sv=2026-01-01&se=2020-01-01&sr=c&sp=r&sig=${signature}`,
    }),
  ];
  await container.getBlockBlobClient('object').upload('leased', 6);
  const lease = container.getBlobClient('object').getBlobLeaseClient();
  await lease.acquireLease(-1);
  for (const store of stores) {
    const failure = await failureOf(store.delete(['object']));
    const told = inspect(failure, { depth: 20, showHidden: false }) + failure.stack;
    for (const secret of [ACCOUNT_KEY, signature, 'SharedKey ']) expect(told).not.toContain(secret);
    await store.close();
  }
  await lease.releaseLease();
});
