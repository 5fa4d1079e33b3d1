import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, bytes, int16, int32, nullable, string } from '../schema/field-builders.ts';

/** A way of assigning partitions that the member offers, with what it has to say about itself. */
export interface JoinGroupRequestProtocol {
  name: string;
  metadata: Buffer;
}

/** Asks to become, or to stay, a member of a group's next generation. */
export interface JoinGroupRequest {
  groupId: string;
  sessionTimeoutMs: number;
  /** -1 (version 0): the session time-out. */
  rebalanceTimeoutMs: number;
  /** Empty for a new member. */
  memberId: string;
  groupInstanceId: string | null;
  protocolType: string;
  protocols: JoinGroupRequestProtocol[];
  reason: string | null;
}

/** A member as the leader sees it. */
export interface JoinGroupResponseMember {
  memberId: string;
  groupInstanceId: string | null;
  metadata: Buffer;
}

/** The generation that was joined. Only the leader gets the members. */
export interface JoinGroupResponse {
  throttleTimeMs: number;
  errorCode: number;
  generationId: number;
  protocolType: string | null;
  protocolName: string | null;
  leader: string;
  skipAssignment: boolean;
  memberId: string;
  members: JoinGroupResponseMember[];
}

/** JoinGroup (11). */
export const joinGroupApi: ApiDescription<JoinGroupRequest, JoinGroupResponse> = defineApi<
  JoinGroupRequest,
  JoinGroupResponse
>({
  key: 11,
  name: 'JoinGroup',
  versions: [0, 9],
  flexibleFrom: 6,
  request: {
    groupId: string(),
    sessionTimeoutMs: int32(),
    rebalanceTimeoutMs: int32({ from: 1, default: -1 }),
    memberId: string(),
    groupInstanceId: nullable(string({ from: 5 })),
    protocolType: string(),
    protocols: array(struct<JoinGroupRequestProtocol>({ name: string(), metadata: bytes() })),
    reason: nullable(string({ from: 8 })),
  },
  response: {
    throttleTimeMs: int32({ from: 2 }),
    errorCode: int16(),
    generationId: int32({ default: -1 }),
    protocolType: nullable(string({ from: 7 })),
    protocolName: nullable(string(), 7),
    leader: string(),
    skipAssignment: bool({ from: 9 }),
    memberId: string(),
    members: array(
      struct<JoinGroupResponseMember>({
        memberId: string(),
        groupInstanceId: nullable(string({ from: 5 })),
        metadata: bytes(),
      }),
    ),
  },
});
