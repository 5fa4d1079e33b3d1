import type { BinScheme } from '../bin-scheme.ts';

/**
 * Counts values by bins. The counts are 32-bit floats, as in Kafka, so a bin stops counting at
 * 16,777,216.
 */
export class Histogram {
  readonly #scheme: BinScheme;
  readonly #counts: Float32Array;
  #total = 0;

  constructor(scheme: BinScheme) {
    this.#scheme = scheme;
    this.#counts = new Float32Array(scheme.bins);
  }

  record(value: number): void {
    const bin = this.#scheme.toBin(value);
    this.#counts[bin] = (this.#counts[bin] ?? 0) + 1;
    this.#total += 1;
  }

  /** The lower edge of the bin that holds the value at `quantile` (0 to 1); NaN without values. */
  value(quantile: number): number {
    if (this.#total === 0) return Number.NaN;
    if (quantile > 1) return Number.POSITIVE_INFINITY;
    if (quantile < 0) return Number.NEGATIVE_INFINITY;
    const wanted = Math.fround(quantile);
    const last = this.#counts.length - 1;
    let sum = 0;
    for (let bin = 0; bin < last; bin += 1) {
      sum = Math.fround(sum + (this.#counts[bin] ?? 0));
      if (sum / this.#total > wanted) return this.#scheme.fromBin(bin);
    }
    return this.#scheme.fromBin(last);
  }

  /** The counts, by bin. */
  counts(): readonly number[] {
    return [...this.#counts];
  }
}
