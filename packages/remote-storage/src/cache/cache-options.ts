import { RemoteStorageError } from '../errors.ts';
import { integerOption, type OptionParser } from '../plugin-option-parsers.ts';
import type { ParsedOptions } from '../read-plugin-options.ts';

/** Where chunks are kept. */
export type ChunkCacheClass = 'none' | 'memory' | 'disk';

/** Settings of the reading of segments. Names in brackets are those of the `rsm.config.` properties. */
export interface CacheOptions {
  /**
   * Where plain (decrypted, decompressed) chunks are kept. Default `memory` for stores whose reads cost by
   * the request (`readUnitBytes`), else `none`. (`fetch.chunk.cache.class`)
   */
  readonly chunkCache?: ChunkCacheClass | undefined;
  /**
   * Most bytes kept, at least those of one chunk; `Infinity` on disk alone. Default in memory 64 MiB or
   * four chunks, on disk none: it must be given. (`fetch.chunk.cache.size`)
   */
  readonly chunkCacheBytes?: number | undefined;
  /** Ms a chunk is kept after its last use. Default 10 minutes. (`fetch.chunk.cache.retention.ms`) */
  readonly chunkCacheRetentionMs?: number | undefined;
  /** Directory of the cache on disk, made where it is missing. (`fetch.chunk.cache.path`) */
  readonly chunkCachePath?: string | undefined;
  /**
   * Largest window in bytes that is read ahead of who reads forward, at most half of the cache; 0 for
   * none. Default 16 MiB. (`fetch.chunk.cache.prefetch.max.size`)
   */
  readonly prefetchMaxBytes?: number | undefined;
  /** Ms without a byte that waiting for a chunk may take. Default 10,000. (`fetch.chunk.cache.get.timeout.ms`) */
  readonly chunkTimeoutMs?: number | undefined;
  /** Memory in bytes for chunks being loaded and read. Default 64 MiB, or four chunks. (`fetch.memory.size`) */
  readonly readMemoryBytes?: number | undefined;
  /** Most bytes of indexes kept, 0 for none. Default 10 MiB. (`fetch.indexes.cache.size`) */
  readonly indexCacheBytes?: number | undefined;
  /** Ms an index is kept after its last use. Default 10 minutes. (`fetch.indexes.cache.retention.ms`) */
  readonly indexCacheRetentionMs?: number | undefined;
  /** Ms that waiting for an index may take. Default 10,000. (`fetch.indexes.cache.get.timeout.ms`) */
  readonly indexTimeoutMs?: number | undefined;
  /** Ms that waiting for a manifest may take. Default 10,000. (`fetch.manifest.cache.get.timeout.ms`) */
  readonly manifestTimeoutMs?: number | undefined;
}

const MIB = 1024 * 1024;
const MAX_MS = 2_147_483_647;
const TEN_MINUTES_MS = 600_000;
const MAX_BYTES = Number.MAX_SAFE_INTEGER;
const MAX_THREADS = 1_024;

// Aiven's plugin names its classes whole.
const CLASS_NAMES: ReadonlyMap<string, ChunkCacheClass> = new Map<string, ChunkCacheClass>([
  ['none', 'none'],
  ['memory', 'memory'],
  ['disk', 'disk'],
  ['io.aiven.kafka.tieredstorage.fetch.cache.MemoryChunkCache', 'memory'],
  ['io.aiven.kafka.tieredstorage.fetch.cache.DiskChunkCache', 'disk'],
]);

/** A parser for each option of the caches. */
export type CacheOptionParsers = Readonly<{
  'fetch.chunk.cache.class': OptionParser<ChunkCacheClass | undefined>;
  'fetch.chunk.cache.size': OptionParser<number | undefined>;
  'fetch.chunk.cache.retention.ms': OptionParser<number>;
  'fetch.chunk.cache.path': OptionParser<string | undefined>;
  'fetch.chunk.cache.prefetch.max.size': OptionParser<number>;
  'fetch.chunk.cache.get.timeout.ms': OptionParser<number>;
  'fetch.chunk.cache.thread.pool.size': OptionParser<number>;
  'fetch.memory.size': OptionParser<number | undefined>;
  'fetch.indexes.cache.size': OptionParser<number>;
  'fetch.indexes.cache.retention.ms': OptionParser<number>;
  'fetch.indexes.cache.get.timeout.ms': OptionParser<number>;
  'fetch.indexes.cache.thread.pool.size': OptionParser<number>;
  'fetch.manifest.cache.get.timeout.ms': OptionParser<number>;
  'fetch.manifest.cache.thread.pool.size': OptionParser<number>;
}>;

// Accepted so that settings of Aiven's plugin can be taken over; nothing here has threads of its own.
const threads = integerOption({ fallback: 0, min: 0, max: MAX_THREADS });
const timeout = integerOption({ fallback: 10_000, min: 1, max: MAX_MS });

/** The options of the caches, under the names of Aiven's plugin where it has one for them. */
export const CACHE_OPTION_PARSERS: CacheOptionParsers = Object.freeze<CacheOptionParsers>({
  'fetch.chunk.cache.class': (text, name) => {
    const known = CLASS_NAMES.get(text?.trim() ?? '');
    if (known !== undefined || text === undefined) return known;
    const names = [...CLASS_NAMES.keys()].join(', ');
    throw new RemoteStorageError(
      'invalid-configuration',
      `Option "${name}" must be one of ${names}, got ${JSON.stringify(text)}`,
    );
  },
  'fetch.chunk.cache.size': given(boundOption({ fallback: 1, min: 1 })),
  'fetch.chunk.cache.retention.ms': boundOption({ fallback: TEN_MINUTES_MS, min: 1, max: MAX_MS }),
  'fetch.chunk.cache.path': (text) => text,
  'fetch.chunk.cache.prefetch.max.size': boundOption({ fallback: 16 * MIB, min: 0 }),
  'fetch.chunk.cache.get.timeout.ms': timeout,
  'fetch.chunk.cache.thread.pool.size': threads,
  'fetch.memory.size': given(integerOption({ fallback: 1, min: 1, max: MAX_BYTES })),
  'fetch.indexes.cache.size': boundOption({ fallback: 10 * MIB, min: 0 }),
  'fetch.indexes.cache.retention.ms': boundOption({
    fallback: TEN_MINUTES_MS,
    min: 1,
    max: MAX_MS,
  }),
  'fetch.indexes.cache.get.timeout.ms': timeout,
  'fetch.indexes.cache.thread.pool.size': threads,
  'fetch.manifest.cache.get.timeout.ms': timeout,
  'fetch.manifest.cache.thread.pool.size': threads,
});

/** What the parsed options mean. */
export function cacheOptionsOf(read: ParsedOptions<CacheOptionParsers>): CacheOptions {
  return {
    chunkCache: read['fetch.chunk.cache.class'],
    chunkCacheBytes: read['fetch.chunk.cache.size'],
    chunkCacheRetentionMs: read['fetch.chunk.cache.retention.ms'],
    chunkCachePath: read['fetch.chunk.cache.path'],
    prefetchMaxBytes: read['fetch.chunk.cache.prefetch.max.size'],
    chunkTimeoutMs: read['fetch.chunk.cache.get.timeout.ms'],
    readMemoryBytes: read['fetch.memory.size'],
    indexCacheBytes: read['fetch.indexes.cache.size'],
    indexCacheRetentionMs: read['fetch.indexes.cache.retention.ms'],
    indexTimeoutMs: read['fetch.indexes.cache.get.timeout.ms'],
    manifestTimeoutMs: read['fetch.manifest.cache.get.timeout.ms'],
  };
}

// An integer from `min`, or -1 for no bound.
function boundOption(settings: {
  readonly fallback: number;
  readonly min: number;
  readonly max?: number;
}): OptionParser<number> {
  const { fallback, min, max = MAX_BYTES } = settings;
  const bounded = integerOption({ fallback, min, max });
  return (text, name) => (text?.trim() === '-1' ? Number.POSITIVE_INFINITY : bounded(text, name));
}

function given<T>(parser: OptionParser<T>): OptionParser<T | undefined> {
  return (text, name) => (text === undefined ? undefined : parser(text, name));
}
