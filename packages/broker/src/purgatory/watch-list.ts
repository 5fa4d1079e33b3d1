/** Somebody who waits for something to happen to a partition. */
export interface Watcher {
  /** Something happened; may be told more than once. */
  onEvent(): void;
}

/**
 * Who waits for one partition. A burst of events tells each watcher once: they are told in a
 * microtask after the event, when all that happened in the same turn is visible.
 */
export class WatchList {
  readonly #watchers = new Set<Watcher>();
  #scheduled = false;

  /** How many wait. */
  get size(): number {
    return this.#watchers.size;
  }

  add(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  remove(watcher: Watcher): void {
    this.#watchers.delete(watcher);
  }

  /** Something happened: data became readable, the log start moved, or the partition is gone. */
  notify(): void {
    if (this.#scheduled || this.#watchers.size === 0) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      // A watcher that goes on waiting stays in the set; one that is done removes itself.
      for (const watcher of [...this.#watchers]) watcher.onEvent();
    });
  }
}
