import type { ChunkCacheStats } from '../cache/chunk-cache.ts';
import type { IndexReaderStats } from './index-reader.ts';
import type { ReadCounters } from './read-counters.ts';

/** The reading of segments at this moment, and what was asked of it so far. */
export interface CacheStats {
  readonly chunks: ChunkCacheStats;
  readonly indexes: IndexReaderStats;
  readonly manifests: {
    readonly entries: number;
    readonly hits: number;
    readonly misses: number;
    /** Manifests read from the store. */
    readonly requests: number;
  };
  readonly reads: Readonly<ReadCounters>;
  /** Bytes of memory that chunks take now: kept, loaded and read. */
  readonly chunkMemoryBytes: number;
}
