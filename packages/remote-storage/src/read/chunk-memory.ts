import { BufferPool } from '@logloft/bufferpool';
import type { Clock } from '@logloft/clock';

// What encryption adds to a chunk: an initialisation vector and a tag.
const CIPHER_BYTES = 28;

/** How much memory chunks may take. */
export interface ChunkMemoryOptions {
  readonly clock: Clock;
  /** Bytes that a cache in memory may keep; 0 without one. */
  readonly cacheBytes: number;
  /** Bytes for chunks that are being loaded and read. */
  readonly inFlightBytes: number;
  /** Bytes of the usual chunk. Buffers of that size, and of parts of it for last chunks, are reused. */
  readonly chunkBytes: number;
}

/** The memory of all chunks of a reader, kept for the next chunk when one has been read. */
export function chunkMemory(options: ChunkMemoryOptions): BufferPool {
  const { clock, cacheBytes, inFlightBytes, chunkBytes } = options;
  const totalBytes = cacheBytes + inFlightBytes;
  const parts = [8, 4, 2].map((part) => Math.ceil(chunkBytes / part));
  const sizeClasses = [...parts, chunkBytes].filter((bytes) => bytes <= totalBytes);
  const poolableBytes = Math.min(totalBytes, chunkBytes + CIPHER_BYTES);
  return new BufferPool({ totalBytes, poolableBytes, sizeClasses }, { clock });
}
