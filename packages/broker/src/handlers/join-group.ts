import { type JoinGroupResponse, joinGroupApi } from '@logloft/protocol';
import { defineHandler, type Handler } from '../dispatch/handler.ts';
import type { GroupCoordinator } from '../group/group-coordinator.ts';
import type { ClientConnection } from '../network/connection.ts';
import { groupErrorCode } from './group-error-code.ts';
import { unlessGone } from './unless-gone.ts';
import { advertisedVersions } from './versions.ts';

/** First version whose request has a rebalance timeout. */
const FIRST_REBALANCE_TIMEOUT = 1;
/** First version that is told to join again with the member id it is given (KIP-394). */
const FIRST_KNOWN_MEMBER_ID = 4;
/** First version in which a missing protocol is null and not empty (KIP-559). */
const FIRST_NULL_PROTOCOL = 7;
/** First version that understands `skipAssignment` (KIP-814). */
const FIRST_SKIP_ASSIGNMENT = 9;

/** Brings a member into a group; parked until the join phase is over. */
export function joinGroupHandler(coordinator: GroupCoordinator): Handler {
  const disconnects = new DisconnectWatch(coordinator);
  return defineHandler({
    api: joinGroupApi,
    versions: advertisedVersions(joinGroupApi),
    async handle(
      request,
      { apiVersion, clientId, client },
    ): Promise<JoinGroupResponse | undefined> {
      const { groupId, rebalanceTimeoutMs } = request;
      const joined = await unlessGone(client, (signal) =>
        coordinator.joinGroup(
          {
            ...request,
            clientId: clientId ?? '',
            clientHost: client.host,
            rebalanceTimeoutMs:
              apiVersion >= FIRST_REBALANCE_TIMEOUT ? rebalanceTimeoutMs : undefined,
            requiresKnownMemberId: apiVersion >= FIRST_KNOWN_MEMBER_ID,
            supportsSkipAssignment: apiVersion >= FIRST_SKIP_ASSIGNMENT,
          },
          { signal },
        ),
      );
      if (joined === undefined) return undefined;
      if (joined.error === 'NONE') disconnects.watch(client, groupId, joined.memberId);
      return {
        ...joined,
        throttleTimeMs: 0,
        errorCode: groupErrorCode(joined.error),
        protocolName: joined.protocolName ?? (apiVersion >= FIRST_NULL_PROTOCOL ? null : ''),
        members: [...joined.members],
      };
    },
  });
}

/** Tells the coordinator which members spoke through a connection that is gone. */
class DisconnectWatch {
  readonly #coordinator: GroupCoordinator;
  readonly #members = new WeakMap<ClientConnection, Map<string, string>>();

  constructor(coordinator: GroupCoordinator) {
    this.#coordinator = coordinator;
  }

  watch(client: ClientConnection, groupId: string, memberId: string): void {
    const known = this.#members.get(client);
    if (known !== undefined) {
      known.set(memberId, groupId);
      return;
    }
    const members = new Map([[memberId, groupId]]);
    this.#members.set(client, members);
    const tell = (): void => {
      const gone = [...members].map(([member, group]) => ({ groupId: group, memberId: member }));
      this.#coordinator.onDisconnect(gone);
    };
    if (client.gone.aborted) tell();
    else client.gone.addEventListener('abort', tell, { once: true });
  }
}
