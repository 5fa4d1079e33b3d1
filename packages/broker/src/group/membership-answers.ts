import type { Group } from './group.ts';
import type { GroupErrorName } from './group-error.ts';
import type { Member } from './member.ts';
import type { JoinGroupResult, SyncGroupResult } from './membership-requests.ts';

const NO_ASSIGNMENT = Buffer.alloc(0);

/** The answer to a JoinGroup request that fails. */
export function joinRefused(error: GroupErrorName, memberId: string): JoinGroupResult {
  return {
    error,
    generationId: -1,
    protocolType: null,
    protocolName: null,
    leader: '',
    skipAssignment: false,
    memberId,
    members: [],
  };
}

/** The answer to a JoinGroup request of a member of the present generation. */
export function joinAccepted(group: Group, member: Member): JoinGroupResult {
  const isLeader = group.leaderId === member.id;
  return {
    error: 'NONE',
    generationId: group.generationId,
    protocolType: group.protocolType ?? null,
    protocolName: group.protocolName ?? null,
    leader: group.leaderId ?? '',
    skipAssignment: false,
    memberId: member.id,
    members: isLeader ? group.describeForLeader() : [],
  };
}

/** The answer to a SyncGroup request that fails. */
export function syncRefused(error: GroupErrorName): SyncGroupResult {
  return { error, protocolType: null, protocolName: null, assignment: NO_ASSIGNMENT };
}

/** The answer to a SyncGroup request of a member that has its assignment. */
export function syncAccepted(group: Group, member: Member): SyncGroupResult {
  return {
    error: 'NONE',
    protocolType: group.protocolType ?? null,
    protocolName: group.protocolName ?? null,
    assignment: member.assignment,
  };
}
