/** What one thread has of a shared pool. */
export interface SharedHolder {
  readonly ownerId: number;
  /** Bytes that were handed out to it and not returned, in whole pages. */
  readonly heldBytes: number;
}

/** A shared pool at one moment, over all threads. All sizes in bytes, in whole pages. */
export interface SharedBufferPoolStats {
  readonly totalBytes: number;
  readonly poolableBytes: number;
  /** What nobody holds. */
  readonly availableBytes: number;
  /** What is out; with `availableBytes` it is `totalBytes`, by two counts that are kept apart. */
  readonly grantedBytes: number;
  /** The largest request that would be served at once if nobody waited. */
  readonly largestFreeBytes: number;
  /** Allocations that wait. */
  readonly waiters: number;
  readonly closed: boolean;
  /** Who holds anything. */
  readonly holders: readonly SharedHolder[];
}
