interface Entry {
  /** First offset of the epoch inside the segment. */
  readonly start: number;
  /** Last offset of the epoch inside the segment, inclusive. */
  readonly end: number;
  readonly id: string;
}

/**
 * The copied segments of one leader epoch. A segment that spans several epochs is in each of them,
 * with the part that belongs to it.
 *
 * Where Kafka keeps one segment for a start offset and looks no further than the nearest, this keeps
 * all, and looks at lower ones when the nearest does not reach: a shorter upload that a deposed leader
 * finishes late hides nothing.
 */
export class EpochSegments {
  /** Ascending by start; of equal starts the one that was finished last is last. */
  readonly #entries: Entry[] = [];
  /** Known, but not what a look-up answers: copy not finished, deletion begun, or superseded. */
  readonly #unreferenced = new Set<string>();
  /** Whether an entry may end before one in front of it does. Then a look-up may have to walk down. */
  #nested = false;
  #highest = -1;

  /** Highest last offset that was ever finished, -1 when none was. Deletions do not lower it. */
  get highest(): number {
    return this.#highest;
  }

  /** Whether nothing is left that is worth keeping. */
  get disposable(): boolean {
    return this.#highest < 0 && this.#unreferenced.size === 0 && this.#entries.length === 0;
  }

  started(id: string): void {
    this.#unreferenced.add(id);
  }

  /** Makes a segment the answer for [`start`, `end`]; what it covers to the end becomes unreferenced. */
  finished(id: string, start: number, end: number): void {
    let last = this.#entries.at(-1);
    while (last !== undefined && last.start >= start && this.#highest <= end) {
      this.#unreferenced.add(last.id);
      this.#entries.pop();
      last = this.#entries.at(-1);
    }
    const at = this.#indexAfter(start);
    const before = this.#entries[at - 1];
    if (at < this.#entries.length || (before !== undefined && before.end >= end)) {
      this.#nested = true;
    }
    this.#entries.splice(at, 0, { start, end, id });
    this.#unreferenced.delete(id);
    this.#highest = Math.max(this.#highest, end);
  }

  deletionStarted(id: string): void {
    this.#drop(id);
    this.#unreferenced.add(id);
  }

  deleted(id: string): void {
    this.#drop(id);
    this.#unreferenced.delete(id);
  }

  /** The segment that holds `offset` as written in this epoch. */
  find(offset: number): string | undefined {
    return this.#entries[this.#findIndex(offset)]?.id;
  }

  /** The first segment at or after `offset` that `accepts` takes, in ascending order. */
  findFrom(offset: number, accepts: (id: string) => boolean): string | undefined {
    const found = this.#findIndex(offset);
    for (
      let at = found < 0 ? this.#indexAfter(offset) : found;
      at < this.#entries.length;
      at += 1
    ) {
      const entry = this.#entries[at];
      if (entry !== undefined && entry.end >= offset && accepts(entry.id)) return entry.id;
    }
    return undefined;
  }

  /** All ids: first those that look-ups answer, ascending, then the others. */
  ids(): string[] {
    return [...this.#entries.map((entry) => entry.id), ...this.#unreferenced];
  }

  #findIndex(offset: number): number {
    for (let at = this.#indexAfter(offset) - 1; at >= 0; at -= 1) {
      const entry = this.#entries[at];
      if (entry !== undefined && entry.end >= offset) return at;
      if (!this.#nested) return -1;
    }
    return -1;
  }

  /** Index of the first entry that starts beyond `offset`. */
  #indexAfter(offset: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && entry.start <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #drop(id: string): void {
    const at = this.#entries.findIndex((entry) => entry.id === id);
    if (at >= 0) this.#entries.splice(at, 1);
    if (this.#entries.length < 2) this.#nested = false;
  }
}
