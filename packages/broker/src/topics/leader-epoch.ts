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
