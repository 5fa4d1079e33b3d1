import { heartbeatApi } from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import { groupErrorCode } from './group-error-code.ts';
import { advertisedVersions } from './versions.ts';

/** Keeps a member's session alive, and is how it learns of a rebalance. */
export function heartbeatHandler(coordinator: GroupCoordinator): Handler {
  return defineHandler({
    api: heartbeatApi,
    versions: advertisedVersions(heartbeatApi),
    handle: (request) => ({
      throttleTimeMs: 0,
      errorCode: groupErrorCode(coordinator.heartbeat(request)),
    }),
  });
}
