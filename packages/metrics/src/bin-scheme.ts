/** Divides a range of values into bins, numbered from 0. */
export interface BinScheme {
  /** How many bins there are, from 2. */
  readonly bins: number;
  /** The bin that `value` falls into; the first or last for values outside the range. */
  toBin(value: number): number;
  /** The lower edge of a bin; -Infinity before the first, Infinity beyond the last. */
  fromBin(bin: number): number;
}

const GREATEST_INT = 2 ** 31 - 1;
const LEAST_INT = -(2 ** 31);

/** What Java makes of a double as an int: towards zero, NaN to 0, and no further than its range. */
export function toJavaInt(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.min(Math.max(Math.trunc(value), LEAST_INT), GREATEST_INT);
}
