import { type OffsetDeleteResponse, offsetDeleteApi } from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import { groupErrorCode } from './group-error-code.ts';
import { advertisedVersions } from './versions.ts';

/** Deletes committed offsets of topics that nobody in the group reads (KIP-496). */
export function offsetDeleteHandler(coordinator: GroupCoordinator): Handler {
  return defineHandler({
    api: offsetDeleteApi,
    versions: advertisedVersions(offsetDeleteApi),
    async handle({ groupId, topics }): Promise<OffsetDeleteResponse> {
      const deleted = await coordinator.deleteOffsets({
        groupId,
        topics: topics.map(({ name, partitions }) => ({
          name,
          partitions: partitions.map(({ partitionIndex }) => partitionIndex),
        })),
      });
      return {
        errorCode: groupErrorCode(deleted.error),
        throttleTimeMs: 0,
        topics: deleted.topics.map(({ name, partitions }) => ({
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
