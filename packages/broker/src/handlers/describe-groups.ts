import { describeGroupsApi } from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import { GROUP_OPERATIONS, operationsIfAsked } from './authorized-operations.ts';
import { groupErrorCode } from './group-error-code.ts';
import { advertisedVersions } from './versions.ts';

/** Describes groups and their members. */
export function describeGroupsHandler(coordinator: GroupCoordinator): Handler {
  return defineHandler({
    api: describeGroupsApi,
    versions: advertisedVersions(describeGroupsApi),
    handle: ({ groups, includeAuthorizedOperations }) => ({
      throttleTimeMs: 0,
      groups: coordinator.describeGroups(groups).map((group) => ({
        errorCode: groupErrorCode(group.error),
        groupId: group.groupId,
        groupState: group.state,
        protocolType: group.protocolType,
        protocolData: group.protocol,
        members: group.members.map(({ metadata, assignment, ...member }) => ({
          ...member,
          memberMetadata: metadata,
          memberAssignment: assignment,
        })),
        authorizedOperations: operationsIfAsked(includeAuthorizedOperations, GROUP_OPERATIONS),
      })),
    }),
  });
}
