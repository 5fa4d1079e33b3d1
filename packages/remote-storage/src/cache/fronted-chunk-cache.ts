import type { ChunkBytes } from './chunk-bytes.ts';
import type { ChunkCache, ChunkCacheStats, ChunkId } from './chunk-cache.ts';
import type { MemoryChunkCache } from './memory-chunk-cache.ts';

/**
 * A cache on disk behind a small one in memory, which holds what was read a moment ago: who reads a chunk
 * in small ranges would have it read and verified for each of them.
 */
export class FrontedChunkCache implements ChunkCache {
  readonly maxBytes: number;
  readonly #front: MemoryChunkCache;
  readonly #back: ChunkCache;

  constructor(front: MemoryChunkCache, back: ChunkCache) {
    this.maxBytes = back.maxBytes;
    this.#front = front;
    this.#back = back;
  }

  has(id: ChunkId): boolean {
    return this.#front.has(id) || this.#back.has(id);
  }

  get(id: ChunkId): Promise<ChunkBytes | undefined> | ChunkBytes | undefined {
    return this.#front.has(id) ? this.#front.get(id) : this.#fromBack(id);
  }

  // What the disk takes it also gives from memory until it is written. What comes too fast for it is
  // kept here for a while, so that what was read ahead is not read in vain.
  put(id: ChunkId, chunk: ChunkBytes): void {
    this.#front.forgetChunk(id);
    this.#back.put(id, chunk);
    if (!this.#back.has(id)) this.#front.put(id, chunk);
  }

  forget(object: string): void {
    this.#front.forget(object);
    this.#back.forget(object);
  }

  /** Those of the disk, with what the memory in front of it answered. */
  stats(): ChunkCacheStats {
    const back = this.#back.stats();
    return { ...back, hits: back.hits + this.#front.stats().hits };
  }

  async close(): Promise<void> {
    await Promise.all([this.#front.close(), this.#back.close()]);
  }

  async #fromBack(id: ChunkId): Promise<ChunkBytes | undefined> {
    const chunk = await this.#back.get(id);
    // Unless somebody else has it in memory, or it was forgotten meanwhile.
    if (chunk?.isShared === false && this.#back.has(id)) this.#front.put(id, chunk);
    return chunk;
  }
}
