import { ReservationEndedError } from './errors.ts';
import type { Hold } from './hold.ts';

/** What a {@link Reservation} tells the quota that it is of. */
export interface ReservationOwner {
  /** The hold ends; `actual` bytes count from now on. */
  endHold(hold: Hold, actual: number | undefined): void;
}

/**
 * Leave to move bytes that are not moved yet. Until it is settled or released the estimate counts
 * towards the quota, so that callers side by side never pass the same gap.
 */
export class Reservation implements Disposable {
  readonly #hold: Hold;
  readonly #owner: ReservationOwner;

  constructor(hold: Hold, owner: ReservationOwner) {
    this.#hold = hold;
    this.#owner = owner;
  }

  /** The bytes it holds, as estimated. */
  get estimate(): number {
    return this.#hold.estimate;
  }

  /** Whether it was settled or released. */
  get hasEnded(): boolean {
    return this.#hold.state === 'ended';
  }

  /** Whether the quota took the estimate back, because it was held for longer than `maxHoldMs`. */
  get hasExpired(): boolean {
    return this.#hold.state === 'expired';
  }

  /**
   * Puts the bytes that were really moved in the place of the estimate. A copy that failed half-way
   * settles what it moved. After it has expired the bytes count all the same.
   *
   * @throws ReservationEndedError when it was settled or released before
   */
  settle(actual: number): void {
    if (this.hasEnded) throw new ReservationEndedError();
    this.#owner.endHold(this.#hold, actual);
  }

  /** Gives the estimate back; nothing was moved. Does nothing when it has ended. */
  release(): void {
    if (!this.hasEnded) this.#owner.endHold(this.#hold, undefined);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
