import type { LogSegment } from './log-segment.ts';

/** Bounds of a {@link SegmentCache}. */
export interface SegmentCacheOptions {
  /** Most open files of rolled segments. */
  readonly maxOpenFiles: number;
  /** Most bytes of loaded indexes of rolled segments. */
  readonly maxIndexBytes: number;
  onError(error: unknown): void;
}

/**
 * Bounds what rolled segments hold, over all logs: the least recently used one closes its file and
 * forgets its indexes, if nobody reads it and they are stored. A Map in order of use is enough here:
 * it is touched once a read, and only the oldest are looked at.
 */
export class SegmentCache {
  readonly #options: SegmentCacheOptions;
  readonly #used = new Map<LogSegment, number>();
  #indexBytes = 0;

  constructor(options: SegmentCacheOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#used.size;
  }

  /** The segment is being used. */
  touch(segment: LogSegment): void {
    this.#forget(segment);
    const bytes = segment.indexBytes;
    this.#used.set(segment, bytes);
    this.#indexBytes += bytes;
    if (this.#isOver()) this.#evict(segment);
  }

  #isOver(): boolean {
    const { maxOpenFiles, maxIndexBytes } = this.#options;
    return this.#used.size > maxOpenFiles || this.#indexBytes > maxIndexBytes;
  }

  #evict(except: LogSegment): void {
    for (const segment of this.#used.keys()) {
      if (!this.#isOver()) return;
      if (segment === except) continue;
      if (!segment.isRetired && (segment.isInUse || !segment.indexesStored)) continue;
      this.#forget(segment);
      segment.unloadIndexes();
      // What is removed is closed by whoever removed it.
      if (segment.isRetired) continue;
      segment.closeFile().catch((error: unknown) => this.#options.onError(error));
    }
  }

  #forget(segment: LogSegment): void {
    this.#indexBytes -= this.#used.get(segment) ?? 0;
    this.#used.delete(segment);
  }
}
