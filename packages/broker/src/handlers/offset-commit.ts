import { type OffsetCommitResponse, offsetCommitApi } from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import { groupErrorCode } from './group-error-code.ts';
import { advertisedVersions } from './versions.ts';

/** First version that understands GROUP_ID_NOT_FOUND (KIP-848). */
const FIRST_GROUP_ID_NOT_FOUND = 9;
const NOT_GIVEN = -1;

/** Commits offsets. */
export function offsetCommitHandler(coordinator: GroupCoordinator): Handler {
  return defineHandler({
    api: offsetCommitApi,
    versions: advertisedVersions(offsetCommitApi),
    async handle(request, { apiVersion }): Promise<OffsetCommitResponse> {
      const { groupId, memberId, groupInstanceId, retentionTimeMs } = request;
      const { topics } = await coordinator.commitOffsets({
        groupId,
        memberId,
        groupInstanceId,
        generationId: request.generationIdOrMemberEpoch,
        retentionTimeMs: retentionTimeMs === NOT_GIVEN ? undefined : retentionTimeMs,
        reportsUnknownGroup: apiVersion >= FIRST_GROUP_ID_NOT_FOUND,
        topics: request.topics.map(({ name, partitions }) => ({
          name,
          partitions: partitions.map((partition) => ({
            index: partition.partitionIndex,
            offset: partition.committedOffset,
            leaderEpoch: partition.committedLeaderEpoch,
            metadata: partition.committedMetadata,
            commitTimestampMs:
              partition.commitTimestamp === NOT_GIVEN ? undefined : partition.commitTimestamp,
          })),
        })),
      });
      return {
        throttleTimeMs: 0,
        topics: topics.map(({ name, partitions }) => ({
          name,
          partitions: partitions.map(({ index, error }) => ({
            partitionIndex: index,
            errorCode: groupErrorCode(error),
          })),
        })),
      };
    },
  });
}
