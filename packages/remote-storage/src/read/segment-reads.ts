import type { BufferPool } from '@logloft/bufferpool';
import type { Clock } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import type { CacheOptions } from '../cache/cache-options.ts';
import type { ChunkCache, ChunkCacheStats } from '../cache/chunk-cache.ts';
import { openChunkCache, planChunkCache } from '../cache/open-chunk-cache.ts';
import { RemoteStorageError } from '../errors.ts';
import type { ChunkPlaces } from '../layout/chunk-places.ts';
import type { PluginLogger } from '../plugin.ts';
import type { CacheStats } from './cache-stats.ts';
import { chunkMemory } from './chunk-memory.ts';
import { IndexReader } from './index-reader.ts';
import { registerReadMetrics } from './read-metrics.ts';
import { SegmentReader } from './segment-reader.ts';

/** What the reading of segments needs to know of the store and the layout. */
export interface SegmentReadsOptions {
  readonly cache: CacheOptions;
  /** As the store's capability of that name. */
  readonly readUnitBytes: number;
  /** Bytes of the chunks that are written now; others may be stored. */
  readonly chunkBytes: number;
  /** What the cache of manifests did. */
  readonly manifests: () => CacheStats['manifests'];
}

/** What the reading of segments is given. */
export interface SegmentReadsContext {
  readonly clock: Clock;
  readonly logger: PluginLogger;
  readonly metrics?: MetricsRegistry | undefined;
}

const MIB = 1024 * 1024;

const NOTHING_KEPT: ChunkCacheStats = Object.freeze({
  entries: 0,
  bytes: 0,
  hits: 0,
  misses: 0,
  evictions: 0,
  evictedBytes: 0,
  bypassed: 0,
  thrashed: 0,
  damaged: 0,
  failures: 0,
});

/** All that reads segments of one storage: logs by chunks, indexes, their caches, memory and metrics. */
export class SegmentReads {
  readonly logs: SegmentReader;
  readonly indexes: IndexReader;
  readonly #options: SegmentReadsOptions;
  readonly #inFlightBytes: number;
  readonly #memory: BufferPool;
  readonly #cache: ChunkCache | undefined;
  readonly #unregister: (() => void) | undefined;

  /** @throws RemoteStorageError `invalid-configuration` */
  constructor(options: SegmentReadsOptions, context: SegmentReadsContext) {
    const { cache, readUnitBytes, chunkBytes } = options;
    const { clock, logger, metrics } = context;
    const plan = planChunkCache(cache, { readUnitBytes, chunkBytes });
    const inFlightBytes = cache.readMemoryBytes ?? Math.max(64 * MIB, 4 * (chunkBytes + 28));
    if (!(Number.isSafeInteger(inFlightBytes) && inFlightBytes >= chunkBytes)) {
      throw new RemoteStorageError(
        'invalid-configuration',
        `fetch.memory.size is ${inFlightBytes}, less than a chunk of ${chunkBytes} bytes (chunk.size)`,
      );
    }
    this.#options = options;
    this.#inFlightBytes = inFlightBytes;
    this.#memory = chunkMemory({
      clock,
      cacheBytes: plan.memoryBytes,
      inFlightBytes,
      chunkBytes,
    });
    this.#cache = openChunkCache(plan, { clock, logger, memory: this.#memory });
    this.logs = new SegmentReader({
      clock,
      memory: this.#memory,
      cache: this.#cache,
      readUnitBytes,
      // So that several readers have room, each with a request under way and the next one begun.
      coalesceBytes: Math.min(16 * MIB, Math.floor(inFlightBytes / 4)),
      maxWindowBytes: cache.prefetchMaxBytes,
      timeoutMs: cache.chunkTimeoutMs,
      maxChunkBytes: inFlightBytes,
    });
    this.indexes = new IndexReader({
      clock,
      maxBytes: cache.indexCacheBytes ?? 10 * MIB,
      retentionMs: cache.indexCacheRetentionMs ?? 600_000,
      timeoutMs: cache.indexTimeoutMs ?? 10_000,
    });
    this.#unregister = metrics && registerReadMetrics(metrics, () => this.stats());
  }

  /**
   * Whether ranges of a plain log are best asked for as they are: where nothing is kept the rest of a
   * chunk would be lost, and one that is too large for the memory need not be had whole.
   */
  isDirect(places: ChunkPlaces): boolean {
    if (this.#cache === undefined) return true;
    return places.count > 0 && places.at(0).originalBytes > this.#inFlightBytes;
  }

  /** Drops what is kept of a segment that was deleted or is written anew. */
  forget(keys: { readonly log: string; readonly indexes: string }): void {
    this.logs.forget(keys.log);
    this.indexes.forget(keys.indexes);
  }

  stats(): CacheStats {
    return {
      chunks: this.#cache?.stats() ?? NOTHING_KEPT,
      indexes: this.indexes.stats(),
      manifests: this.#options.manifests(),
      reads: { ...this.logs.counters },
      chunkMemoryBytes: this.#memory.stats().grantedBytes,
    };
  }

  /** Ends all reads, and lets go of what is kept in memory. */
  async close(): Promise<void> {
    this.#unregister?.();
    await this.logs.close();
    // Nobody is to wait for memory that will not come; what is held still goes back.
    await this.#memory.close();
    await this.#cache?.close();
  }
}
