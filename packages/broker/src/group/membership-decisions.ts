import type { GroupCoordinatorSettings } from './coordinator-options.ts';
import type { Group } from './group.ts';
import type { GroupErrorName } from './group-error.ts';
import type { Member } from './member.ts';
import type {
  HeartbeatRequest,
  JoinGroupRequest,
  SyncGroupRequest,
} from './membership-requests.ts';

/** What a JoinGroup request comes to. */
export type JoinDecision =
  | { readonly kind: 'refuse'; readonly error: GroupErrorName }
  /** Tell the newcomer its id and have it come again (KIP-394). */
  | { readonly kind: 'invite' }
  /** A new member, under the id it was told or one that is still to be made. */
  | { readonly kind: 'add'; readonly memberId: string | undefined }
  /** A static member that has come back without its id. */
  | { readonly kind: 'replace'; readonly member: Member }
  /** A member takes part in the present rebalance, or starts one. */
  | { readonly kind: 'rejoin'; readonly member: Member; readonly startsRebalance: boolean }
  /** Nothing changes; the member has lost an answer. */
  | { readonly kind: 'repeat'; readonly member: Member };

/** What can be told without looking at the group. */
export function checkJoin(
  request: JoinGroupRequest,
  settings: GroupCoordinatorSettings,
): GroupErrorName {
  if (request.groupId === '') return 'INVALID_GROUP_ID';
  const { sessionTimeoutMs } = request;
  const isInRange =
    sessionTimeoutMs >= settings.minSessionTimeoutMs &&
    sessionTimeoutMs <= settings.maxSessionTimeoutMs;
  return isInRange ? 'NONE' : 'INVALID_SESSION_TIMEOUT';
}

/** Decides on a JoinGroup request that passed {@link checkJoin}. */
export function decideJoin(
  group: Group,
  request: JoinGroupRequest,
  settings: GroupCoordinatorSettings,
): JoinDecision {
  if (group.state === 'Dead') return refuse('COORDINATOR_NOT_AVAILABLE');
  const instanceId = request.groupInstanceId ?? undefined;
  const isNewcomer = request.memberId === '';
  const returning = instanceId === undefined ? undefined : group.staticMember(instanceId);
  const present = isNewcomer ? returning : group.members.get(request.memberId);
  if (!hasRoom(group, present, settings.maxGroupSize)) return refuse('GROUP_MAX_SIZE_REACHED');
  const names = request.protocols.map((protocol) => protocol.name);
  if (!group.supports(request.protocolType, names, { except: present })) {
    return refuse('INCONSISTENT_GROUP_PROTOCOL');
  }
  if (!isNewcomer) return decideKnown(group, request);
  if (present !== undefined) return { kind: 'replace', member: present };
  const isInvited = request.requiresKnownMemberId === true && instanceId === undefined;
  return isInvited ? { kind: 'invite' } : { kind: 'add', memberId: undefined };
}

/** What a SyncGroup request comes to. */
export type SyncDecision =
  | { readonly kind: 'refuse'; readonly error: GroupErrorName }
  /** Wait for the leader; `leads` when this is the leader, with the assignments. */
  | { readonly kind: 'park'; readonly member: Member; readonly leads: boolean }
  | { readonly kind: 'answer'; readonly member: Member };

/** Decides on a SyncGroup request. */
export function decideSync(group: Group, request: SyncGroupRequest): SyncDecision {
  if (group.state === 'Dead') return refuse('COORDINATOR_NOT_AVAILABLE');
  const member = group.identify(request);
  if (typeof member === 'string') return refuse(member);
  if (request.generationId !== group.generationId) return refuse('ILLEGAL_GENERATION');
  if (!hasRightProtocol(group, request)) return refuse('INCONSISTENT_GROUP_PROTOCOL');
  if (group.state === 'PreparingRebalance') return refuse('REBALANCE_IN_PROGRESS');
  if (group.state === 'Stable') return { kind: 'answer', member };
  const isFirst = group.persistingGeneration !== group.generationId;
  return { kind: 'park', member, leads: member.id === group.leaderId && isFirst };
}

/** Decides on a Heartbeat request; `member` is the one whose session goes on. */
export function decideHeartbeat(
  group: Group,
  request: HeartbeatRequest,
): { readonly error: GroupErrorName; readonly member: Member | undefined } {
  if (group.state === 'Dead') return { error: 'COORDINATOR_NOT_AVAILABLE', member: undefined };
  const member = group.identify(request);
  if (typeof member === 'string') return { error: member, member: undefined };
  if (request.generationId !== group.generationId) {
    return { error: 'ILLEGAL_GENERATION', member: undefined };
  }
  const isRebalancing = group.state === 'PreparingRebalance';
  return { error: isRebalancing ? 'REBALANCE_IN_PROGRESS' : 'NONE', member };
}

function decideKnown(group: Group, request: JoinGroupRequest): JoinDecision {
  const { memberId } = request;
  const isStatic = request.groupInstanceId !== undefined && request.groupInstanceId !== null;
  if (group.isExpected(memberId) && !isStatic) return { kind: 'add', memberId };
  const member = group.identify(request);
  if (typeof member === 'string') return refuse(member);
  const hasChanged = !member.hasSameProtocols(request.protocols);
  switch (group.state) {
    case 'PreparingRebalance':
      return { kind: 'rejoin', member, startsRebalance: false };
    case 'CompletingRebalance':
      return hasChanged
        ? { kind: 'rejoin', member, startsRebalance: true }
        : { kind: 'repeat', member };
    case 'Stable':
      // A leader rejoins because it saw something that the others did not, such as new partitions.
      return hasChanged || group.leaderId === memberId
        ? { kind: 'rejoin', member, startsRebalance: true }
        : { kind: 'repeat', member };
    case 'Empty':
    case 'Dead':
      return refuse('UNKNOWN_MEMBER_ID');
  }
}

/**
 * Whether the group takes this member. In a rebalance it is those who have joined that count, so that
 * a group which is too large after its limit was lowered shrinks with its next rebalance. A static
 * member that comes back takes no place of its own.
 */
function hasRoom(group: Group, present: Member | undefined, maxSize: number): boolean {
  if (group.members.size < maxSize) return true;
  if (group.state === 'PreparingRebalance') {
    return present?.parkedJoin !== undefined || group.joinedCount < maxSize;
  }
  return present !== undefined;
}

function hasRightProtocol(group: Group, request: SyncGroupRequest): boolean {
  const type = request.protocolType ?? undefined;
  const name = request.protocolName ?? undefined;
  if (type === undefined || name === undefined) {
    if (request.requiresProtocol === true) return false;
  }
  const isRightType = type === undefined || type === group.protocolType;
  return isRightType && (name === undefined || name === group.protocolName);
}

function refuse(error: GroupErrorName): {
  readonly kind: 'refuse';
  readonly error: GroupErrorName;
} {
  return { kind: 'refuse', error };
}
