import { endOffsetOfEpoch } from '../lineage/leader-epochs.ts';
import type { RemoteLogMetadataManager } from '../metadata/metadata-manager.ts';
import type { LeaderEpochEntry, PartitionLogView } from '../partition-log-view.ts';

/**
 * The highest offset (inclusive) of the present leader's history that is in the remote tier, -1 when
 * there is none. The latest epoch that has remote data decides. Where the remote tier went further in
 * an epoch than the leader did, as after an unclean election, the leader's end of the epoch counts.
 */
export function highestRemoteOffset(
  lineage: readonly LeaderEpochEntry[],
  logEndOffset: number,
  highestForEpoch: (epoch: number) => number | undefined,
): number {
  for (const { epoch } of lineage.toReversed()) {
    const highest = highestForEpoch(epoch);
    if (highest === undefined) continue;
    const end = endOffsetOfEpoch(lineage, epoch, logEndOffset) ?? logEndOffset;
    return Math.min(highest, end - 1);
  }
  return -1;
}

/**
 * Tells a log what is in the remote tier, from the catalogue. Has to come before anything that counts
 * bytes of both tiers, or what is in both counts twice and data goes too early (KAFKA-20732).
 *
 * @returns the highest offset, inclusive; -1 for none
 * @throws RemoteLogError `LOGLOFT_RLM_NOT_READY`
 */
export function seedHighestRemoteOffset(
  log: PartitionLogView,
  metadata: RemoteLogMetadataManager,
): number {
  const { leaderEpochs, logEndOffset } = log;
  const highest = highestRemoteOffset(leaderEpochs, logEndOffset, (epoch) =>
    highestStillThere(log, metadata, epoch),
  );
  if (highest >= 0) log.updateHighestOffsetInRemoteStorage(highest);
  return highest;
}

/**
 * The catalogue remembers the highest offset of an epoch also when its segment is deleted. That is right
 * for what expired; a finished copy that was withdrawn must not count, or its local twin would go.
 */
function highestStillThere(
  log: PartitionLogView,
  metadata: RemoteLogMetadataManager,
  epoch: number,
): number | undefined {
  const partition = log.topicIdPartition;
  const highest = metadata.highestOffsetForEpoch(partition, epoch);
  if (highest === undefined || highest < log.logStartOffset) return highest;
  if (metadata.remoteLogSegmentMetadata(partition, epoch, highest) !== undefined) return highest;
  let found: number | undefined;
  for (const segment of metadata.listRemoteLogSegments(partition, epoch)) {
    if (segment.state !== 'COPY_SEGMENT_FINISHED') continue;
    const next = segment.segmentLeaderEpochs.find((entry) => entry.epoch > epoch);
    found = Math.max(found ?? -1, (next?.startOffset ?? segment.endOffset + 1) - 1);
  }
  return found;
}
