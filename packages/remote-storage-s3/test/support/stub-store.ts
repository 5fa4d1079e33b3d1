import { type Clock, systemClock } from '@logloft/clock';
import { contextWith, type LoggedLine } from '@logloft/remote-storage-testkit';
import { type S3Stub, type S3StubOptions, startS3Stub } from '@logloft/stub-servers';
import { onTestFinished } from 'vitest';
import { type S3Connection, S3ObjectStore, type S3Tuning } from '../../src/index.ts';
import { type CountingProxy, countingProxy } from './counting-proxy.ts';

/** The bucket of every stub. */
export const BUCKET = 'bucket';
/** Smallest part, and the size of those of a {@link StubStore}. */
export const PART_BYTES = 5 * 1024 * 1024;

/** A store over a stub, both gone when the test is over. */
export interface StubStore {
  readonly stub: S3Stub;
  readonly store: S3ObjectStore;
  readonly lines: readonly LoggedLine[];
  /** There when it was asked for. */
  readonly proxy: CountingProxy | undefined;
}

export interface StubStoreOptions extends S3Tuning {
  readonly clock?: Clock | undefined;
  readonly bucket?: string | undefined;
  readonly stub?: S3StubOptions | undefined;
  readonly connection?: S3Connection | undefined;
  /** Whether a proxy between the two counts the connections. */
  readonly counted?: boolean | undefined;
}

export async function openStubStore(options: StubStoreOptions = {}): Promise<StubStore> {
  const {
    clock = systemClock,
    bucket = BUCKET,
    stub: stubOptions,
    connection,
    counted = false,
    ...tuning
  } = options;
  const stub = await startS3Stub({ buckets: [BUCKET], ...stubOptions });
  const context = contextWith(clock, 1);
  const { credentials } = stub;
  const proxy = counted ? await countingProxy(stub.url) : undefined;
  const endpoint = proxy?.url ?? stub.url;
  const store = new S3ObjectStore(
    {
      bucket,
      partBytes: PART_BYTES,
      connection: { endpoint, credentials, ...connection },
      retryPolicy: {
        maxAttempts: 3,
        baseDelayMs: 1,
        throttledBaseDelayMs: 2,
        maxDelayMs: 10,
        maxRetryAfterMs: 2_000,
      },
      ...tuning,
    },
    context,
  );
  onTestFinished(async () => {
    await store.close();
    await stub.close();
  });
  return { stub, store, proxy, lines: context.lines };
}

/** What a promise rejects with; a promise that resolves is a failure. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => {
      throw new Error('the call must fail, but succeeded');
    },
    (reason: unknown) => reason,
  );
}
