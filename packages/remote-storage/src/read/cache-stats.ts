import type { ChunkCacheStats } from '../cache/chunk-cache.ts';
import type { ManifestCacheStats } from '../cache/manifest-cache.ts';
import type { IndexReaderStats } from './index-reader.ts';
import type { ReadCounters } from './read-counters.ts';

/** The reading of segments at this moment, and what was asked of it so far. */
export interface CacheStats {
  readonly chunks: ChunkCacheStats;
  readonly indexes: IndexReaderStats;
  readonly manifests: ManifestCacheStats;
  readonly reads: Readonly<ReadCounters>;
  /** Bytes of memory that chunks take now: kept, loaded and read. */
  readonly chunkMemoryBytes: number;
}
