import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, nullable, string } from '../schema/field-builders.ts';

/** A member that leaves: by its member id, or by its instance id with an empty member id. */
export interface LeaveGroupRequestMember {
  memberId: string;
  groupInstanceId: string | null;
  reason: string | null;
}

/** Takes one member out of a group, or from version 3 on a list of them. */
export interface LeaveGroupRequest {
  groupId: string;
  memberId: string;
  members: LeaveGroupRequestMember[];
}

/** What happened to one member. */
export interface LeaveGroupResponseMember {
  memberId: string;
  groupInstanceId: string | null;
  errorCode: number;
}

/** What happened to the members. */
export interface LeaveGroupResponse {
  throttleTimeMs: number;
  errorCode: number;
  members: LeaveGroupResponseMember[];
}

/** LeaveGroup (13). */
export const leaveGroupApi: ApiDescription<LeaveGroupRequest, LeaveGroupResponse> = defineApi<
  LeaveGroupRequest,
  LeaveGroupResponse
>({
  key: 13,
  name: 'LeaveGroup',
  versions: [0, 5],
  flexibleFrom: 4,
  request: {
    groupId: string(),
    memberId: string({ to: 2 }),
    members: array(
      struct<LeaveGroupRequestMember>({
        memberId: string(),
        groupInstanceId: nullable(string()),
        reason: nullable(string({ from: 5 })),
      }),
      { from: 3 },
    ),
  },
  response: {
    throttleTimeMs: int32({ from: 1 }),
    errorCode: int16(),
    members: array(
      struct<LeaveGroupResponseMember>({
        memberId: string(),
        groupInstanceId: nullable(string()),
        errorCode: int16(),
      }),
      { from: 3 },
    ),
  },
});
