import { Storage } from '@google-cloud/storage';
import {
  assertObjectKey,
  type ByteRange,
  type CallOptions,
  type ListOptions,
  type ObjectHead,
  type ObjectStore,
  type ObjectStoreCapabilities,
  type PartUploadOptions,
  type PluginContext,
  type PutOptions,
  partMemory,
  RemoteStorageError,
  RequestBrake,
  type RetryOptions,
  type SegmentSource,
  toRemoteStorageError,
} from '@logloft/remote-storage';
import { clientAuth } from './auth/client-auth.ts';
import { deleteObjects } from './delete-objects.ts';
import { OPERATIONS } from './gcs-operation.ts';
import {
  assertBucketName,
  type GcsObjectStoreOptions,
  type ResolvedTuning,
  resolveTuning,
} from './gcs-settings.ts';
import { objectPath, query } from './http/gcs-request.ts';
import { GcsTransport } from './http/gcs-transport.ts';
import { listObjects } from './read/list-objects.ts';
import { readObject } from './read/read-object.ts';
import { storedObject } from './stored-object.ts';
import { putObject } from './upload/put-object.ts';

const MIB = 1024 * 1024;
const MAX_KEY_BYTES = 1_024;
const MAX_OBJECT_BYTES = 5 * 1024 ** 4;

/** What a {@link GcsObjectStore} needs of a plugin's context. */
export type GcsObjectStoreContext = Pick<PluginContext, 'clock' | 'logger' | 'random'>;

/**
 * An object store in a bucket of Google Cloud Storage. Credentials and endpoint are those of the SDK's
 * client; requests go over connections of the store's own, so that every call can be aborted, none
 * hangs, and downloads that were cut go on where they were.
 */
export class GcsObjectStore implements ObjectStore {
  readonly capabilities: ObjectStoreCapabilities = Object.freeze({
    name: 'gcs',
    durable: true,
    conditionalPut: true,
    paced: true,
    maxObjectBytes: MAX_OBJECT_BYTES,
    maxKeyBytes: MAX_KEY_BYTES,
    readUnitBytes: 4 * MIB,
  });
  readonly #context: GcsObjectStoreContext;
  readonly #tuning: ResolvedTuning;
  readonly #transport: GcsTransport;
  readonly #memory: PartUploadOptions['memory'];
  readonly #brake = new RequestBrake();

  /** @throws RemoteStorageError `invalid-configuration` */
  constructor(options: GcsObjectStoreOptions, context: GcsObjectStoreContext) {
    assertBucketName(options.bucket);
    this.#tuning = resolveTuning(options);
    this.#context = context;
    const client = options.client ?? new Storage();
    const { clock } = context;
    const { tokenTimeoutMs, uploadMemoryBytes: totalBytes, partBytes } = this.#tuning;
    this.#transport = new GcsTransport({
      endpoint: endpointUrl(client.apiEndpoint),
      bucket: options.bucket,
      auth: options.auth ?? clientAuth(client, { clock, tokenTimeoutMs }),
      clock,
      tuning: this.#tuning,
    });
    this.#memory = partMemory({ clock, totalBytes, partBytes });
  }

  /** Connections that carry a request or an answer now. */
  get connectionsInUse(): number {
    return this.#transport.connectionsInUse;
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    await this.#attempt(OPERATIONS.write.action, [key], options, async () => {
      assertSize(key, source);
      const { partBytes, storageClass } = this.#tuning;
      await putObject(key, source, {
        ...options,
        transport: this.#transport,
        random: this.#context.random,
        retry: this.#retry(OPERATIONS.write.action, key),
        memory: this.#memory,
        brake: this.#brake,
        partBytes,
        storageClass,
      });
    });
  }

  async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    return await this.#attempt(OPERATIONS.read.action, [key], options, async () => {
      const { idleTimeoutMs: idleMs, verifyReads: verify } = this.#tuning;
      const retry = this.#retry(OPERATIONS.read.action, key);
      return await readObject({
        ...options,
        transport: this.#transport,
        key,
        range,
        retry,
        idleMs,
        verify,
      });
    });
  }

  async head(key: string, options: CallOptions = {}): Promise<ObjectHead> {
    return await this.#attempt(OPERATIONS.head.action, [key], options, async () => {
      const target = objectPath(this.#transport.bucket, key) + query({ fields: 'name,size' });
      const request = { operation: OPERATIONS.head, key, method: 'GET', target } as const;
      const { text } = await this.#transport.send(request, options.signal);
      const { size } = storedObject(text);
      if (size !== undefined) return { key, size };
      throw new RemoteStorageError(
        'unavailable',
        `Looking up the object ${JSON.stringify(key)} failed: the store did not tell its size`,
        { key, retryable: false },
      );
    });
  }

  async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    await this.#attempt(OPERATIONS.delete.action, keys, options, async () => {
      await deleteObjects(keys, {
        ...options,
        transport: this.#transport,
        retry: this.#retry(OPERATIONS.delete.action, keys[0]),
        concurrency: this.#tuning.deleteConcurrency,
      });
    });
  }

  async *list(options: ListOptions = {}): AsyncGenerator<ObjectHead, void, void> {
    const { signal } = options;
    const { action } = OPERATIONS.list;
    signal?.throwIfAborted();
    const transport = this.#transport;
    transport.assertOpen();
    try {
      yield* listObjects({ ...options, transport, retry: this.#retry(action, options.prefix) });
    } catch (error) {
      if (signal?.aborted && error === signal.reason) throw error;
      throw toRemoteStorageError(error, { action });
    }
  }

  /** Tokens are signed with this machine's time, and refused when that is more than minutes off. */
  async serverTime(options: CallOptions = {}): Promise<number> {
    return await this.#attempt(OPERATIONS.bucket.action, [], options, () =>
      this.#transport.serverTime(options.signal),
    );
  }

  /** Ends all calls under way, and refuses further ones. The client is left alone. */
  async close(): Promise<void> {
    this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #retry(action: string, key: string | undefined): Omit<RetryOptions, 'signal'> {
    const { clock, random, logger } = this.#context;
    return {
      clock,
      random,
      policy: this.#tuning.retryPolicy,
      onRetry: (error, attempt, delayMs) =>
        logger.debug(`${action}: a request failed, trying again`, { key, attempt, delayMs, error }),
    };
  }

  async #attempt<T>(
    action: string,
    keys: readonly string[],
    { signal }: CallOptions,
    operation: () => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    this.#transport.assertOpen();
    for (const key of keys) assertKey(key);
    try {
      return await operation();
    } catch (error) {
      if (signal?.aborted && error === signal.reason) throw error;
      throw toRemoteStorageError(error, { action, key: keys[0] });
    }
  }
}

function assertKey(key: string): void {
  assertObjectKey(key, MAX_KEY_BYTES);
  if (!key.startsWith('.well-known/acme-challenge/')) return;
  throw new RemoteStorageError(
    'invalid-configuration',
    `Object key ${JSON.stringify(key.slice(0, 200))} begins with .well-known/acme-challenge/, which Google Cloud Storage refuses`,
    { key },
  );
}

function assertSize(key: string, { size, sizeIsBound = false }: SegmentSource): void {
  if (!(Number.isSafeInteger(size) && size >= 0)) {
    throw new RemoteStorageError('corrupt', `A source cannot have ${size} bytes`, { key });
  }
  if (size <= MAX_OBJECT_BYTES || sizeIsBound) return;
  throw new RemoteStorageError(
    'invalid-configuration',
    `The object ${JSON.stringify(key)} would have ${size} bytes, at most ${MAX_OBJECT_BYTES} are allowed`,
    { key },
  );
}

function endpointUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new RemoteStorageError(
    'invalid-configuration',
    `The client's endpoint must be an address such as https://storage.googleapis.com, got ${JSON.stringify(text)}`,
  );
}
