import type { BufferPool } from '@logloft/bufferpool';
import type { Clock } from '@logloft/clock';
import { RemoteStorageError } from '../errors.ts';
import type { PluginLogger } from '../plugin.ts';
import type { CacheOptions, ChunkCacheClass } from './cache-options.ts';
import type { ChunkCache } from './chunk-cache.ts';
import { DiskChunkCache } from './disk/disk-chunk-cache.ts';
import { FrontedChunkCache } from './fronted-chunk-cache.ts';
import { MemoryChunkCache } from './memory-chunk-cache.ts';

const MIB = 1024 * 1024;
const DEFAULT_CHUNKS = 4;

// In front of the disk: what is read right now, for as long as it takes to read the next range of it.
const FRONT_CHUNKS = 4;
const FRONT_RETENTION_MS = 10_000;

/** A cache of chunks that was decided upon. */
export interface ChunkCachePlan {
  readonly kind: ChunkCacheClass;
  readonly maxBytes: number;
  readonly retentionMs: number;
  /** Absent unless the kind is `disk`. */
  readonly directory: string | undefined;
  /** Bytes that are kept in memory: all, or what stands in front of the disk. */
  readonly memoryBytes: number;
}

/**
 * Decides on a cache, before anything is opened.
 *
 * @param store what reads cost, and how large chunks usually are, in bytes
 * @throws RemoteStorageError `invalid-configuration` for one that could not hold a chunk, that has no
 *   bound in memory, or lacks what a cache on disk needs
 */
export function planChunkCache(
  options: CacheOptions,
  store: { readonly readUnitBytes: number; readonly chunkBytes: number },
): ChunkCachePlan {
  const kind = options.chunkCache ?? kindByDefault(options, store.readUnitBytes);
  const retentionMs = options.chunkCacheRetentionMs ?? 600_000;
  if (kind === 'none') {
    return { kind, maxBytes: 0, retentionMs, directory: undefined, memoryBytes: 0 };
  }
  const maxBytes = options.chunkCacheBytes ?? defaultBytes(kind, store.chunkBytes);
  if (!(maxBytes >= store.chunkBytes)) {
    throw invalid(
      `fetch.chunk.cache.size is ${maxBytes}, less than a chunk of ${store.chunkBytes} bytes (chunk.size); ` +
        'nothing could be kept',
    );
  }
  if (kind === 'memory' && !Number.isSafeInteger(maxBytes)) {
    throw invalid('fetch.chunk.cache.size must be a bound when the cache is in memory');
  }
  const directory = kind === 'disk' ? options.chunkCachePath?.trim() : undefined;
  if (kind === 'disk' && (directory === undefined || directory === '')) {
    throw invalid('fetch.chunk.cache.path is required for a cache on disk: a directory of its own');
  }
  const memoryBytes = kind === 'memory' ? maxBytes : FRONT_CHUNKS * (store.chunkBytes + 28);
  return { kind, maxBytes, retentionMs, directory, memoryBytes };
}

/** Opens the cache that was planned. */
export function openChunkCache(
  plan: ChunkCachePlan,
  context: { readonly clock: Clock; readonly logger: PluginLogger; readonly memory: BufferPool },
): ChunkCache | undefined {
  const { kind, maxBytes, retentionMs, directory, memoryBytes } = plan;
  if (kind === 'none') return undefined;
  const { clock } = context;
  if (directory === undefined) return new MemoryChunkCache({ clock, maxBytes, retentionMs });
  const front = new MemoryChunkCache({
    clock,
    maxBytes: memoryBytes,
    retentionMs: Math.min(retentionMs, FRONT_RETENTION_MS),
  });
  return new FrontedChunkCache(
    front,
    new DiskChunkCache({ directory, maxBytes, retentionMs }, context),
  );
}

// Whoever gives a size or a path wants a cache.
function kindByDefault(options: CacheOptions, readUnitBytes: number): ChunkCacheClass {
  if (options.chunkCachePath !== undefined) return 'disk';
  return readUnitBytes > 0 || options.chunkCacheBytes !== undefined ? 'memory' : 'none';
}

function defaultBytes(kind: ChunkCacheClass, chunkBytes: number): number {
  if (kind === 'memory') return Math.max(64 * MIB, DEFAULT_CHUNKS * (chunkBytes + 28));
  throw invalid(
    'fetch.chunk.cache.size is required for a cache on disk: bytes, or -1 for no bound',
  );
}

function invalid(problem: string): RemoteStorageError {
  return new RemoteStorageError('invalid-configuration', problem);
}
