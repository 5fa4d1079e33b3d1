import type { LogSegment } from '../log-segment.ts';

const ENTRIES = 8;

/**
 * Where the batches lie at which recent reads ended: a consumer's next read begins there, and then
 * needs no index and no scan.
 */
export class PositionCache {
  readonly #offsets = new Float64Array(ENTRIES).fill(-1);
  readonly #positions = new Float64Array(ENTRIES);
  readonly #segments: (LogSegment | undefined)[] = [];
  #next = 0;

  /** The batch that begins with `offset` is at `position`. */
  add(segment: LogSegment, offset: number, position: number): void {
    if (this.find(segment, offset) !== undefined) return;
    this.#offsets[this.#next] = offset;
    this.#positions[this.#next] = position;
    this.#segments[this.#next] = segment;
    this.#next = (this.#next + 1) % ENTRIES;
  }

  /** Position of the batch that begins with `offset`, if it is known. */
  find(segment: LogSegment, offset: number): number | undefined {
    const entry = this.#offsets.indexOf(offset);
    return entry >= 0 && this.#segments[entry] === segment ? this.#positions[entry] : undefined;
  }

  clear(): void {
    this.#offsets.fill(-1);
    this.#segments.length = 0;
  }
}
