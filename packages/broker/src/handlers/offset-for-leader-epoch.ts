import {
  ErrorCode,
  type OffsetForLeaderEpochRequestPartition,
  type OffsetForLeaderEpochResponsePartition,
  offsetForLeaderEpochApi,
} from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import { checkLeaderEpoch, endOfEpoch } from '../topics/leader-epoch.ts';
import type { Partition } from '../topics/partition.ts';
import { advertisedVersions } from './versions.ts';

const UNKNOWN = -1;

/** What the handler needs. */
export interface OffsetForLeaderEpochServices {
  findPartition(topic: string, index: number): Partition | undefined;
}

/** Tells where a leader epoch ended, by which clients find out whether their position still exists. */
export function offsetForLeaderEpochHandler(services: OffsetForLeaderEpochServices): Handler {
  return defineHandler({
    api: offsetForLeaderEpochApi,
    versions: advertisedVersions(offsetForLeaderEpochApi),
    handle: ({ topics }) => ({
      throttleTimeMs: 0,
      topics: topics.map(({ topic, partitions }) => ({
        topic,
        partitions: partitions.map((wanted) =>
          answer(services.findPartition(topic, wanted.partition), wanted),
        ),
      })),
    }),
  });
}

function answer(
  partition: Partition | undefined,
  wanted: OffsetForLeaderEpochRequestPartition,
): OffsetForLeaderEpochResponsePartition {
  const respond = (errorCode: number, leaderEpoch = UNKNOWN, endOffset = UNKNOWN) => ({
    errorCode,
    partition: wanted.partition,
    leaderEpoch,
    endOffset,
  });
  if (partition === undefined) return respond(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  const epochError = checkLeaderEpoch(partition, wanted.currentLeaderEpoch);
  if (epochError !== ErrorCode.NONE) return respond(epochError);
  const { epoch, endOffset } = endOfEpoch(partition, wanted.leaderEpoch);
  return respond(ErrorCode.NONE, epoch, endOffset);
}
