import type { LogSegment } from '../log-segment.ts';

const ENTRIES = 8;
/** How long a range that was read from the disk counts as being in the page cache. */
const RECENT_MS = 10_000;

/** Ranges that somebody has just read from the disk: another consumer finds them in memory. */
export class RecentReads {
  readonly #segments: (LogSegment | undefined)[] = [];
  readonly #starts = new Float64Array(ENTRIES);
  readonly #ends = new Float64Array(ENTRIES);
  readonly #times = new Float64Array(ENTRIES);
  #next = 0;

  add(segment: LogSegment, start: number, end: number, monotonicMs: number): void {
    this.#segments[this.#next] = segment;
    this.#starts[this.#next] = start;
    this.#ends[this.#next] = end;
    this.#times[this.#next] = monotonicMs;
    this.#next = (this.#next + 1) % ENTRIES;
  }

  /** Whether one of the ranges holds all of [`start`, `end`). */
  covers(segment: LogSegment, start: number, end: number, monotonicMs: number): boolean {
    for (let entry = 0; entry < this.#segments.length; entry += 1) {
      if (
        this.#segments[entry] === segment &&
        (this.#starts[entry] ?? 0) <= start &&
        (this.#ends[entry] ?? 0) >= end &&
        monotonicMs - (this.#times[entry] ?? 0) <= RECENT_MS
      ) {
        return true;
      }
    }
    return false;
  }

  clear(): void {
    this.#segments.length = 0;
    this.#next = 0;
  }
}
