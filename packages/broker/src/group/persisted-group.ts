import type { Group } from './group.ts';
import type { GroupMetadata, MemberMetadata } from './group-metadata-record.ts';
import type { MemberDetails } from './member.ts';

/**
 * What is written to the log of a group that is stable or empty.
 *
 * @param assignments by member id, in place of those that the members have
 */
export function persistedMetadataOf(
  group: Group,
  assignments?: ReadonlyMap<string, Buffer>,
): GroupMetadata {
  const protocolName = group.protocolName ?? null;
  return {
    protocolType: group.protocolType ?? '',
    generationId: group.generationId,
    protocolName,
    leaderId: group.leaderId ?? null,
    stateSinceMs: group.stateSinceMs ?? -1,
    members: [...group.members.values()].map((member) => ({
      memberId: member.id,
      groupInstanceId: member.instanceId,
      clientId: member.details.clientId,
      clientHost: member.details.clientHost,
      rebalanceTimeoutMs: member.details.rebalanceTimeoutMs,
      sessionTimeoutMs: member.details.sessionTimeoutMs,
      subscription: member.metadataFor(protocolName ?? ''),
      assignment:
        assignments === undefined ? member.assignment : (assignments.get(member.id) ?? NOTHING),
    })),
  };
}

/** A member as it comes back from the log: of its protocols only the chosen one was written. */
export function restoredDetailsOf(member: MemberMetadata, protocolName: string): MemberDetails {
  const sessionTimeoutMs = Math.max(1, member.sessionTimeoutMs);
  return {
    id: member.memberId,
    instanceId: member.groupInstanceId,
    clientId: member.clientId,
    clientHost: member.clientHost,
    sessionTimeoutMs,
    rebalanceTimeoutMs:
      member.rebalanceTimeoutMs < 0 ? sessionTimeoutMs : member.rebalanceTimeoutMs,
    protocols: [{ name: protocolName, metadata: member.subscription }],
  };
}

const NOTHING = Buffer.alloc(0);
