/** Divides a range of values into bins, numbered from 0. */
export interface BinScheme {
  /** How many bins there are, from 2. */
  readonly bins: number;
  /** The bin that `value` falls into; the first or last for values outside the range. */
  toBin(value: number): number;
  /** The lower edge of a bin; -Infinity before the first, Infinity beyond the last. */
  fromBin(bin: number): number;
}
