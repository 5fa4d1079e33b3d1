/** What the reading of segments did so far; all count from the start. */
export interface ReadCounters {
  /** Requests for what a reader waited for. */
  directRequests: number;
  /** Requests for what a reader might want next. */
  aheadRequests: number;
  /** Bytes that the store gave. */
  storeBytes: number;
  /** Bytes that readers got. */
  deliveredBytes: number;
  /** Chunks that were loaded and decoded. */
  loads: number;
  loadFailures: number;
  /** Ms from asking for a chunk's run until it was there, summed. */
  loadMs: number;
  /** Reads that ended before their last byte, because whoever read left or gave up. */
  cancelled: number;
  /** Waits that took too long. */
  timeouts: number;
  /** Loads that nobody waited for any more and that were ended, since there were too many of them. */
  endedLoads: number;
  /** Read-ahead that was dropped: the reader went elsewhere, or there was no memory for it. */
  droppedAhead: number;
}

/** All at 0. */
export function newReadCounters(): ReadCounters {
  return {
    directRequests: 0,
    aheadRequests: 0,
    storeBytes: 0,
    deliveredBytes: 0,
    loads: 0,
    loadFailures: 0,
    loadMs: 0,
    cancelled: 0,
    timeouts: 0,
    endedLoads: 0,
    droppedAhead: 0,
  };
}
