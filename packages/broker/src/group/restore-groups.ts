import type { GroupCoordinatorSettings, GroupLogger } from './coordinator-options.ts';
import type { Group } from './group.ts';
import type { GroupDirectory } from './group-directory.ts';
import type { GroupMetadata } from './group-metadata-record.ts';
import type { OffsetStore } from './offset-store.ts';
import { restoredDetailsOf } from './persisted-group.ts';
import type { Rebalances } from './rebalance.ts';

/** Components of {@link restoreGroups}. */
export interface RestoreContext {
  readonly settings: GroupCoordinatorSettings;
  readonly store: OffsetStore;
  readonly directory: GroupDirectory;
  readonly rebalances: Rebalances;
  readonly logger: GroupLogger;
}

/**
 * Makes the groups of which the log has told: with their members, whose sessions start now, or with
 * nothing but offsets.
 */
export function restoreGroups(context: RestoreContext): void {
  const { settings, store, directory, rebalances } = context;
  for (const groupId of [...store.groupIds()]) {
    const group = directory.create(groupId);
    const metadata = store.metadata(groupId);
    if (metadata !== undefined) restore(group, metadata, context);
    for (const member of group.members.values()) member.touch();
    if (group.members.size > settings.maxGroupSize) {
      rebalances.prepare(group, 'the group is larger than the limit is now');
    }
    directory.changed(group);
  }
}

function restore(group: Group, metadata: GroupMetadata, context: RestoreContext): void {
  const { generationId, protocolType, protocolName, leaderId, stateSinceMs } = metadata;
  const hasMembers = metadata.members.length > 0;
  if (hasMembers && protocolName === null) {
    context.logger.warn('members of a group without a protocol were not restored', {
      group: group.id,
      members: metadata.members.length,
    });
  }
  const members = metadata.members.map((member) =>
    context.rebalances.newMember(group, restoredDetailsOf(member, protocolName ?? '')),
  );
  for (const [index, member] of members.entries()) {
    member.assignment = metadata.members[index]?.assignment ?? member.assignment;
  }
  group.restore({
    generationId: Math.max(0, generationId),
    protocolType: protocolType === '' ? undefined : protocolType,
    protocolName: protocolName ?? undefined,
    leaderId: leaderId ?? undefined,
    stateSinceMs: stateSinceMs < 0 ? undefined : stateSinceMs,
    members: protocolName === null ? [] : members,
  });
}
