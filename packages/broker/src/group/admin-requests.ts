import type { GroupErrorName } from './group-error.ts';
import type { GroupState } from './group-state.ts';

/** A member as DescribeGroups shows it. Metadata and assignment are empty unless the group is Stable. */
export interface DescribedMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly metadata: Buffer;
  readonly assignment: Buffer;
}

/** A group as DescribeGroups shows it. */
export interface DescribedGroup {
  readonly error: GroupErrorName;
  readonly groupId: string;
  readonly state: GroupState;
  readonly protocolType: string;
  /** The chosen assignor; empty unless the group is Stable. */
  readonly protocol: string;
  readonly members: readonly DescribedMember[];
}

/** What a ListGroups request filters by; an empty or absent list lets everything through. */
export interface ListGroupsRequest {
  /** State names, compared without regard to case (v4+). */
  readonly states?: readonly string[] | undefined;
  /** `classic`, `consumer`, …, compared without regard to case (v5+). */
  readonly types?: readonly string[] | undefined;
}

/** A group as ListGroups shows it. */
export interface ListedGroup {
  readonly groupId: string;
  readonly protocolType: string;
  readonly state: GroupState;
  readonly type: 'classic';
}

/** The answer to a ListGroups request. */
export interface ListGroupsResult {
  readonly error: GroupErrorName;
  readonly groups: readonly ListedGroup[];
}

/** The answer to a DeleteGroups request, one a name. */
export interface DeletedGroup {
  readonly groupId: string;
  readonly error: GroupErrorName;
}
