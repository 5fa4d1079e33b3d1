import type { GroupErrorName } from './group-error.ts';

/** An assignor that a member supports, with metadata that only the members understand. */
export interface MemberProtocol {
  readonly name: string;
  /** Opaque. Copied when it is kept, so it may point into a request frame that is reused. */
  readonly metadata: Uint8Array;
}

/** What a JoinGroup request of any version says. */
export interface JoinGroupRequest {
  readonly groupId: string;
  /** Empty for a member that has no id yet. */
  readonly memberId: string;
  /** `group.instance.id` of a static member (v5+). */
  readonly groupInstanceId?: string | null | undefined;
  /** The client id of the request header; new member ids start with it. */
  readonly clientId: string;
  /** As tools show it: `/` and the address. */
  readonly clientHost: string;
  readonly sessionTimeoutMs: number;
  /** Absent or below 0 (v0 has none) means the session timeout. */
  readonly rebalanceTimeoutMs?: number | undefined;
  readonly protocolType: string;
  /** In the member's order of preference. */
  readonly protocols: readonly MemberProtocol[];
  /** Whether a new dynamic member is first told its id with MEMBER_ID_REQUIRED (v4+, KIP-394). */
  readonly requiresKnownMemberId?: boolean | undefined;
  /** Whether a returning static leader can be told to leave the assignment alone (v9+, KIP-814). */
  readonly supportsSkipAssignment?: boolean | undefined;
}

/** A member as the leader gets to see it. */
export interface JoinedMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly metadata: Buffer;
}

/** The answer to a JoinGroup request. */
export interface JoinGroupResult {
  readonly error: GroupErrorName;
  /** -1 unless `error` is NONE. */
  readonly generationId: number;
  readonly protocolType: string | null;
  /** `null` on errors; versions before 7 write an empty string for it. */
  readonly protocolName: string | null;
  /** Member id of the leader; empty on errors. */
  readonly leader: string;
  readonly skipAssignment: boolean;
  /** As sent, or the id that the coordinator gave. */
  readonly memberId: string;
  /** All members for the leader, nothing for everybody else. */
  readonly members: readonly JoinedMember[];
}

/** What a SyncGroup request of any version says. */
export interface SyncGroupRequest {
  readonly groupId: string;
  readonly generationId: number;
  readonly memberId: string;
  readonly groupInstanceId?: string | null | undefined;
  readonly protocolType?: string | null | undefined;
  readonly protocolName?: string | null | undefined;
  /** Whether a missing protocol type or name is an error (v5+). */
  readonly requiresProtocol?: boolean | undefined;
  /** From the leader, one a member; opaque, and copied when it is kept. */
  readonly assignments: readonly { readonly memberId: string; readonly assignment: Uint8Array }[];
}

/** The answer to a SyncGroup request. */
export interface SyncGroupResult {
  readonly error: GroupErrorName;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  /** Exactly the bytes that the leader sent for this member; empty when it sent none. */
  readonly assignment: Buffer;
}

/** What a Heartbeat request of any version says. */
export interface HeartbeatRequest {
  readonly groupId: string;
  readonly generationId: number;
  readonly memberId: string;
  readonly groupInstanceId?: string | null | undefined;
}

/** A member that leaves: by its id, or a static one by its instance id alone (administrators). */
export interface LeavingMember {
  readonly memberId: string;
  readonly groupInstanceId?: string | null | undefined;
}

/** What a LeaveGroup request of any version says; before v3 it has exactly one member. */
export interface LeaveGroupRequest {
  readonly groupId: string;
  readonly members: readonly LeavingMember[];
}

/** The answer to a LeaveGroup request. Before v3 the only member's error is the request's. */
export interface LeaveGroupResult {
  readonly error: GroupErrorName;
  readonly members: readonly {
    readonly memberId: string;
    readonly groupInstanceId: string | null;
    readonly error: GroupErrorName;
  }[];
}

/** A member whose connection is gone. */
export interface DisconnectedMember {
  readonly groupId: string;
  readonly memberId: string;
}
