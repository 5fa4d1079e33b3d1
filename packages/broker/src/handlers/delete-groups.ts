import { type DeleteGroupsResponse, deleteGroupsApi } from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import { groupErrorCode } from './group-error-code.ts';
import { advertisedVersions } from './versions.ts';

/** Deletes groups without members, with their offsets. */
export function deleteGroupsHandler(coordinator: GroupCoordinator): Handler {
  return defineHandler({
    api: deleteGroupsApi,
    versions: advertisedVersions(deleteGroupsApi),
    async handle({ groupsNames }): Promise<DeleteGroupsResponse> {
      const deleted = await coordinator.deleteGroups(groupsNames);
      return {
        throttleTimeMs: 0,
        results: deleted.map(({ groupId, error }) => ({
          groupId,
          errorCode: groupErrorCode(error),
        })),
      };
    },
  });
}
