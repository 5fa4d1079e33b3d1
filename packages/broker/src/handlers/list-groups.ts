import { listGroupsApi } from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import { groupErrorCode } from './group-error-code.ts';
import { advertisedVersions } from './versions.ts';

/** Lists groups, by state and type where asked. */
export function listGroupsHandler(coordinator: GroupCoordinator): Handler {
  return defineHandler({
    api: listGroupsApi,
    versions: advertisedVersions(listGroupsApi),
    handle({ statesFilter, typesFilter }) {
      const listed = coordinator.listGroups({ states: statesFilter, types: typesFilter });
      return {
        throttleTimeMs: 0,
        errorCode: groupErrorCode(listed.error),
        groups: listed.groups.map(({ groupId, protocolType, state, type }) => ({
          groupId,
          protocolType,
          groupState: state,
          groupType: type,
        })),
      };
    },
  });
}
