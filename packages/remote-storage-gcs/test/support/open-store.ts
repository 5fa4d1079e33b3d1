import { Storage } from '@google-cloud/storage';
import { type Clock, systemClock } from '@logloft/clock';
import type { ByteRange, ObjectStore, RetryPolicy } from '@logloft/remote-storage';
import { contextWith, seededBytes } from '@logloft/remote-storage-testkit';
import { type GcsStub, type GcsStubOptions, startGcsStub } from '@logloft/stub-servers/gcs';
import { GcsObjectStore, type GcsObjectStoreOptions } from '../../src/index.ts';

/** The bucket of all stubs of {@link openStub}. */
export const BUCKET = 'loft-bucket';

/** Bytes of a part in tests: the smallest that the store allows. */
export const PART_BYTES: number = 256 * 1024;

/** Tries as often as the default, and hardly waits. */
export const FAST_RETRIES: RetryPolicy = {
  maxAttempts: 3,
  baseDelayMs: 1,
  throttledBaseDelayMs: 1,
  maxDelayMs: 1,
  maxRetryAfterMs: 30_000,
};

/** Fails at the first failure. */
export const NO_RETRIES: RetryPolicy = { ...FAST_RETRIES, maxAttempts: 1 };

/** A stub and a store on it, closed together. */
export interface StubAndStore extends AsyncDisposable {
  readonly stub: GcsStub;
  readonly store: GcsObjectStore;
}

/** Opens a store on a stub of its own, with parts of {@link PART_BYTES}. */
export async function openStub(
  options: Partial<GcsObjectStoreOptions> = {},
  clock: Clock = systemClock,
  stubOptions: GcsStubOptions = {},
): Promise<StubAndStore> {
  const stub = await startGcsStub({ buckets: [BUCKET], ...stubOptions });
  const store = openStore(stub.url, options, clock);
  return {
    stub,
    store,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await stub.close();
    },
  };
}

/** Opens a store at an address. */
export function openStore(
  url: string,
  options: Partial<GcsObjectStoreOptions> = {},
  clock: Clock = systemClock,
): GcsObjectStore {
  const client = new Storage({ apiEndpoint: url, useAuthWithCustomEndpoint: false });
  return new GcsObjectStore(
    { bucket: BUCKET, client, partBytes: PART_BYTES, retryPolicy: FAST_RETRIES, ...options },
    contextWith(clock, 1),
  );
}

/** Bytes by a seed, as a Buffer. */
export function bytesOf(seed: number, size: number): Buffer {
  return Buffer.from(seededBytes(seed, size));
}

/** What is stored under a key, as the stub has it. */
export function storedBytes(stub: GcsStub, key: string): Buffer | undefined {
  return stub
    .objects(BUCKET)
    .find((object) => object.key === key)
    ?.bytes();
}

/** Reads an object or a range of it whole. */
export async function readAll(store: ObjectStore, key: string, range?: ByteRange): Promise<Buffer> {
  const kept: Uint8Array[] = [];
  for await (const piece of await store.get(key, range)) kept.push(Uint8Array.from(piece));
  return Buffer.concat(kept);
}
