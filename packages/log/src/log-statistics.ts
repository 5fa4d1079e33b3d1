/** Plain counters over all logs of a manager, since it was opened. Read them when you like. */
export class LogStatistics {
  /** Batches and bytes written. */
  appendedBatches = 0;
  appendedBytes = 0;
  /** Gathered writes: one a partition and turn, and one more where a segment rolls. */
  writes = 0;
  writeFailures = 0;
  /** Repeated batches answered with their first offset. */
  duplicates = 0;
  /** Bytes read synchronously, because they are in memory anyway. */
  hotReadBytes = 0;
  /** Bytes read through the thread pool. */
  coldReadBytes = 0;
  /** `fdatasync` calls on logs. */
  syncs = 0;
  flushFailures = 0;
  rolls = 0;
  /** Segments whose files were unlinked, and their bytes of log. */
  deletedSegments = 0;
  deletedBytes = 0;
}
