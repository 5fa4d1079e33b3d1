import { ReservationEndedError } from './errors.ts';
import type { PacingHook } from './pacing-hook.ts';
import type { Reservation } from './reservation.ts';
import type { WindowedQuota } from './windowed-quota.ts';

/** What a {@link CopyPermit} is made of. */
export interface CopyPermitParts {
  /** Bytes the caller said it would copy. */
  readonly estimate: number;
  /** The hold on the window that binds; none where the pacer binds. */
  readonly reservation: Reservation | undefined;
  readonly pacer: PacingHook | undefined;
  /** The windows in which the bytes are only counted. */
  readonly counted: readonly WindowedQuota[];
}

/**
 * Leave to copy one segment. Pass `pacer` to the store, then settle with the bytes that were copied;
 * `release()` in a `finally` gives back what was not settled.
 */
export class CopyPermit implements Disposable {
  /** Bytes the caller said it would copy. */
  readonly estimate: number;
  /** For the store's call options. There is one only where copies are paced. */
  readonly pacer: PacingHook | undefined;
  readonly #reservation: Reservation | undefined;
  readonly #counted: readonly WindowedQuota[];
  #ended = false;

  constructor(parts: CopyPermitParts) {
    this.estimate = parts.estimate;
    this.pacer = parts.pacer;
    this.#reservation = parts.reservation;
    this.#counted = parts.counted;
  }

  /**
   * Records the bytes that were really copied. A copy that failed half-way settles what it sent.
   *
   * @throws ReservationEndedError when it was settled or released before
   */
  settle(actual: number): void {
    if (this.#ended) throw new ReservationEndedError();
    this.#ended = true;
    for (const quota of this.#counted) quota.record(actual);
    this.#reservation?.settle(actual);
  }

  /** Gives everything back; nothing was copied. Does nothing when it has ended. */
  release(): void {
    this.#ended = true;
    this.#reservation?.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
