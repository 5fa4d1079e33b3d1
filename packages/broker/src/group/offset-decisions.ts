import { CONSUMER_PROTOCOL_TYPE, type Group } from './group.ts';
import type { GroupErrorName } from './group-error.ts';
import type { CommittedOffset } from './offset-records.ts';
import type { OffsetCommitRequest } from './offset-requests.ts';

/** Whether a commit is accepted as far as the group is concerned; NONE without a group makes one. */
export function decideCommit(
  group: Group | undefined,
  request: OffsetCommitRequest,
): GroupErrorName {
  const { generationId, memberId } = request;
  if (group === undefined) {
    if (generationId < 0) return 'NONE';
    return request.reportsUnknownGroup === true ? 'GROUP_ID_NOT_FOUND' : 'ILLEGAL_GENERATION';
  }
  if (group.state === 'Dead') return 'COORDINATOR_NOT_AVAILABLE';
  if (generationId < 0 && group.state === 'Empty') return 'NONE';
  const isStatic = request.groupInstanceId !== undefined && request.groupInstanceId !== null;
  if (generationId < 0 && memberId === '' && !isStatic) return 'UNKNOWN_MEMBER_ID';
  const member = group.identify(request);
  if (typeof member === 'string') return member;
  if (generationId !== group.generationId) return 'ILLEGAL_GENERATION';
  return group.state === 'CompletingRebalance' ? 'REBALANCE_IN_PROGRESS' : 'NONE';
}

/** Whether offsets of a group may be deleted at all; single topics may still be in use. */
export function decideOffsetDelete(group: Group | undefined): GroupErrorName {
  if (group === undefined || group.state === 'Dead') return 'GROUP_ID_NOT_FOUND';
  if (group.state === 'Empty' || group.protocolType === CONSUMER_PROTOCOL_TYPE) return 'NONE';
  return 'NON_EMPTY_GROUP';
}

/** Whether a group may be deleted. */
export function decideGroupDelete(group: Group | undefined): GroupErrorName {
  if (group === undefined || group.state === 'Dead') return 'GROUP_ID_NOT_FOUND';
  return group.state === 'Empty' ? 'NONE' : 'NON_EMPTY_GROUP';
}

/** By what an offset's age is judged. */
export interface RetentionRule {
  readonly nowMs: number;
  readonly retentionMs: number;
}

/**
 * Whether an offset has outlived its retention. Offsets of an empty group age from the moment it
 * became empty, those of a group without members of its own from their commit, and those of a stable
 * group of consumers from their commit if nobody reads the topic any more. In a rebalance none do.
 */
export function isOffsetExpired(
  group: Group,
  entry: { readonly topic: string; readonly value: CommittedOffset },
  rule: RetentionRule,
): boolean {
  const { commitTimestampMs, expireTimestampMs } = entry.value;
  const isExpiredAfter = (sinceMs: number): boolean =>
    expireTimestampMs >= 0
      ? rule.nowMs >= expireTimestampMs
      : rule.nowMs - sinceMs >= rule.retentionMs;
  if (group.protocolType === undefined) return isExpiredAfter(commitTimestampMs);
  if (group.state === 'Empty') {
    // An administrator may have committed long after the members went.
    return isExpiredAfter(Math.max(group.stateSinceMs ?? 0, commitTimestampMs));
  }
  const isUnread =
    group.state === 'Stable' && group.knowsSubscriptions && !group.isSubscribedTo(entry.topic);
  return isUnread && isExpiredAfter(commitTimestampMs);
}
