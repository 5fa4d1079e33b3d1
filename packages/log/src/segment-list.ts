import type { LogSegment } from './log-segment.ts';

/** The segments of a log by base offset; the last one is the active one. */
export class SegmentList {
  readonly #segments: LogSegment[] = [];

  get count(): number {
    return this.#segments.length;
  }

  /** All of them, the oldest first; valid until the next change. */
  get all(): readonly LogSegment[] {
    return this.#segments;
  }

  get first(): LogSegment | undefined {
    return this.#segments[0];
  }

  get last(): LogSegment | undefined {
    return this.#segments.at(-1);
  }

  at(index: number): LogSegment | undefined {
    return this.#segments[index];
  }

  /** Index of the segment that holds `offset`, or would: the last that begins at or before; -1. */
  floorIndex(offset: number): number {
    // Most reads are at the end of the log.
    const last = this.#segments.length - 1;
    if (last >= 0 && (this.#segments[last]?.baseOffset ?? 0) <= offset) return last;
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#segments[middle]?.baseOffset ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Where the segment at `index` ends: the base of the next one, or `endOffset` for the last. */
  nextOffset(index: number, endOffset: number): number {
    return this.#segments[index + 1]?.baseOffset ?? endOffset;
  }

  /** Adds a segment that begins after all others. */
  add(segment: LogSegment): void {
    this.#segments.push(segment);
  }

  /** Takes the `count` oldest ones out. */
  removeFirst(count: number): LogSegment[] {
    return this.#segments.splice(0, count);
  }

  /** Takes all from `index` on out. */
  removeFrom(index: number): LogSegment[] {
    return this.#segments.splice(index);
  }

  /** Bytes of all. */
  sizeInBytes(): number {
    let bytes = 0;
    for (const segment of this.#segments) bytes += segment.size;
    return bytes;
  }
}
