/**
 * The bound that a metric with a quota is held to. NaN is never acceptable, so an average, a
 * maximum or a minimum with a quota violates it while it has no data.
 */
export class QuotaBound {
  /** The number the measured value is compared with, in the unit of the metric. */
  readonly bound: number;
  /** Whether values above the bound violate it (else values below it do). */
  readonly isUpper: boolean;

  private constructor(bound: number, isUpper: boolean) {
    this.bound = bound;
    this.isUpper = isUpper;
  }

  /** Values up to and including `bound` are acceptable. */
  static upper(bound: number): QuotaBound {
    return new QuotaBound(bound, true);
  }

  /** Values from `bound` on are acceptable. */
  static lower(bound: number): QuotaBound {
    return new QuotaBound(bound, false);
  }

  /** Whether `value` is within the bound. */
  accepts(value: number): boolean {
    return this.isUpper ? value <= this.bound : value >= this.bound;
  }
}
