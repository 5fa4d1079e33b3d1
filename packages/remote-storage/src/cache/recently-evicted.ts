const MAX_REMEMBERED = 1_024;

/** Remembers what a cache had to drop for want of room, to notice that it is asked for again. */
export class RecentlyEvicted {
  readonly #keys = new Set<string>();

  note(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      break;
    }
  }

  /** Whether it was dropped a short while ago; the answer is given once. */
  takes(key: string): boolean {
    return this.#keys.delete(key);
  }

  clear(): void {
    this.#keys.clear();
  }
}
