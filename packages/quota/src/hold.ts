/** The bytes that a reservation holds, on the side of the quota. */
export interface Hold {
  /** Bytes, as estimated. */
  readonly estimate: number;
  /** When it was made; ms of the monotonic clock. */
  readonly sinceMs: number;
  /** `expired`: given back by the quota, since it was held for too long. */
  state: 'held' | 'expired' | 'ended';
}

/** A reservation that nobody ended in time. */
export interface ExpiredHold {
  /** The sensor of the quota, or an empty text when it has none. */
  readonly quota: string;
  /** Bytes that were given back. */
  readonly estimate: number;
  /** For how many ms they were held. */
  readonly heldMs: number;
}
