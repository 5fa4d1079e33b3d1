import type { BinScheme } from '../bin-scheme.ts';
import { InvalidMetricOptionError } from '../errors.ts';
import { checkedBins } from './constant-bins.ts';

/** What {@link LinearBins} are made of. */
export interface LinearBinsOptions {
  /** How many bins, an integer from 2. */
  readonly bins: number;
  readonly max: number;
}

/** Bins from 0 whose width grows by the same amount from one to the next: finer for small values. */
export class LinearBins implements BinScheme {
  readonly bins: number;
  readonly #max: number;
  readonly #scale: number;

  /** @throws InvalidMetricOptionError when there are fewer than two bins */
  constructor(options: LinearBinsOptions) {
    this.bins = checkedBins(options.bins);
    this.#max = options.max;
    this.#scale = options.max / ((options.bins * (options.bins - 1)) / 2);
  }

  /** @throws InvalidMetricOptionError for a value below 0 */
  toBin(value: number): number {
    if (value < 0) {
      throw new InvalidMetricOptionError(`Linear bins take values from 0, got ${value}`);
    }
    if (value > this.#max) return this.bins - 1;
    const place = -0.5 + 0.5 * Math.sqrt(1 + (8 * value) / this.#scale);
    // Cut like an int of Java: towards zero, and NaN is 0.
    return place > 0 ? Math.floor(Math.min(place, this.bins - 1)) : 0;
  }

  fromBin(bin: number): number {
    if (bin < 0) return Number.NEGATIVE_INFINITY;
    if (bin > this.bins - 1) return Number.POSITIVE_INFINITY;
    return ((bin * (bin + 1)) / 2) * this.#scale;
  }
}
