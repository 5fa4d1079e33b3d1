import type { Clock, Timer } from '@logloft/clock';
import type { ChunkBytes } from './chunk-bytes.ts';
import {
  type ChunkCache,
  type ChunkCacheStats,
  type ChunkId,
  chunkKey,
  isSamePlace,
} from './chunk-cache.ts';
import { RecentlyEvicted } from './recently-evicted.ts';

/** Bounds of a {@link MemoryChunkCache}. */
export interface MemoryChunkCacheOptions {
  readonly clock: Clock;
  /** Most bytes of memory taken by chunks that are kept. */
  readonly maxBytes: number;
  /** Ms after its last use until a chunk is dropped. */
  readonly retentionMs: number;
}

interface Entry {
  readonly id: ChunkId;
  readonly chunk: ChunkBytes;
  usedMs: number;
}

/**
 * Chunks in memory, the longest unused dropped first. One that is being read is never dropped; when
 * there is no room beside those, a new one is not taken in.
 */
export class MemoryChunkCache implements ChunkCache {
  readonly maxBytes: number;
  readonly #clock: Clock;
  readonly #retentionMs: number;
  // In order of use, the longest unused first.
  readonly #entries = new Map<string, Entry>();
  readonly #evicted = new RecentlyEvicted();
  #expiry: Timer | undefined;
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  #evictions = 0;
  #evictedBytes = 0;
  #bypassed = 0;
  #thrashed = 0;
  #closed = false;

  constructor({ clock, maxBytes, retentionMs }: MemoryChunkCacheOptions) {
    this.#clock = clock;
    this.maxBytes = maxBytes;
    this.#retentionMs = retentionMs;
  }

  has({ object, index, place }: ChunkId): boolean {
    const entry = this.#entries.get(chunkKey(object, index));
    return entry !== undefined && isSamePlace(entry.id.place, place);
  }

  get(id: ChunkId): ChunkBytes | undefined {
    const key = chunkKey(id.object, id.index);
    const entry = this.#entries.get(key);
    if (entry === undefined || !isSamePlace(entry.id.place, id.place)) {
      this.#misses += 1;
      if (this.#evicted.takes(key)) this.#thrashed += 1;
      return undefined;
    }
    this.#hits += 1;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.usedMs = this.#clock.monotonic();
    return entry.chunk.retain();
  }

  put(id: ChunkId, chunk: ChunkBytes): void {
    if (this.#closed) return;
    const key = chunkKey(id.object, id.index);
    this.#drop(key);
    if (!this.#makeRoom(chunk.heldBytes)) {
      this.#bypassed += 1;
      return;
    }
    this.#entries.set(key, { id, chunk: chunk.retain(), usedMs: this.#clock.monotonic() });
    this.#bytes += chunk.heldBytes;
    if (this.#expiry === undefined) this.#awaitExpiry();
  }

  forget(object: string): void {
    for (const [key, { id }] of this.#entries) {
      if (id.object === object) this.#drop(key);
    }
  }

  /** Drops one chunk. */
  forgetChunk({ object, index }: ChunkId): void {
    this.#drop(chunkKey(object, index));
  }

  stats(): ChunkCacheStats {
    return {
      entries: this.#entries.size,
      bytes: this.#bytes,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
      evictedBytes: this.#evictedBytes,
      bypassed: this.#bypassed,
      thrashed: this.#thrashed,
      damaged: 0,
      failures: 0,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#expiry?.cancel();
    this.#expiry = undefined;
    this.#evicted.clear();
    for (const key of this.#entries.keys()) this.#drop(key);
  }

  // Looks before it drops: nothing goes for a chunk that would not fit all the same.
  #makeRoom(bytes: number): boolean {
    let missing = this.#bytes + bytes - this.maxBytes;
    const going: string[] = [];
    for (const [key, { chunk }] of this.#entries) {
      if (missing <= 0) break;
      if (chunk.isShared) continue;
      going.push(key);
      missing -= chunk.heldBytes;
    }
    if (missing > 0) return false;
    for (const key of going) this.#evict(key);
    return true;
  }

  #evict(key: string): void {
    this.#evictions += 1;
    this.#evictedBytes += this.#drop(key);
    this.#evicted.note(key);
  }

  #drop(key: string): number {
    const entry = this.#entries.get(key);
    if (entry === undefined) return 0;
    this.#entries.delete(key);
    this.#bytes -= entry.chunk.heldBytes;
    entry.chunk.release();
    return entry.chunk.heldBytes;
  }

  // One timer, for the longest unused: it is set anew when it fires, not with every use.
  #awaitExpiry(): void {
    this.#expiry = undefined;
    const [oldest] = this.#entries.values();
    if (oldest === undefined || !Number.isFinite(this.#retentionMs)) return;
    const leftMs = oldest.usedMs + this.#retentionMs - this.#clock.monotonic();
    this.#expiry = this.#clock.setTimer(Math.max(1, leftMs), () => {
      const nowMs = this.#clock.monotonic();
      for (const [key, { usedMs }] of this.#entries) {
        if (nowMs - usedMs < this.#retentionMs) break;
        this.#evictions += 1;
        this.#evictedBytes += this.#drop(key);
      }
      this.#awaitExpiry();
    });
  }
}
