import { epochForOffset } from '../lineage/leader-epochs.ts';
import type { PartitionLogView } from '../partition-log-view.ts';

/** An offset, and the leader epoch that wrote it; -1 for what is not known. */
export interface OffsetAndEpoch {
  readonly offset: number;
  readonly leaderEpoch: number;
}

const UNKNOWN: OffsetAndEpoch = Object.freeze({ offset: -1, leaderEpoch: -1 });

/** ListOffsets -2: the first offset over both tiers. */
export function earliestOffset(log: PartitionLogView): OffsetAndEpoch {
  return withEpoch(log, log.logStartOffset);
}

/** ListOffsets -4 (KIP-405): the first offset on local disk. */
export function earliestLocalOffset(log: PartitionLogView): OffsetAndEpoch {
  return withEpoch(log, log.localLogStartOffset);
}

/** ListOffsets -5 (KIP-1005): the highest offset in the remote tier, inclusive; -1 for none. */
export function latestTieredOffset(log: PartitionLogView): OffsetAndEpoch {
  const highest = log.highestOffsetInRemoteStorage;
  return log.config.remoteStorageEnable && highest >= 0 ? withEpoch(log, highest) : UNKNOWN;
}

/**
 * ListOffsets -6 (KIP-1023): the first offset that is not in the remote tier. Unknown while the
 * catalogue has not told what is.
 */
export function earliestPendingUploadOffset(log: PartitionLogView): OffsetAndEpoch {
  if (!log.config.remoteStorageEnable) return UNKNOWN;
  const highest = log.highestOffsetInRemoteStorage;
  if (highest >= 0) return withEpoch(log, Math.max(highest + 1, log.logStartOffset));
  return log.localLogStartOffset === log.logStartOffset ? earliestOffset(log) : UNKNOWN;
}

function withEpoch(log: PartitionLogView, offset: number): OffsetAndEpoch {
  return { offset, leaderEpoch: epochForOffset(log.leaderEpochs, offset) ?? -1 };
}
