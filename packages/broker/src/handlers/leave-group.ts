import { ErrorCode, type LeaveGroupResponse, leaveGroupApi } from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import { groupErrorCode } from './group-error-code.ts';
import { advertisedVersions } from './versions.ts';

/** First version with a list of members (KIP-345). */
const FIRST_LIST = 3;

/** Takes members out of a group. */
export function leaveGroupHandler(coordinator: GroupCoordinator): Handler {
  return defineHandler({
    api: leaveGroupApi,
    versions: advertisedVersions(leaveGroupApi),
    handle({ groupId, memberId, members }, { apiVersion }): LeaveGroupResponse {
      const leaving = apiVersion >= FIRST_LIST ? members : [{ memberId, groupInstanceId: null }];
      const left = coordinator.leaveGroup({ groupId, members: leaving });
      const results = left.members.map(({ error, ...member }) => ({
        ...member,
        errorCode: groupErrorCode(error),
      }));
      const own = apiVersion >= FIRST_LIST ? undefined : results[0];
      const errorCode = groupErrorCode(left.error);
      return {
        throttleTimeMs: 0,
        // Before the list, what happened to the one member is the answer's own error.
        errorCode: errorCode === ErrorCode.NONE ? (own?.errorCode ?? errorCode) : errorCode,
        members: results,
      };
    },
  });
}
