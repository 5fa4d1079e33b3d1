/** One range of sizes that were asked for, in bytes. */
export interface SizeBucket {
  /** Smallest size of the range. */
  readonly fromBytes: number;
  /** Largest size of the range, itself included. */
  readonly upToBytes: number;
  /** How often a size of the range was asked for. */
  readonly count: number;
}

/** Ranges an octave; a range is at most 1/16 (6.25 %) wider than its lower end. */
const RANGES_PER_OCTAVE = 16;
const RANGE_BITS = 4;
/** Up to here each size has a range of its own. */
const EXACT_UP_TO = 2 * RANGES_PER_OCTAVE;
/** Bits that are cut off a size which does not fit 31 bits, before it is looked up. */
const LARGE_BITS = 26;
const LARGE_STEP = 2 ** LARGE_BITS;
/** One more than the range of the largest safe integer. */
const RANGES = rangeOf(Number.MAX_SAFE_INTEGER) + 1;

/**
 * How often which size was asked for: counts in ranges that grow with the size, so that 6.4 KB hold
 * every distribution there is. The upper end of a range belongs to it, so powers of two are exact.
 */
export class SizeHistogram {
  // Doubles: 32 bits would overflow within minutes at the speed of the pool.
  readonly #counts = new Float64Array(RANGES);
  #largest = 0;
  // Most requests have the size of the one before, and are counted without finding their range.
  #recentSize = 0;
  #recentCount = 0;

  /** @param size a safe integer >= 0 */
  record(size: number): void {
    if (size !== this.#recentSize) this.#countRecent(size);
    this.#recentCount += 1;
  }

  /** What was counted, by size; ranges without any are left out. */
  buckets(): SizeBucket[] {
    this.#countRecent(this.#recentSize);
    const buckets: SizeBucket[] = [];
    for (let range = 0; range < RANGES; range += 1) {
      const count = this.#counts[range] ?? 0;
      if (count === 0) continue;
      const fromBytes = range === 0 ? 0 : upperEndOf(range - 1) + 1;
      buckets.push({ fromBytes, upToBytes: Math.min(upperEndOf(range), this.#largest), count });
    }
    return buckets;
  }

  #countRecent(nextSize: number): void {
    const range = rangeOf(this.#recentSize);
    this.#counts[range] = (this.#counts[range] ?? 0) + this.#recentCount;
    if (this.#recentSize > this.#largest) this.#largest = this.#recentSize;
    this.#recentSize = nextSize;
    this.#recentCount = 0;
  }
}

/**
 * The smallest size, in bytes, that at least `share` of all requests do not exceed; `undefined`
 * while there was none. Exact to the width of a range.
 *
 * @param buckets ascending, as {@link SizeHistogram.buckets} gives them
 * @param share in (0, 1]
 */
export function sizeHoldingShare(
  buckets: readonly SizeBucket[],
  share: number,
): number | undefined {
  let total = 0;
  for (const { count } of buckets) total += count;
  let held = 0;
  for (const { upToBytes, count } of buckets) {
    held += count;
    if (held >= share * total) return upToBytes;
  }
  return undefined;
}

function rangeOf(size: number): number {
  if (size <= EXACT_UP_TO) return size;
  const below = size - 1;
  if (below > 0x7f_ff_ff_ff) {
    return rangeOf(Math.floor(below / LARGE_STEP) + 1) + LARGE_BITS * RANGES_PER_OCTAVE;
  }
  const shift = 31 - RANGE_BITS - Math.clz32(below);
  return shift * RANGES_PER_OCTAVE + (below >>> shift) + 1;
}

function upperEndOf(range: number): number {
  if (range <= EXACT_UP_TO) return range;
  const shift = Math.floor((range - 1) / RANGES_PER_OCTAVE) - 1;
  return (range - shift * RANGES_PER_OCTAVE) * 2 ** shift;
}
