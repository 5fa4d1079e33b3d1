import type {
  DeletedGroup,
  DescribedGroup,
  ListedGroup,
  ListGroupsRequest,
} from './admin-requests.ts';
import type { GroupLogger } from './coordinator-options.ts';
import type { Group } from './group.ts';
import type { GroupDirectory } from './group-directory.ts';
import type { GroupErrorName } from './group-error.ts';
import { decideGroupDelete } from './offset-decisions.ts';
import type { OffsetStore } from './offset-store.ts';

const NOTHING = Buffer.alloc(0);

/** A group of which nothing is known, or nothing can be said. */
export function describeNothing(groupId: string, error: GroupErrorName): DescribedGroup {
  return { error, groupId, state: 'Dead', protocolType: '', protocol: '', members: [] };
}

/** A group as DescribeGroups shows it: protocol, metadata and assignments only while they hold. */
export function describeGroup(group: Group): DescribedGroup {
  const isStable = group.state === 'Stable';
  const protocol = isStable ? (group.protocolName ?? '') : '';
  return {
    error: 'NONE',
    groupId: group.id,
    state: group.state,
    protocolType: group.protocolType ?? '',
    protocol,
    members: [...group.members.values()].map((member) => ({
      memberId: member.id,
      groupInstanceId: member.instanceId,
      clientId: member.details.clientId,
      clientHost: member.details.clientHost,
      metadata: isStable ? member.metadataFor(protocol) : NOTHING,
      assignment: isStable ? member.assignment : NOTHING,
    })),
  };
}

/** The groups that a ListGroups request asks for. */
export function listGroups(groups: Iterable<Group>, request: ListGroupsRequest): ListedGroup[] {
  const isWanted = (filter: readonly string[] | undefined, value: string): boolean =>
    filter === undefined ||
    filter.length === 0 ||
    filter.some((wanted) => wanted.toLowerCase() === value.toLowerCase());
  if (!isWanted(request.types, 'classic')) return [];
  const listed: ListedGroup[] = [];
  for (const group of groups) {
    if (!isWanted(request.states, group.state)) continue;
    const { id: groupId, protocolType = '', state } = group;
    listed.push({ groupId, protocolType, state, type: 'classic' });
  }
  return listed;
}

/** Components of {@link deleteGroup}. */
export interface GroupDeletionContext {
  readonly store: OffsetStore;
  readonly directory: GroupDirectory;
  readonly logger: GroupLogger;
}

/** Deletes a group with all its offsets, unless it has members. */
export async function deleteGroup(
  groupId: string,
  context: GroupDeletionContext,
): Promise<DeletedGroup> {
  const { store, directory, logger } = context;
  const group = directory.get(groupId);
  const error = decideGroupDelete(group);
  if (error !== 'NONE' || group === undefined) return { groupId, error };
  const offsets = [...store.entries(groupId)].map(({ topic, partition }) => ({
    topic,
    partition,
    value: undefined,
  }));
  try {
    const metadata = store.hasMetadata(groupId) ? null : undefined;
    await store.write(groupId, { offsets, metadata });
    return { groupId, error: 'NONE' };
  } catch (cause) {
    logger.warn('a group could not be deleted from the offsets log', { group: groupId, cause });
    return { groupId, error: 'COORDINATOR_NOT_AVAILABLE' };
  } finally {
    directory.changed(group);
  }
}
