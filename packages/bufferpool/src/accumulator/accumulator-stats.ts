/** What may be drained at a moment. */
export interface ReadyReport<P> {
  /** Partitions whose first batch may be taken, the one that waited longest for its turn first. */
  readonly partitions: readonly P[];
  /** Ms until another one becomes ready by the passing of time alone; `Infinity` if none does. */
  readonly nextCheckMs: number;
}

/** An accumulator at one moment. */
export interface AccumulatorStats {
  readonly partitions: number;
  /** Batches that wait to be taken. */
  readonly queuedBatches: number;
  /** Batches that were taken, and neither completed nor put back. */
  readonly inFlightBatches: number;
  /** Records that wait for memory. */
  readonly waitingAppends: number;
  /** Appends that found no memory in time, since the start. */
  readonly exhausted: number;
}
