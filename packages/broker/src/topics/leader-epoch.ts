import type { EpochEnd } from '@logloft/log';
import { ErrorCode } from '@logloft/protocol';
import type { Partition } from './partition.ts';

const NOT_CHECKED = -1;

/**
 * What a client's idea of the leader epoch is worth (KIP-320): FENCED when it is behind ours, UNKNOWN
 * when it is ahead, NONE when it is the same or not given.
 */
export function checkLeaderEpoch(partition: Partition, currentLeaderEpoch: number): number {
  if (currentLeaderEpoch === NOT_CHECKED || currentLeaderEpoch === partition.leaderEpoch) {
    return ErrorCode.NONE;
  }
  return currentLeaderEpoch < partition.leaderEpoch
    ? ErrorCode.FENCED_LEADER_EPOCH
    : ErrorCode.UNKNOWN_LEADER_EPOCH;
}

/**
 * Where an epoch ended, as OffsetForLeaderEpoch answers it. An epoch without an append is not in the
 * log's history, yet clients may have been told of it (by ListOffsets, for example), and an answer of
 * "unknown" makes them reset their position. It began and ended where the log ends.
 */
export function endOfEpoch({ log, leaderEpoch }: Partition, epoch: number): EpochEnd {
  const known = log.endOffsetForEpoch(epoch);
  if (known.epoch >= 0 || epoch < 0 || epoch > leaderEpoch) return known;
  const latest = epoch === leaderEpoch ? epoch : (log.leaderEpochs.at(-1)?.epoch ?? epoch);
  return { epoch: latest, endOffset: log.logEndOffset };
}
