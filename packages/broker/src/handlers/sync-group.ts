import { type SyncGroupResponse, syncGroupApi } from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import { groupErrorCode } from './group-error-code.ts';
import { unlessGone } from './unless-gone.ts';
import { advertisedVersions } from './versions.ts';

/** First version that must name the protocol (KIP-559). */
const FIRST_PROTOCOL = 5;

/** Gives a member its assignment; parked until the leader's request has brought it. */
export function syncGroupHandler(coordinator: GroupCoordinator): Handler {
  return defineHandler({
    api: syncGroupApi,
    versions: advertisedVersions(syncGroupApi),
    async handle(request, { apiVersion, client }): Promise<SyncGroupResponse | undefined> {
      const requiresProtocol = apiVersion >= FIRST_PROTOCOL;
      const synced = await unlessGone(client, (signal) =>
        coordinator.syncGroup({ ...request, requiresProtocol }, { signal }),
      );
      if (synced === undefined) return undefined;
      const { error, protocolType, protocolName, assignment } = synced;
      const errorCode = groupErrorCode(error);
      return { throttleTimeMs: 0, errorCode, protocolType, protocolName, assignment };
    },
  });
}
