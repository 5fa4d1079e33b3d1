import type { Clock } from '@logloft/clock';

/** Bounds of a {@link ByteCache}. */
export interface ByteCacheOptions {
  readonly clock: Clock;
  /** Most bytes kept; 0 keeps none. */
  readonly maxBytes: number;
  /** Ms after its last use until one is dropped. */
  readonly retentionMs: number;
}

interface Entry {
  readonly bytes: Uint8Array;
  usedMs: number;
}

/** Small arrays by key, the longest unused dropped first. */
export class ByteCache {
  readonly #options: ByteCacheOptions;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #evictions = 0;
  #evictedBytes = 0;

  constructor(options: ByteCacheOptions) {
    this.#options = options;
  }

  /** Bytes kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Arrays kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** Arrays that had to go. */
  get evictions(): number {
    return this.#evictions;
  }

  /** Their bytes. */
  get evictedBytes(): number {
    return this.#evictedBytes;
  }

  /** The array itself, which is not to be changed. */
  get(key: string): Uint8Array | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - entry.usedMs >= this.#options.retentionMs) {
      this.#evict(key);
      return undefined;
    }
    entry.usedMs = nowMs;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.bytes;
  }

  /** Keeps an array, which is not changed from now on; one that is larger than all there is room for is not kept. */
  put(key: string, bytes: Uint8Array): void {
    const { maxBytes, retentionMs, clock } = this.#options;
    this.forget(key);
    if (bytes.byteLength > maxBytes) return;
    const nowMs = clock.monotonic();
    for (const [oldest, { usedMs }] of this.#entries) {
      const fits = this.#bytes + bytes.byteLength <= maxBytes;
      if (fits && nowMs - usedMs < retentionMs) break;
      this.#evict(oldest);
    }
    this.#entries.set(key, { bytes, usedMs: nowMs });
    this.#bytes += bytes.byteLength;
  }

  forget(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes.byteLength ?? 0;
    this.#entries.delete(key);
  }

  #evict(key: string): void {
    this.#evictions += 1;
    this.#evictedBytes += this.#entries.get(key)?.bytes.byteLength ?? 0;
    this.forget(key);
  }
}
