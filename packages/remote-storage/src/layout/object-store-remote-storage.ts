import { type ByteRange, clipByteRange } from '../byte-range.ts';
import { ManifestCache } from '../cache/manifest-cache.ts';
import type { CallOptions } from '../call-options.ts';
import type { RemoteStorageCapabilities } from '../capabilities.ts';
import { collectBytes } from '../collect-bytes.ts';
import {
  isNotFound,
  isRemoteStorageError,
  RemoteResourceNotFoundError,
  RemoteStorageError,
} from '../errors.ts';
import { GuardedObjectStore, type GuardedObjectStoreContext } from '../guarded-object-store.ts';
import type { IndexType, LogSegmentData } from '../log-segment-data.ts';
import { assertObjectKey } from '../object-key.ts';
import type { ObjectStore } from '../object-store.ts';
import type { CacheStats } from '../read/cache-stats.ts';
import { SegmentReads } from '../read/segment-reads.ts';
import type { RemoteStorageManager } from '../remote-storage-manager.ts';
import { DEFAULT_RETRY_POLICY } from '../retry.ts';
import type { CustomMetadata, RemoteLogSegmentMetadata } from '../segment-metadata.ts';
import { KeyRing } from '../transform/key-ring.ts';
import { CIPHER_ADDED_BYTES } from '../transform/segment-cipher.ts';
import { SegmentDecoders } from '../transform/segment-decoders.ts';
import { assertConsistent } from './assert-consistent.ts';
import { assertLayoutOptions } from './assert-layout-options.ts';
import type { ChunkPlace } from './chunk-places.ts';
import { decodeCustomMetadata } from './custom-metadata.ts';
import { decodeManifest } from './decode-manifest.ts';
import type { EncryptionOptions } from './encryption-options.ts';
import { indexesBytes, placeOf } from './index-places.ts';
import type { LayoutOptions } from './layout-options.ts';
import { openExactly } from './log-stream.ts';
import { MAX_MANIFEST_BYTES, type SegmentManifest } from './manifest.ts';
import { PrefixMask } from './prefix-mask.ts';
import { type RewrapOptions, type RewrapReport, rewrapDataKeys } from './rewrap-data-keys.ts';
import { DEFAULT_CHUNK_BYTES, SegmentCopier } from './segment-copier.ts';
import { parseSegmentKey, type SegmentKeys, segmentKeys, segmentMainPath } from './segment-key.ts';
import { type ListedSegment, listSegments } from './segment-listing.ts';
import { SegmentRemover } from './segment-remover.ts';
import { MAX_SEGMENT_OBJECT_BYTES } from './segment-writer.ts';

/**
 * The default layout on top of any object store: three objects a segment, named and written as by
 * Aiven's plugin for Apache Kafka (V1 manifest), so that either reads what the other wrote.
 *
 * The manifest is written last and deleted first: a segment exists when its manifest does, and nothing
 * half-written or half-deleted is ever seen. Deadlines, retries and caching are added here, whatever
 * the store does.
 */
export class ObjectStoreRemoteStorage implements RemoteStorageManager {
  readonly capabilities: RemoteStorageCapabilities;
  readonly #store: GuardedObjectStore;
  readonly #context: GuardedObjectStoreContext;
  readonly #manifests: ManifestCache;
  readonly #reads: SegmentReads;
  readonly #keyRing: KeyRing;
  readonly #decoders: SegmentDecoders;
  readonly #remover: SegmentRemover;
  readonly #copier: SegmentCopier;
  readonly #mask: PrefixMask;
  readonly #prefix: string;

  /**
   * @param store belongs to this from now on, and is disposed of with it
   * @throws RemoteStorageError `invalid-configuration` when the prefix cannot begin a key, or the cache
   *   could not hold a chunk
   */
  constructor(store: ObjectStore, options: LayoutOptions, context: GuardedObjectStoreContext) {
    assertLayoutOptions(options);
    const { name, durable, paced, maxKeyBytes } = store.capabilities;
    this.#prefix = options.keyPrefix ?? '';
    if (this.#prefix !== '') assertObjectKey(`${this.#prefix}x`, maxKeyBytes);
    const maxSegmentBytes = largestSegment(options, store.capabilities.maxObjectBytes);
    this.capabilities = Object.freeze({ name, durable, paced, maxSegmentBytes });
    this.#mask = new PrefixMask({ isOn: options.keyPrefixMask ?? false, prefix: this.#prefix });
    this.#context = { ...context, logger: this.#mask.logger(context.logger) };
    this.#keyRing = keyRingOf(options.encryption);
    this.#decoders = new SegmentDecoders(this.#keyRing, context.clock);
    const { requestTimeoutMs, idleTimeoutMs, maxAttempts, cache = {} } = options;
    this.#store = new GuardedObjectStore(store, this.#context, {
      requestTimeoutMs,
      idleTimeoutMs,
      retryPolicy: {
        ...DEFAULT_RETRY_POLICY,
        maxAttempts: maxAttempts ?? DEFAULT_RETRY_POLICY.maxAttempts,
      },
    });
    this.#manifests = new ManifestCache({
      clock: context.clock,
      maxEntries: options.manifestCacheEntries ?? 1_000,
      retentionMs: options.manifestCacheRetentionMs ?? 3_600_000,
      timeoutMs: cache.manifestTimeoutMs ?? 10_000,
      load: (key) => this.#loadManifest(key),
    });
    this.#remover = new SegmentRemover({
      store: this.#store,
      forget: (keys) => this.#forget(keys),
    });
    this.#copier = new SegmentCopier(options, {
      store: this.#store,
      remover: this.#remover,
      keyRing: this.#keyRing,
      context: this.#context,
    });
    // Last, since a cache on disk looks into its directory from now on.
    this.#reads = new SegmentReads(
      {
        cache,
        readUnitBytes: store.capabilities.readUnitBytes ?? 0,
        chunkBytes: options.chunkBytes ?? DEFAULT_CHUNK_BYTES,
        manifests: () => this.#manifests.stats(),
      },
      this.#context,
    );
  }

  async copyLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
    options: CallOptions = {},
  ): Promise<CustomMetadata | undefined> {
    return await this.#mask.run(() => this.#copier.copy(segment, data, options));
  }

  async fetchLogSegment(
    segment: RemoteLogSegmentMetadata,
    range: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    return await this.#mask.run(async () => {
      const keys = this.#keysOf(segment);
      const read = () => this.#fetchLogSegment(keys, range, options);
      return this.#mask.stream(await this.#forgettingDamage(keys, read));
    });
  }

  async fetchIndex(
    segment: RemoteLogSegmentMetadata,
    type: IndexType,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    return await this.#mask.run(async () => {
      const keys = this.#keysOf(segment);
      return await this.#forgettingDamage(keys, () => this.#fetchIndex(keys, type, options));
    });
  }

  async deleteLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    options: CallOptions = {},
  ): Promise<void> {
    await this.#mask.run(() => this.#remover.remove(this.#keysOf(segment), options.signal));
  }

  /**
   * The segments that a listing of the store shows, in the order of their keys, with what is missing
   * of each. For tools: the catalogue is what counts, and a listing costs requests.
   */
  listSegments(options: CallOptions = {}): AsyncIterable<ListedSegment> {
    return this.#mask.stream(this.#listSegments(options));
  }

  /**
   * Wraps the data keys of all segments in the store anew, with the active key pair, so that the pair
   * they are wrapped with can be retired. Manifests are rewritten, nothing else: one that cannot be is
   * reported, and the others go on. Segments that are copied meanwhile use the active pair anyway.
   *
   * @throws RemoteStorageError `invalid-configuration` when no key pair is active, and whatever ends the
   *   listing of the store
   */
  async rewrapDataKeys(options: RewrapOptions = {}): Promise<RewrapReport> {
    return await this.#mask.run(() =>
      rewrapDataKeys(options, {
        store: this.#store,
        keyRing: this.#keyRing,
        remover: this.#remover,
        segments: this.#listSegments(options),
        keysOf: (segment) => segmentKeys(this.#prefix, segmentMainPath(segment)),
        forget: (key) => this.#manifests.forget(key),
        failed: (error) => this.#mask.error(error),
      }),
    );
  }

  /**
   * Removes uploads under the prefix that nobody finished, since those who began them crashed.
   *
   * @returns how many; 0 for a store that leaves none
   */
  async removeUnfinishedUploads(options: {
    /** Only those begun at least so many ms ago. */
    readonly olderThanMs: number;
    readonly signal?: AbortSignal | undefined;
  }): Promise<number> {
    return await this.#mask.run(() =>
      this.#store.removeUnfinished({ ...options, prefix: this.#prefix }),
    );
  }

  /** What the caches hold, and what reading has cost so far. */
  cacheStats(): CacheStats {
    return this.#reads.stats();
  }

  /** Ends what is under way, and disposes of the store. @throws RemoteStorageError what that fails with */
  async close(): Promise<void> {
    try {
      await this.#mask.run(() => this.#store.close());
    } finally {
      await this.#reads.close();
      await this.#copier.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  // What is kept may have been damaged when it was read, and be sound in the store by now: then the next
  // call is to see it.
  async #forgettingDamage<T>(keys: SegmentKeys, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      const kind = isRemoteStorageError(error) ? error.kind : undefined;
      if (kind === 'corrupt' || kind === 'denied') this.#forget(keys);
      throw error;
    }
  }

  #forget(keys: SegmentKeys): void {
    this.#manifests.forget(keys.manifest);
    this.#reads.forget(keys);
  }

  async #fetchLogSegment(
    keys: SegmentKeys,
    range: ByteRange,
    options: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>> {
    const manifest = await this.#manifests.get(keys.manifest, options.signal);
    const clipped = clipByteRange(range, manifest.chunkIndex.originalBytes);
    const decoder = this.#decoders.of(manifest, keys.manifest);
    const { log: key } = keys;
    if (decoder.isPlain && this.#reads.isDirect(manifest.chunkIndex)) {
      const open = (left: ByteRange): Promise<AsyncIterable<Uint8Array>> =>
        this.#open({ keys, key, range: left }, options);
      return await openExactly({ key, ...clipped }, open, options.signal);
    }
    const log = {
      key,
      places: manifest.chunkIndex,
      open: (left: ByteRange, signal: AbortSignal) =>
        this.#open({ keys, key, range: left }, { signal }),
      decode: (stored: Uint8Array, { storedStart, originalBytes }: ChunkPlace) =>
        decoder.chunk(stored, { key, storedStart, originalBytes }),
    };
    return await this.#reads.logs.read(log, clipped, options);
  }

  async #fetchIndex(keys: SegmentKeys, type: IndexType, options: CallOptions): Promise<Uint8Array> {
    const manifest = await this.#manifests.get(keys.manifest, options.signal);
    const place = placeOf(manifest.segmentIndexes, type);
    if (place === null) {
      throw new RemoteResourceNotFoundError(
        'The segment has no transaction index: no transaction in it was aborted',
        { key: keys.indexes },
      );
    }
    if (place.size === 0) return new Uint8Array(0);
    const { indexes: key } = keys;
    const request = {
      object: key,
      objectBytes: indexesBytes(manifest.segmentIndexes),
      place,
      open: (left: ByteRange, signal: AbortSignal | undefined) =>
        this.#open({ keys, key, range: left }, { signal }),
    };
    const stored = await this.#reads.indexes.read(request, options.signal);
    const decoder = this.#decoders.of(manifest, keys.manifest);
    return await decoder.index(stored, { key: keys.indexes, storedStart: place.position });
  }

  #listSegments(options: {
    readonly signal?: AbortSignal | undefined;
  }): AsyncIterable<ListedSegment> {
    const heads = this.#store.list({ signal: options.signal, prefix: this.#prefix });
    return listSegments(heads, (key) => parseSegmentKey(this.#prefix, key));
  }

  async #loadManifest(key: string): Promise<SegmentManifest> {
    const pieces = await this.#store.get(key).catch((error: unknown) => {
      throw isNotFound(error) ? withoutManifest(key, error) : error;
    });
    const manifest = decodeManifest(await collectBytes(pieces, MAX_MANIFEST_BYTES), key);
    assertConsistent(manifest, key);
    return manifest;
  }

  async #open(
    what: { readonly keys: SegmentKeys; readonly key: string; readonly range: ByteRange },
    options: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>> {
    try {
      return await this.#store.get(what.key, what.range, options);
    } catch (error) {
      const kind = isRemoteStorageError(error) ? error.kind : undefined;
      if (kind !== 'not-found' && kind !== 'bad-range') throw error;
      throw await this.#explain(error, what.keys, what.key, options.signal);
    }
  }

  // The manifest promised these bytes. Either it was cached and the segment has been deleted since, or
  // the segment is damaged.
  async #explain(
    error: unknown,
    keys: SegmentKeys,
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    this.#manifests.forget(keys.manifest);
    try {
      await this.#manifests.get(keys.manifest, signal);
    } catch (failure) {
      return failure;
    }
    return new RemoteStorageError(
      'corrupt',
      `The segment is damaged: its manifest names bytes that the object ${JSON.stringify(key)} does not have`,
      { cause: error, key },
    );
  }

  // What the catalogue kept counts for all three objects, so that segments outlive a change of prefix.
  #keysOf(segment: RemoteLogSegmentMetadata): SegmentKeys {
    const kept =
      segment.customMetadata === undefined || segment.customMetadata.byteLength === 0
        ? {}
        : decodeCustomMetadata(segment.customMetadata);
    const prefix = kept.objectPrefix ?? this.#prefix;
    this.#mask.add(prefix);
    return segmentKeys(prefix, kept.objectKey ?? segmentMainPath(segment));
  }
}

function withoutManifest(key: string, cause: unknown): RemoteResourceNotFoundError {
  return new RemoteResourceNotFoundError(
    `The segment has no manifest ${JSON.stringify(key)}: it was never copied whole, or was deleted. If ` +
      'the catalogue says that it is there, look whether key.prefix has changed, or restore the object',
    { key, cause },
  );
}

function keyRingOf(encryption: EncryptionOptions | undefined): KeyRing {
  const { keyPairs = [], keyPairId, enabled = true } = encryption ?? { enabled: false };
  if (enabled && keyPairId === undefined) {
    throw new RemoteStorageError(
      'invalid-configuration',
      'Segments are to be encrypted, but no key pair is chosen; set encryption.key.pair.id (keyPairId)',
    );
  }
  return new KeyRing({ keyPairs, activeKeyPairId: keyPairId });
}

function largestSegment(options: LayoutOptions, maxObjectBytes: number): number {
  const most = Math.min(maxObjectBytes, MAX_SEGMENT_OBJECT_BYTES);
  if (options.encryption === undefined || options.encryption.enabled === false) return most;
  const { chunkBytes = DEFAULT_CHUNK_BYTES } = options;
  const whole = Math.floor(most / (chunkBytes + CIPHER_ADDED_BYTES));
  const rest = Math.max(0, most - whole * (chunkBytes + CIPHER_ADDED_BYTES) - CIPHER_ADDED_BYTES);
  return whole * chunkBytes + rest;
}
