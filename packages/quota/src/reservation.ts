import { ReservationEndedError } from './errors.ts';

/** What a {@link Reservation} tells the quota that it is of. */
export interface ReservationOwner {
  /** The reservation of `estimate` bytes ended; `actual` bytes count from now on. */
  endReservation(estimate: number, actual: number | undefined): void;
}

/**
 * Leave to move bytes that are not moved yet. Until it is settled or released the estimate counts
 * towards the quota, so that callers side by side never pass the same gap.
 */
export class Reservation implements Disposable {
  /** The bytes it holds, as estimated. */
  readonly estimate: number;
  readonly #owner: ReservationOwner;
  #ended = false;

  constructor(estimate: number, owner: ReservationOwner) {
    this.estimate = estimate;
    this.#owner = owner;
  }

  /** Whether it was settled or released. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  /**
   * Puts the bytes that were really moved in the place of the estimate. A copy that failed half-way
   * settles what it moved.
   *
   * @throws ReservationEndedError when it was settled or released before
   */
  settle(actual: number): void {
    if (this.#ended) throw new ReservationEndedError();
    this.#ended = true;
    this.#owner.endReservation(this.estimate, actual);
  }

  /** Gives the estimate back; nothing was moved. Does nothing when it has ended. */
  release(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#owner.endReservation(this.estimate, undefined);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
