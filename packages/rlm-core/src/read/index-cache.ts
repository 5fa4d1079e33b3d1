import { isNotFound, type RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import { raceAbort } from '../abort.ts';
import { isRemoteLogError } from '../errors.ts';
import { checkIndex, type IndexName } from './segment-indexes.ts';

/** What an entry costs beside its bytes. Without it, empty indexes would be without bound. */
const ENTRY_OVERHEAD_BYTES = 256;

/** How an {@link IndexCache} is made. */
export interface IndexCacheOptions {
  /** Most bytes kept; larger indexes are used and dropped. */
  readonly maxBytes: number;
  /** Fetches an index from the store. Has to settle by itself. */
  fetch(segment: RemoteLogSegmentMetadata, name: IndexName): Promise<Uint8Array>;
}

/** How often the cache helped. */
export interface IndexCacheStatistics {
  readonly bytes: number;
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
}

/**
 * The indexes of remote segments in memory, the least recently used dropped first. One that several
 * readers miss at once is fetched once, and a reader that gives up does not stop the fetch for the
 * others, nor for its own next attempt.
 */
export class IndexCache {
  readonly #fetch: IndexCacheOptions['fetch'];
  #maxBytes: number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Uint8Array>();
  readonly #loading = new Map<string, Promise<Uint8Array>>();
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  constructor(options: IndexCacheOptions) {
    this.#fetch = options.fetch;
    this.#maxBytes = options.maxBytes;
  }

  get statistics(): IndexCacheStatistics {
    return {
      bytes: this.#bytes,
      entries: this.#entries.size,
      hits: this.#hits,
      misses: this.#misses,
    };
  }

  /**
   * An index of a segment; a transaction index that the store does not have is empty.
   *
   * @throws what the store throws; RemoteLogError `LOGLOFT_RLM_CORRUPT_INDEX` when it came damaged
   *   twice; the reason of `signal`
   */
  get(
    segment: RemoteLogSegmentMetadata,
    name: IndexName,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const key = keyOf(segment, name);
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#hits += 1;
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return Promise.resolve(known);
    }
    this.#misses += 1;
    let loading = this.#loading.get(key);
    if (loading === undefined) {
      loading = this.#load(key, segment, name);
      this.#loading.set(key, loading);
    }
    return raceAbort(loading, signal);
  }

  /** Changes the bound, and drops what is beyond it at once. */
  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#evict();
  }

  /** Drops the indexes of segments that are deleted. */
  forget(segments: Iterable<RemoteLogSegmentMetadata>): void {
    for (const segment of segments) {
      for (const name of ['OFFSET', 'TIMESTAMP', 'TRANSACTION'] as const) {
        this.#drop(keyOf(segment, name));
      }
    }
  }

  async #load(
    key: string,
    segment: RemoteLogSegmentMetadata,
    name: IndexName,
  ): Promise<Uint8Array> {
    try {
      const bytes = await this.#fetchChecked(segment, name);
      this.#keep(key, bytes);
      return bytes;
    } finally {
      this.#loading.delete(key);
    }
  }

  async #fetchChecked(segment: RemoteLogSegmentMetadata, name: IndexName): Promise<Uint8Array> {
    try {
      return await this.#fetchOnce(segment, name);
    } catch (error) {
      // It may have been damaged on its way. If the store's own copy is, the second try says so.
      if (!isRemoteLogError(error, 'LOGLOFT_RLM_CORRUPT_INDEX')) throw error;
      return await this.#fetchOnce(segment, name);
    }
  }

  async #fetchOnce(segment: RemoteLogSegmentMetadata, name: IndexName): Promise<Uint8Array> {
    let bytes: Uint8Array;
    try {
      bytes = await this.#fetch(segment, name);
    } catch (error) {
      if (name === 'TRANSACTION' && isNotFound(error)) return new Uint8Array(0);
      throw error;
    }
    checkIndex(name, bytes, segment.startOffset);
    return bytes;
  }

  #keep(key: string, bytes: Uint8Array): void {
    if (bytes.length + ENTRY_OVERHEAD_BYTES > this.#maxBytes) return;
    this.#drop(key);
    this.#entries.set(key, bytes);
    this.#bytes += bytes.length + ENTRY_OVERHEAD_BYTES;
    this.#evict();
  }

  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    const bytes = this.#entries.get(key);
    if (bytes === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= bytes.length + ENTRY_OVERHEAD_BYTES;
  }
}

function keyOf(segment: RemoteLogSegmentMetadata, name: IndexName): string {
  return `${segment.remoteLogSegmentId.id}/${name}`;
}
