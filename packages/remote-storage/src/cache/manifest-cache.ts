import type { Clock } from '@logloft/clock';
import { withDeadline } from '../deadline.ts';
import type { SegmentManifest } from '../layout/manifest.ts';
import { SingleFlight } from './single-flight.ts';

/** Bounds of a {@link ManifestCache}. */
export interface ManifestCacheOptions {
  readonly clock: Clock;
  /** Most manifests kept; 0 keeps none. */
  readonly maxEntries: number;
  /** Ms after the last use until one is dropped. */
  readonly retentionMs: number;
  /** Ms that one who asks waits. Default: for as long as the read takes. */
  readonly timeoutMs?: number | undefined;
  /** Reads a manifest from the store, bounded in time. */
  readonly load: (key: string) => Promise<SegmentManifest>;
}

/** What a {@link ManifestCache} holds, and did so far. */
export interface ManifestCacheStats {
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
  /** Manifests read from the store. */
  readonly requests: number;
}

interface Entry {
  readonly manifest: SegmentManifest;
  usedMs: number;
}

/**
 * Manifests by key. Those who ask for one at the same time share one read, and one that was forgotten
 * while it was being read is not kept.
 */
export class ManifestCache {
  readonly #options: ManifestCacheOptions;
  // In order of use, the longest unused first.
  readonly #entries = new Map<string, Entry>();
  readonly #loads = new SingleFlight<SegmentManifest>();
  #hits = 0;
  #misses = 0;
  #requests = 0;

  constructor(options: ManifestCacheOptions) {
    this.#options = options;
  }

  /** Manifests kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** What is kept, and what was asked for so far. */
  stats(): ManifestCacheStats {
    return {
      entries: this.#entries.size,
      hits: this.#hits,
      misses: this.#misses,
      requests: this.#requests,
    };
  }

  /**
   * @throws the failure of the read; RemoteStorageError `timeout` when it takes too long, after which it
   *   goes on for the next to ask; the reason of `signal` when it aborts first
   */
  async get(key: string, signal?: AbortSignal): Promise<SegmentManifest> {
    const kept = this.#touch(key);
    if (kept !== undefined) {
      this.#hits += 1;
      return kept;
    }
    this.#misses += 1;
    const { clock, timeoutMs: ms } = this.#options;
    if (ms === undefined) return await this.#load(key, signal);
    const deadline = { clock, ms, action: 'Reading the manifest', key, signal };
    return await withDeadline(deadline, (inner) => this.#load(key, inner));
  }

  /** Drops a manifest that was written or deleted. */
  forget(key: string): void {
    this.#entries.delete(key);
    this.#loads.forget(key);
  }

  async #load(key: string, signal: AbortSignal | undefined): Promise<SegmentManifest> {
    return await this.#loads.run(
      key,
      async (flight) => {
        this.#requests += 1;
        const manifest = await this.#options.load(key);
        if (!flight.forgotten) this.#keep(key, manifest);
        return manifest;
      },
      signal,
    );
  }

  #touch(key: string): SegmentManifest | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - entry.usedMs >= this.#options.retentionMs) return undefined;
    entry.usedMs = nowMs;
    this.#entries.set(key, entry);
    return entry.manifest;
  }

  #keep(key: string, manifest: SegmentManifest): void {
    const { maxEntries, clock } = this.#options;
    if (maxEntries === 0) return;
    this.#entries.delete(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < maxEntries) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { manifest, usedMs: clock.monotonic() });
  }
}
