import type { BlobServiceClient } from '@azure/storage-blob';
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
  type SegmentSource,
  Watchdog,
} from '@logloft/remote-storage';
import { type AzureAccount, openAccount } from './azure-account.ts';
import {
  type AzureTuning,
  assertContainerName,
  MAX_BLOCK_BYTES,
  MAX_BLOCKS,
  resolveTuning,
} from './azure-settings.ts';
import { BlobRequests } from './blob-requests.ts';
import type { BlobTransport } from './blob-transport.ts';
import { checkedSize } from './checked-size.ts';
import { BlobDeletion } from './delete-blobs.ts';
import { listBlobs } from './list-blobs.ts';
import { readBlob } from './read-blob.ts';
import { serviceTime } from './service-time.ts';
import { assertObjectSize, writeBlob } from './write-blob.ts';

// The service counts letters, and no letter takes less than a byte.
const MAX_KEY_BYTES = 1024;
const MAX_KEY_PARTS = 254;

const READ_UNIT_BYTES = 4 * 1024 * 1024;

/** Settings of an {@link AzureObjectStore} that opens its own client. */
export interface AzureObjectStoreSettings extends AzureTuning, AzureAccount {
  /** Name of the container, which must exist. */
  readonly container: string;
}

/** Settings of an {@link AzureObjectStore} over a client that is there already. */
export interface AzureObjectStoreOptions extends AzureTuning {
  /**
   * Stays its owner's. Give it `retryOptions: { maxTries: 1 }`: the store retries by itself, and honours
   * what the service asks for.
   */
  readonly client: BlobServiceClient;
  /** Name of the container, which must exist. */
  readonly container: string;
}

/** What an {@link AzureObjectStore} needs of a plugin's context. */
export type AzureObjectStoreContext = Pick<PluginContext, 'clock' | 'logger' | 'random'>;

/**
 * Objects as block blobs in a container of Azure Blob Storage. An object is published by one request;
 * blocks that a broken upload leaves behind are invisible, and vanish after a week by themselves.
 */
export class AzureObjectStore implements ObjectStore {
  readonly capabilities: ObjectStoreCapabilities;
  readonly #requests: BlobRequests;
  readonly #memory: PartUploadOptions['memory'];
  readonly #brake = new RequestBrake();
  readonly #deletion: BlobDeletion;
  readonly #transport: BlobTransport | undefined;
  readonly #closing = new AbortController();

  /**
   * @param transport the client's transport, where it belongs to the store; {@link AzureObjectStore.open}
   *   passes its own
   * @throws RemoteStorageError `invalid-configuration` for a value out of its range
   */
  constructor(
    options: AzureObjectStoreOptions,
    context: AzureObjectStoreContext,
    transport?: BlobTransport,
  ) {
    assertContainerName(options.container);
    const { clock, random, logger } = context;
    const tuning = resolveTuning(options);
    const { blockBytes, uploadMemoryBytes } = tuning;
    this.#transport = transport;
    this.#memory = partMemory({ clock, totalBytes: uploadMemoryBytes, partBytes: blockBytes });
    this.#requests = new BlobRequests({
      clock,
      random,
      logger,
      tuning,
      transport,
      container: options.client.getContainerClient(options.container),
      closing: this.#closing.signal,
    });
    this.#deletion = new BlobDeletion(this.#requests);
    this.capabilities = Object.freeze({
      name: 'azure',
      durable: true,
      conditionalPut: true,
      paced: true,
      maxObjectBytes: MAX_BLOCKS * Math.min(uploadMemoryBytes, MAX_BLOCK_BYTES),
      maxKeyBytes: MAX_KEY_BYTES,
      readUnitBytes: READ_UNIT_BYTES,
    });
  }

  /**
   * Opens a client of the store's own. No request is made.
   *
   * @throws RemoteStorageError `invalid-configuration` for settings that cannot be
   */
  static async open(
    settings: AzureObjectStoreSettings,
    context: AzureObjectStoreContext,
  ): Promise<AzureObjectStore> {
    assertContainerName(settings.container);
    resolveTuning(settings);
    const { client, transport } = await openAccount(settings, context);
    return new AzureObjectStore({ ...settings, client }, context, transport);
  }

  /** Connections of the store that are open now; 0 where the client is not its own. */
  get openConnections(): number {
    return this.#transport?.openConnections ?? 0;
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    this.#check(options.signal, key);
    assertObjectSize(key, source.size, this.capabilities.maxObjectBytes);
    const what = {
      key,
      requests: this.#requests,
      memory: this.#memory,
      brake: this.#brake,
    };
    const { clock } = this.#requests;
    const signals = [options.signal, this.#closing.signal];
    const open = new Watchdog({ clock, action: 'Writing the object', key, signals });
    try {
      await writeBlob(what, source, { ...options, signal: open.signal });
    } finally {
      open.close();
    }
  }

  async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    this.#check(options.signal, key);
    return await readBlob({ key, requests: this.#requests }, range, options);
  }

  async head(key: string, { signal }: CallOptions = {}): Promise<ObjectHead> {
    this.#check(signal, key);
    const blob = this.#requests.container.getBlobClient(key);
    const call = { action: 'Looking up the object', key, signal };
    const { contentLength } = await this.#requests.run(call, (abortSignal) =>
      blob.getProperties({ abortSignal }),
    );
    return { key, size: checkedSize(contentLength, key) };
  }

  async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    this.#check(options.signal, ...keys);
    await this.#deletion.run(keys, options);
  }

  async *list(options: ListOptions = {}): AsyncGenerator<ObjectHead, void, void> {
    this.#check(options.signal);
    yield* listBlobs(this.#requests, options);
  }

  /** By the `Date` of an answer, whatever that says besides. */
  async serverTime({ signal }: CallOptions = {}): Promise<number> {
    this.#check(signal);
    return await serviceTime(this.#requests, signal);
  }

  /** Ends all that is under way, and the client where it is the store's own. */
  async close(): Promise<void> {
    this.#closing.abort(closed());
    this.#transport?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #check(signal: AbortSignal | undefined, ...keys: readonly string[]): void {
    signal?.throwIfAborted();
    if (this.#closing.signal.aborted) throw closed();
    for (const key of keys) assertKey(key);
  }
}

function closed(): RemoteStorageError {
  return new RemoteStorageError('aborted', 'The Azure store is closed; open a new one');
}

// The SDK takes `.` and `..` for steps of a path, and a backslash for a slash: such keys would reach the
// service as others. Refused as everywhere, they never do.
function assertKey(key: string): void {
  assertObjectKey(key, MAX_KEY_BYTES);
  if (key.split('/').length <= MAX_KEY_PARTS) return;
  throw new RemoteStorageError(
    'invalid-configuration',
    `Object key ${JSON.stringify(key.slice(0, 200))} has more than ${MAX_KEY_PARTS} parts`,
    { key },
  );
}
