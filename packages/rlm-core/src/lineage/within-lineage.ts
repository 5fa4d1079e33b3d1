import type { LeaderEpochEntry } from '../partition-log-view.ts';
import { withoutEmptyEpochs } from './leader-epochs.ts';

/** The facts of a remote segment that decide whether it belongs to the present leader's history. */
export interface SegmentLineage {
  /** Last offset, inclusive. */
  readonly endOffset: number;
  readonly segmentLeaderEpochs: readonly LeaderEpochEntry[];
}

/**
 * Whether a segment holds what the present leader's log holds at the same offsets. After an unclean
 * election the remote tier may know a history that the leader does not share; such segments must
 * neither be read nor counted.
 *
 * Epochs of the segment below the lineage's first are ignored: they left the lineage's front when
 * the log start moved. For the lineage's first epoch any offset is accepted, since that entry may
 * have been moved to the log start.
 */
export function isWithinLineage(
  segment: SegmentLineage,
  lineage: readonly LeaderEpochEntry[],
  logEndOffset: number,
): boolean {
  if (segment.endOffset >= logEndOffset) return false;
  const leader = withoutEmptyEpochs(lineage);
  const oldest = leader[0];
  if (oldest === undefined) return false;
  const own = withoutEmptyEpochs(segment.segmentLeaderEpochs).filter(
    (entry) => entry.epoch >= oldest.epoch,
  );
  const first = own[0];
  if (first === undefined) return false;
  const at = leader.findIndex((entry) => entry.epoch === first.epoch);
  const counterpart = leader[at];
  if (counterpart === undefined) return false;
  if (at > 0 && first.startOffset < counterpart.startOffset) return false;
  return followsLeader(own, leader, at) && endsInside(segment.endOffset, leader[at + own.length]);
}

/** From the second entry on, epochs and offsets must be the leader's own. */
function followsLeader(
  own: readonly LeaderEpochEntry[],
  leader: readonly LeaderEpochEntry[],
  at: number,
): boolean {
  return own.slice(1).every((entry, index) => {
    const expected = leader[at + 1 + index];
    return expected?.epoch === entry.epoch && expected.startOffset === entry.startOffset;
  });
}

function endsInside(endOffset: number, next: LeaderEpochEntry | undefined): boolean {
  return next === undefined || endOffset < next.startOffset;
}
