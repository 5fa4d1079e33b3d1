import type { S3Client } from '@aws-sdk/client-s3';
import {
  assertObjectKey,
  type ByteRange,
  type CallOptions,
  type ListOptions,
  type ObjectHead,
  type ObjectStore,
  type ObjectStoreCapabilities,
  type PutOptions,
  partMemory,
  RemoteStorageError,
  type RemoveUnfinishedOptions,
  RequestBrake,
  type SegmentSource,
  Watchdog,
  withDeadline,
} from '@logloft/remote-storage';
import { deleteObjects } from './delete-objects.ts';
import { toS3Error } from './errors/s3-error.ts';
import { listObjects } from './list-objects.ts';
import type { BodyPieces } from './read/body-pieces.ts';
import { headObject, type RequestContext } from './read/head-object.ts';
import { readObject, stopReads } from './read/object-reader.ts';
import { S3Calls } from './s3-calls.ts';
import { createClient } from './s3-client.ts';
import {
  MAX_PARTS,
  type ResolvedS3Settings,
  resolveSettings,
  type S3ObjectStoreContext,
  type S3ObjectStoreOptions,
} from './s3-settings.ts';
import { serverTime } from './server-time.ts';
import { removeUnfinishedUploads } from './unfinished-uploads.ts';
import { ObjectWriter, type WriterContext } from './upload/object-writer.ts';
import { UnsettledWrites } from './upload/unsettled-writes.ts';

const MAX_KEY_BYTES = 1_024;
const MAX_OBJECT_BYTES = 5 * 1024 ** 4;
const READ_UNIT_BYTES = 4 * 1024 * 1024;
// What a store that is being closed gives its clean-ups.
const CLOSE_MS = 5_000;

/**
 * An object store in a bucket of Amazon S3, or of a store that speaks its protocol. Small objects are one
 * request, large ones go in parts from memory that all uploads share; either is seen when it is whole.
 */
export class S3ObjectStore implements ObjectStore {
  readonly capabilities: ObjectStoreCapabilities;
  readonly #client: S3Client;
  readonly #ownsClient: boolean;
  readonly #settings: ResolvedS3Settings;
  readonly #calls: S3Calls;
  readonly #context: S3ObjectStoreContext;
  readonly #writer: WriterContext;
  readonly #reads = new Set<BodyPieces>();
  readonly #cleanUps = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  /**
   * Opens nothing: the first request connects.
   *
   * @throws RemoteStorageError `invalid-configuration` for settings that cannot be
   */
  constructor(options: S3ObjectStoreOptions, context: S3ObjectStoreContext) {
    const settings = resolveSettings(options);
    const { clock } = context;
    const { uploadMemoryBytes: totalBytes, partBytes } = settings;
    const memory = partMemory({ clock, totalBytes, partBytes });
    this.#settings = settings;
    this.#context = context;
    this.#ownsClient = options.client === undefined;
    this.#client = options.client ?? createClient(options.connection ?? {}, settings, clock);
    this.#calls = new S3Calls(this.#client, settings, {
      ...context,
      closing: this.#closing.signal,
    });
    this.#writer = {
      ...context,
      client: this.#client,
      calls: this.#calls,
      settings,
      memory,
      brake: new RequestBrake({ maxInFlight: settings.maxConnections }),
      unsettled: new UnsettledWrites(),
      cleaning: (work) => this.#keepOpenFor(work),
    };
    this.capabilities = Object.freeze({
      name: 's3',
      durable: true,
      conditionalPut: settings.conditionalWrites,
      paced: true,
      maxObjectBytes: Math.min(MAX_OBJECT_BYTES, totalBytes * MAX_PARTS),
      maxKeyBytes: MAX_KEY_BYTES,
      readUnitBytes: READ_UNIT_BYTES,
    });
  }

  /** The bucket that the objects are in. */
  get bucket(): string {
    return this.#settings.bucket;
  }

  /** @throws RemoteStorageError `invalid-configuration` when no region is known; found by the SDK's rules */
  async assertRegion(): Promise<void> {
    const { bucket } = this;
    const facts = { action: 'Opening the store', permission: 's3:ListBucket' };
    await this.#client.config.region().catch((error: unknown) => {
      throw toS3Error(error, facts, { bucket, nowMs: this.#now() });
    });
  }

  async put(key: string, source: SegmentSource, options: PutOptions = {}): Promise<void> {
    this.#assertUsable(options, [key]);
    const action = 'Writing the object';
    const { clock } = this.#context;
    const signals = [options.signal, this.#closing.signal];
    const watchdog = new Watchdog({ clock, action, key, signals });
    try {
      const { signal } = watchdog;
      await new ObjectWriter(this.#writer, key, { ...options, signal }).write(source);
    } finally {
      watchdog.close();
    }
  }

  async get(
    key: string,
    range?: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    this.#assertUsable(options, [key]);
    const context = { ...this.#requests, open: this.#reads, now: this.#now };
    return await readObject(context, key, range, options);
  }

  async head(key: string, options: CallOptions = {}): Promise<ObjectHead> {
    this.#assertUsable(options, [key]);
    const { size } = await headObject(this.#requests, key, options.signal);
    return { key, size };
  }

  async delete(keys: readonly string[], options: CallOptions = {}): Promise<void> {
    this.#assertUsable(options, keys);
    await deleteObjects({ ...this.#requests, now: this.#now }, keys, options);
  }

  async *list(options: ListOptions = {}): AsyncGenerator<ObjectHead, void, void> {
    this.#assertUsable(options, []);
    yield* listObjects(this.#requests, options);
  }

  /**
   * Makes the store forget uploads of parts that were never completed, by whatever writer, below a prefix.
   *
   * @returns how many
   */
  async removeUnfinished(options: RemoveUnfinishedOptions): Promise<number> {
    this.#assertUsable(options, []);
    return await removeUnfinishedUploads({ ...this.#requests, now: this.#now }, options);
  }

  /** Wall-clock ms at the store, to the second. */
  async serverTime(options: CallOptions = {}): Promise<number> {
    this.#assertUsable(options, []);
    return await serverTime(this.#requests, options);
  }

  /** Ends everything that is under way, and closes the connections; those of a given client stay. */
  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #requests(): RequestContext {
    return { client: this.#client, calls: this.#calls, settings: this.#settings };
  }

  readonly #now = (): number => this.#context.clock.now();

  #assertUsable({ signal }: CallOptions, keys: readonly string[]): void {
    this.#closing.signal.throwIfAborted();
    for (const key of keys) assertObjectKey(key, MAX_KEY_BYTES);
    signal?.throwIfAborted();
  }

  #keepOpenFor(work: Promise<void>): void {
    this.#cleanUps.add(work);
    void work.finally(() => this.#cleanUps.delete(work));
  }

  async #close(): Promise<void> {
    const { clock } = this.#context;
    const reason = new RemoteStorageError(
      'aborted',
      `The store in bucket "${this.bucket}" is closed; open it anew`,
    );
    this.#closing.abort(reason);
    stopReads(this.#reads, reason);
    const work = (): Promise<unknown> => Promise.allSettled(this.#cleanUps);
    await withDeadline({ clock, ms: CLOSE_MS, action: 'Closing the store' }, work).catch(
      () => undefined,
    );
    if (this.#ownsClient) this.#client.destroy();
  }
}
