import { isNotFound } from '../errors.ts';
import type { ObjectStore } from '../object-store.ts';
import type { SegmentKeys } from './segment-key.ts';

/** What a {@link SegmentRemover} works on. */
export interface SegmentRemoverOptions {
  readonly store: ObjectStore;
  /** Told of each segment that is being removed, so that nothing of it stays in a cache. */
  readonly forget: (keys: SegmentKeys) => void;
}

/** Takes segments away, the manifest first, so that nothing half-deleted is ever seen. */
export class SegmentRemover {
  readonly #options: SegmentRemoverOptions;
  readonly #held = new Map<string, Promise<void>>();

  constructor(options: SegmentRemoverOptions) {
    this.#options = options;
  }

  /** Lets nothing of a segment stay in a cache. */
  forget(keys: SegmentKeys): void {
    this.#options.forget(keys);
  }

  /** Removes all three objects; what is missing counts as removed. */
  async remove(keys: SegmentKeys, signal: AbortSignal | undefined): Promise<void> {
    const { store, forget } = this.#options;
    await this.holding(keys.manifest, async () => {
      try {
        await store.delete([keys.manifest], { signal });
      } finally {
        forget(keys);
      }
    });
    await store.delete([keys.log, keys.indexes], { signal });
  }

  /**
   * Takes back what was copied earlier under the same id, so that no mixture of both is seen. Asking
   * first is cheaper than a deletion, and leaves no delete marker in a versioned bucket.
   */
  async unpublish(keys: SegmentKeys, signal: AbortSignal): Promise<void> {
    const { store, forget } = this.#options;
    forget(keys);
    try {
      await store.head(keys.manifest, { signal });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    await this.remove(keys, signal);
  }

  /**
   * Runs something during which this manifest is not removed: one that is read, changed and written back
   * would come back to life otherwise.
   */
  async holding<T>(manifestKey: string, work: () => Promise<T>): Promise<T> {
    for (;;) {
      const holder = this.#held.get(manifestKey);
      if (holder === undefined) break;
      await holder;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(manifestKey, promise);
    try {
      return await work();
    } finally {
      this.#held.delete(manifestKey);
      resolve();
    }
  }
}
