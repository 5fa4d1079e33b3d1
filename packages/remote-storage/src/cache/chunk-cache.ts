import type { ChunkPlace } from '../layout/chunk-places.ts';
import type { ChunkBytes } from './chunk-bytes.ts';

/** Which chunk: of the log object with this key, at this place. */
export interface ChunkId {
  /** Key of the log object. */
  readonly object: string;
  /** Number of the chunk in it, from 0. */
  readonly index: number;
  readonly place: ChunkPlace;
}

/** What a cache of chunks did so far, and holds now. */
export interface ChunkCacheStats {
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  readonly evictedBytes: number;
  /** Chunks that were not taken in, since what is there was in use or could not be written. */
  readonly bypassed: number;
  /** Misses of chunks that had to go a short while ago: the cache is smaller than what is being read. */
  readonly thrashed: number;
  /** Chunks that were found damaged, and dropped. */
  readonly damaged: number;
  /** Writes and reads of the cache's own that failed, and were done without. */
  readonly failures: number;
}

/**
 * Keeps plain (decrypted, decompressed) chunks. Nothing that goes wrong in it reaches a reader: a
 * chunk that it cannot give is a miss, one that it cannot take is not taken.
 */
export interface ChunkCache {
  /** Most bytes it keeps. */
  readonly maxBytes: number;
  /** Whether it has the chunk; counts as nothing. */
  has(id: ChunkId): boolean;
  /** The chunk, held for the caller, or `undefined`. */
  get(id: ChunkId): Promise<ChunkBytes | undefined> | ChunkBytes | undefined;
  /** Takes a chunk in, holding it by itself for as long as it needs to. */
  put(id: ChunkId, chunk: ChunkBytes): void;
  /** Drops all chunks of a log object. */
  forget(object: string): void;
  stats(): ChunkCacheStats;
  /** Lets go of everything, and rejects nothing. */
  close(): Promise<void>;
}

/** A key for maps. Keys of objects hold no line feed that could be mistaken for this one's, since it is the last. */
export function chunkKey(object: string, index: number): string {
  return `${object}\n${index}`;
}

/** Whether both are cut at the same bytes. */
export function isSamePlace(one: ChunkPlace, other: ChunkPlace): boolean {
  return (
    one.originalStart === other.originalStart &&
    one.originalBytes === other.originalBytes &&
    one.storedStart === other.storedStart &&
    one.storedBytes === other.storedBytes
  );
}
