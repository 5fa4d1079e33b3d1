import type { BinScheme } from '../bin-scheme.ts';
import { InvalidMetricOptionError } from '../errors.ts';

/** What {@link ConstantBins} are made of. */
export interface ConstantBinsOptions {
  /** How many bins, an integer from 2. */
  readonly bins: number;
  readonly min: number;
  readonly max: number;
}

/** Bins of one width. */
export class ConstantBins implements BinScheme {
  readonly bins: number;
  readonly #min: number;
  readonly #width: number;

  /** @throws InvalidMetricOptionError when there are fewer than two bins */
  constructor(options: ConstantBinsOptions) {
    this.bins = checkedBins(options.bins);
    this.#min = options.min;
    this.#width = (options.max - options.min) / options.bins;
  }

  toBin(value: number): number {
    const place = (value - this.#min) / this.#width;
    // Cut like an int of Java: towards zero, and NaN is 0.
    return place > 0 ? Math.floor(Math.min(place, this.bins - 1)) : 0;
  }

  fromBin(bin: number): number {
    if (bin < 0) return Number.NEGATIVE_INFINITY;
    if (bin > this.bins - 1) return Number.POSITIVE_INFINITY;
    return this.#min + bin * this.#width;
  }
}

/** @throws InvalidMetricOptionError when there are fewer than two bins */
export function checkedBins(bins: number): number {
  if (Number.isSafeInteger(bins) && bins >= 2) return bins;
  throw new InvalidMetricOptionError(`There must be at least 2 bins, as an integer, got ${bins}`);
}
