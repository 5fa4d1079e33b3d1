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
import type { RemoteStorageManager } from '../remote-storage-manager.ts';
import { DEFAULT_RETRY_POLICY } from '../retry.ts';
import type { CustomMetadata, RemoteLogSegmentMetadata } from '../segment-metadata.ts';
import { KeyRing } from '../transform/key-ring.ts';
import type { SegmentDecoder } from '../transform/segment-decoder.ts';
import { SegmentDecoders } from '../transform/segment-decoders.ts';
import { Watchdog } from '../watchdog.ts';
import { assertConsistent } from './assert-consistent.ts';
import type { ChunkPlaces } from './chunk-places.ts';
import {
  type CustomMetadataField,
  type CustomMetadataFields,
  decodeCustomMetadata,
  encodeCustomMetadata,
} from './custom-metadata.ts';
import { decodeManifest } from './decode-manifest.ts';
import type { LayoutOptions } from './layout-options.ts';
import { openExactly } from './log-stream.ts';
import {
  type IndexPlace,
  MAX_MANIFEST_BYTES,
  type SegmentIndexes,
  type SegmentManifest,
} from './manifest.ts';
import { parseSegmentKey, type SegmentKeys, segmentKeys, segmentMainPath } from './segment-key.ts';
import { type ListedSegment, listSegments } from './segment-listing.ts';
import { MAX_SEGMENT_OBJECT_BYTES, writeSegment } from './segment-writer.ts';

// Kafka's default for `remote.log.metadata.custom.metadata.max.bytes`; more makes it delete the copy.
const MAX_CUSTOM_METADATA_BYTES = 128;

const DAY_MS = 86_400_000;

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
  readonly #decoders: SegmentDecoders;
  readonly #prefix: string;
  readonly #chunkBytes: number;
  readonly #fields: readonly CustomMetadataField[];
  readonly #copyTimeoutMs: number;

  /**
   * @param store belongs to this from now on, and is disposed of with it
   * @throws RemoteStorageError `invalid-configuration` when the prefix cannot begin a key
   */
  constructor(store: ObjectStore, options: LayoutOptions, context: GuardedObjectStoreContext) {
    const { name, durable, paced, maxObjectBytes, maxKeyBytes } = store.capabilities;
    this.#prefix = options.keyPrefix ?? '';
    this.#fields = options.customMetadataFields ?? [];
    if (this.#prefix !== '') assertObjectKey(`${this.#prefix}x`, maxKeyBytes);
    this.capabilities = Object.freeze({
      name,
      durable,
      paced,
      maxSegmentBytes: Math.min(maxObjectBytes, MAX_SEGMENT_OBJECT_BYTES),
    });
    this.#context = context;
    const { keyPairs = [], keyPairId, enabled = true } = options.encryption ?? { enabled: false };
    const keyRing = new KeyRing({ keyPairs, activeKeyPairId: enabled ? keyPairId : undefined });
    this.#decoders = new SegmentDecoders({ clock: context.clock, keyRing });
    this.#chunkBytes = options.chunkBytes ?? 4 * 1024 * 1024;
    this.#copyTimeoutMs = options.copyTimeoutMs ?? DAY_MS;
    const { requestTimeoutMs, idleTimeoutMs, maxAttempts } = options;
    this.#store = new GuardedObjectStore(store, context, {
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
      load: (key) => this.#loadManifest(key),
    });
  }

  async copyLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    data: LogSegmentData,
    options: CallOptions = {},
  ): Promise<CustomMetadata | undefined> {
    const mainPath = segmentMainPath(segment);
    const keys = segmentKeys(this.#prefix, mainPath);
    const watchdog = new Watchdog({
      clock: this.#context.clock,
      action: 'Copying the segment',
      key: keys.log,
      deadlineMs: this.#copyTimeoutMs,
      signals: [options.signal],
    });
    const { signal } = watchdog;
    try {
      signal.throwIfAborted();
      await this.#unpublish(keys, signal);
      const chunkBytes = this.#chunkBytes;
      const what = { keys, segment, data, chunkBytes };
      const remoteSize = await this.#write(what, { ...options, signal });
      return this.#customMetadata({ remoteSize, objectPrefix: this.#prefix, objectKey: mainPath });
    } finally {
      watchdog.close();
    }
  }

  async fetchLogSegment(
    segment: RemoteLogSegmentMetadata,
    range: ByteRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    const keys = this.#keysOf(segment);
    const manifest = await this.#manifests.get(keys.manifest, options.signal);
    const clipped = clipByteRange(range, manifest.chunkIndex.originalBytes);
    const decoder = this.#decoders.of(manifest, keys.manifest);
    const open = (start: number, length: number): Promise<AsyncIterable<Uint8Array>> =>
      openExactly(
        { key: keys.log, start, length },
        (left) => this.#open({ keys, key: keys.log, range: left }, options),
        options.signal,
      );
    if (decoder.isPlain) return await open(clipped.start, clipped.length);
    return decodedRange({ ...clipped, key: keys.log, places: manifest.chunkIndex, decoder, open });
  }

  async fetchIndex(
    segment: RemoteLogSegmentMetadata,
    type: IndexType,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const keys = this.#keysOf(segment);
    const manifest = await this.#manifests.get(keys.manifest, options.signal);
    const place = placeOf(manifest.segmentIndexes, type);
    if (place === null) {
      throw new RemoteResourceNotFoundError(
        'The segment has no transaction index: no transaction in it was aborted',
        { key: keys.indexes },
      );
    }
    if (place.size === 0) return new Uint8Array(0);
    const exactly = { key: keys.indexes, start: place.position, length: place.size };
    const pieces = await openExactly(
      exactly,
      (left) => this.#open({ keys, key: keys.indexes, range: left }, options),
      options.signal,
    );
    const stored = await collectBytes(pieces, place.size);
    const decoder = this.#decoders.of(manifest, keys.manifest);
    return await decoder.index(stored, { key: keys.indexes, storedStart: place.position });
  }

  async deleteLogSegmentData(
    segment: RemoteLogSegmentMetadata,
    options: CallOptions = {},
  ): Promise<void> {
    await this.#delete(this.#keysOf(segment), options.signal);
  }

  /**
   * The segments that a listing of the store shows, in the order of their keys, with what is missing
   * of each. For tools: the catalogue is what counts, and a listing costs requests.
   */
  listSegments(options: CallOptions = {}): AsyncIterable<ListedSegment> {
    const heads = this.#store.list({ ...options, prefix: this.#prefix });
    return listSegments(heads, (key) => parseSegmentKey(this.#prefix, key));
  }

  /** Ends what is under way, and disposes of the store. */
  async close(): Promise<void> {
    await this.#store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #write(what: Parameters<typeof writeSegment>[1], options: CallOptions): Promise<number> {
    try {
      return await writeSegment(this.#store, what, options);
    } catch (error) {
      // By its own time, not by the caller's signal: that may be what stopped the copy.
      await this.#delete(what.keys, undefined).catch((failure: unknown) =>
        this.#context.logger.warn('Objects of a failed copy could not be removed', {
          key: what.keys.log,
          error: failure,
        }),
      );
      throw error;
    }
  }

  // A second copy under the same id takes the first one back, so that no mixture of both is seen. Asking
  // first is cheaper than a deletion, and leaves no delete marker in a versioned bucket.
  async #unpublish(keys: SegmentKeys, signal: AbortSignal): Promise<void> {
    this.#manifests.forget(keys.manifest);
    try {
      await this.#store.head(keys.manifest, { signal });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    await this.#delete(keys, signal);
  }

  async #delete(keys: SegmentKeys, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#store.delete([keys.manifest], { signal });
    } finally {
      this.#manifests.forget(keys.manifest);
    }
    await this.#store.delete([keys.log, keys.indexes], { signal });
  }

  async #loadManifest(key: string): Promise<SegmentManifest> {
    const pieces = await this.#store.get(key);
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
    return segmentKeys(
      kept.objectPrefix ?? this.#prefix,
      kept.objectKey ?? segmentMainPath(segment),
    );
  }

  #customMetadata(all: Required<CustomMetadataFields>): CustomMetadata | undefined {
    const kept = {
      remoteSize: this.#fields.includes('REMOTE_SIZE') ? all.remoteSize : undefined,
      objectPrefix: this.#fields.includes('OBJECT_PREFIX') ? all.objectPrefix : undefined,
      objectKey: this.#fields.includes('OBJECT_KEY') ? all.objectKey : undefined,
    };
    const whole = encodeCustomMetadata(kept);
    if (whole === undefined || whole.byteLength <= MAX_CUSTOM_METADATA_BYTES) return whole;
    // The key follows from the metadata anyway; a copy must not be thrown away for its sake.
    return encodeCustomMetadata({ ...kept, objectKey: undefined });
  }
}

async function* decodedRange(what: {
  readonly start: number;
  readonly length: number;
  readonly key: string;
  readonly places: ChunkPlaces;
  readonly decoder: SegmentDecoder;
  readonly open: (start: number, length: number) => Promise<AsyncIterable<Uint8Array>>;
}): AsyncGenerator<Uint8Array, void, void> {
  const { start, length, key, places, decoder, open } = what;
  const end = start + length;
  for (let index = places.holding(start); index < places.count; index += 1) {
    const { originalStart, originalBytes, storedStart, storedBytes } = places.at(index);
    if (originalStart >= end) return;
    const stored = await collectBytes(await open(storedStart, storedBytes), storedBytes);
    const bytes = await decoder.chunk(stored, { key, storedStart, originalBytes });
    yield bytes.subarray(Math.max(0, start - originalStart), end - originalStart);
  }
}

function placeOf(indexes: SegmentIndexes, type: IndexType): IndexPlace | null {
  switch (type) {
    case 'OFFSET':
      return indexes.offset;
    case 'TIMESTAMP':
      return indexes.timestamp;
    case 'PRODUCER_SNAPSHOT':
      return indexes.producerSnapshot;
    case 'LEADER_EPOCH':
      return indexes.leaderEpoch;
    case 'TRANSACTION':
      return indexes.transaction;
  }
}
