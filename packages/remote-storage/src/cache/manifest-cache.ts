import type { Clock } from '@logloft/clock';
import type { SegmentManifest } from '../layout/manifest.ts';
import { SingleFlight } from './single-flight.ts';

/** Bounds of a {@link ManifestCache}. */
export interface ManifestCacheOptions {
  readonly clock: Clock;
  /** Most manifests kept; 0 keeps none. */
  readonly maxEntries: number;
  /** Ms after the last use until one is dropped. */
  readonly retentionMs: number;
  /** Reads a manifest from the store, bounded in time. */
  readonly load: (key: string) => Promise<SegmentManifest>;
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

  constructor(options: ManifestCacheOptions) {
    this.#options = options;
  }

  /** Manifests kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** @throws the failure of the read; the reason of `signal` when it aborts first */
  async get(key: string, signal?: AbortSignal): Promise<SegmentManifest> {
    const kept = this.#touch(key);
    if (kept !== undefined) return kept;
    return await this.#loads.run(
      key,
      async (flight) => {
        const manifest = await this.#options.load(key);
        if (!flight.forgotten) this.#keep(key, manifest);
        return manifest;
      },
      signal,
    );
  }

  /** Drops a manifest that was written or deleted. */
  forget(key: string): void {
    this.#entries.delete(key);
    this.#loads.forget(key);
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
