import type { LeaderEpochEntry } from '../partition-log-view.ts';

// A lineage has few entries (one per change of leadership within the retention), so plain scans do.

/** The epoch under which `offset` was appended, or `undefined` when the lineage begins after it. */
export function epochForOffset(
  lineage: readonly LeaderEpochEntry[],
  offset: number,
): number | undefined {
  return lineage.findLast((entry) => entry.startOffset <= offset)?.epoch;
}

/**
 * Where an epoch ends: the first offset of the next one, or the log end offset for the latest.
 *
 * @returns the exclusive end, or `undefined` when the epoch is not in the lineage
 */
export function endOffsetOfEpoch(
  lineage: readonly LeaderEpochEntry[],
  epoch: number,
  logEndOffset: number,
): number | undefined {
  const at = lineage.findIndex((entry) => entry.epoch === epoch);
  if (at < 0) return undefined;
  return lineage[at + 1]?.startOffset ?? logEndOffset;
}

/**
 * The part of the lineage that covers [`baseOffset`, `nextOffset`), its first entry moved to
 * `baseOffset`. Epochs without a record in the range are left out. Empty when the lineage does not
 * reach back to `baseOffset`.
 */
export function segmentLeaderEpochs(
  lineage: readonly LeaderEpochEntry[],
  baseOffset: number,
  nextOffset: number,
): readonly LeaderEpochEntry[] {
  const first = lineage.findLastIndex((entry) => entry.startOffset <= baseOffset);
  if (first < 0) return [];
  return withoutEmptyEpochs(
    lineage
      .slice(first)
      .filter((entry) => entry.startOffset < nextOffset)
      .map(({ epoch, startOffset }) => ({ epoch, startOffset: Math.max(startOffset, baseOffset) })),
  );
}

/** Drops epochs under which nothing was appended: of several that start at one offset the last stays. */
export function withoutEmptyEpochs(
  lineage: readonly LeaderEpochEntry[],
): readonly LeaderEpochEntry[] {
  return lineage.filter((entry, at) => lineage[at + 1]?.startOffset !== entry.startOffset);
}
