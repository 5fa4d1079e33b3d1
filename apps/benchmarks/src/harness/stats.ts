/** The middle of some values, and how far the others lie from it. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Median, smallest and largest value; all NaN without values. */
export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: median(sorted),
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
  };
}

/** A quantile (0 to 1) of values sorted ascending, by the nearest rank; NaN without values. */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  const rank = Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1));
  return sorted[rank] ?? Number.NaN;
}

/** Of an even number of values, the mean of the two in the middle. */
function median(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  if (sorted.length % 2 === 1) return upper;
  return (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
