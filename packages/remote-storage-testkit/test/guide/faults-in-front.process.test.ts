import assert from 'node:assert/strict';
import { systemClock } from '@logloft/clock';
import {
  collectBytes,
  GuardedObjectStore,
  isRemoteStorageError,
  kindOfHttpStatus,
  memorySource,
  type ObjectStore,
  type PutOptions,
  parseRetryAfter,
  RemoteStorageError,
  type SegmentSource,
} from '@logloft/remote-storage';
import { test } from 'vitest';
import { contextWith, ruledProxyFaults, seededBytes, startFaultProxy } from '../../src/index.ts';
import { startTargetServer } from '../proxy/target-server.ts';
import { ReferenceObjectStore } from '../reference-object-store.ts';

/** As much of a store over HTTP as this takes: objects go to a server, too. */
class PuttingStore extends ReferenceObjectStore {
  readonly #url: string;

  constructor(url: string) {
    super();
    this.#url = url;
  }

  override async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    const body = await this.readAll(source, options);
    const response = await fetch(`${this.#url}/${key}`, { method: 'PUT', body }).catch((cause) => {
      throw new RemoteStorageError('unavailable', 'The connection broke', { key, cause });
    });
    await response.arrayBuffer();
    if (!response.ok) {
      const retryAfterMs = parseRetryAfter(
        response.headers.get('retry-after') ?? undefined,
        systemClock.now(),
      );
      throw new RemoteStorageError(
        kindOfHttpStatus(response.status) ?? 'unavailable',
        response.statusText,
        {
          key,
          retryAfterMs,
        },
      );
    }
    this.objects.set(key, body);
  }
}

function openMyStore(url: string): ObjectStore {
  return new GuardedObjectStore(new PuttingStore(url), contextWith(systemClock, 1));
}

test('a store that tries again survives a busy server and a lost answer', async () => {
  const bytes = seededBytes(1, 100_000);
  const server = await startTargetServer();
  const proxy = await startFaultProxy({
    target: server.url,
    faults: ruledProxyFaults([
      { method: 'PUT', times: 1, fault: { type: 'status', status: 503, retryAfterSeconds: 0 } },
      { method: 'PUT', times: 1, fault: { type: 'drop-response' } },
    ]),
  });
  const store = openMyStore(proxy.url);
  try {
    await store.put('object', memorySource(bytes));
    const found = await collectBytes(await store.get('object'), bytes.byteLength);
    assert.deepEqual(Buffer.from(found), Buffer.from(bytes));
    assert.deepEqual(
      proxy.log.map(({ method, status, outcome }) => `${method} ${status} ${outcome}`),
      ['PUT 503 answered', 'PUT undefined cut', 'PUT 201 answered'],
    );
  } finally {
    await store[Symbol.asyncDispose]();
    await proxy.close();
    await server[Symbol.asyncDispose]();
  }
});

test('a store that nothing can help says so', async () => {
  const server = await startTargetServer();
  const faults = ruledProxyFaults([{ fault: { type: 'status', status: 403 } }]);
  const proxy = await startFaultProxy({ target: server.url, faults });
  const store = openMyStore(proxy.url);
  try {
    const failure: unknown = await store
      .put('object', memorySource(new Uint8Array(5)))
      .catch((reason: unknown) => reason);
    assert.ok(isRemoteStorageError(failure) && failure.kind === 'denied' && !failure.retryable);
    assert.equal(proxy.log.length, 1);
  } finally {
    await store[Symbol.asyncDispose]();
    await proxy.close();
    await server[Symbol.asyncDispose]();
  }
});
