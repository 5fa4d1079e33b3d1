import { InvalidQuotaOptionError } from './errors.ts';

/** Which part of its parent's bytes a child gets while others wait too. */
export interface ShareOptions {
  /**
   * Children of a higher priority go first, as long as one of them waits and may go. An integer.
   * Default 0, which is also that of those who ask the parent itself.
   */
  readonly priority?: number | undefined;
  /**
   * Children of one priority get bytes in proportion to their weights while they wait. A number
   * above 0. Default 1, which is also that of those who ask the parent itself.
   */
  readonly weight?: number | undefined;
}

/** The place of a child among those who share a parent. */
export class Share {
  readonly priority: number;
  readonly #weight: number;
  /** The virtual time at which what it has had is paid for. */
  #paidUntil = 0;
  #lastCost = 0;

  /** @throws InvalidQuotaOptionError when an option is out of range */
  constructor({ priority = 0, weight = 1 }: ShareOptions = {}) {
    if (!Number.isSafeInteger(priority)) {
      throw new InvalidQuotaOptionError(`priority must be an integer, got ${priority}`);
    }
    if (!(weight > 0) || weight === Number.POSITIVE_INFINITY) {
      throw new InvalidQuotaOptionError(`weight must be a number above 0, got ${weight}`);
    }
    this.priority = priority;
    this.#weight = weight;
  }

  /**
   * When its next bytes would begin. Time in which it asked for nothing is not saved up, but for one
   * turn: those who ask again only when they were served come a moment late for it.
   */
  startAt(now: number): number {
    return Math.max(this.#paidUntil, now - this.#lastCost);
  }

  /** Notes that it got `bytes`, and returns when they began: the new virtual time. */
  charge(bytes: number, now: number): number {
    const start = this.startAt(now);
    this.#lastCost = bytes / this.#weight;
    this.#paidUntil = start + this.#lastCost;
    return Math.max(start, now);
  }
}
