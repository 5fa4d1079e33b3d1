import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bytes, int16, int32, nullable, string } from '../schema/field-builders.ts';

/** What the leader assigned to one member. */
export interface SyncGroupRequestAssignment {
  memberId: string;
  assignment: Buffer;
}

/** Brings the assignments (from the leader), and asks for one's own. */
export interface SyncGroupRequest {
  groupId: string;
  generationId: number;
  memberId: string;
  groupInstanceId: string | null;
  protocolType: string | null;
  protocolName: string | null;
  assignments: SyncGroupRequestAssignment[];
}

/** The member's own assignment. */
export interface SyncGroupResponse {
  throttleTimeMs: number;
  errorCode: number;
  protocolType: string | null;
  protocolName: string | null;
  assignment: Buffer;
}

/** SyncGroup (14). */
export const syncGroupApi: ApiDescription<SyncGroupRequest, SyncGroupResponse> = defineApi<
  SyncGroupRequest,
  SyncGroupResponse
>({
  key: 14,
  name: 'SyncGroup',
  versions: [0, 5],
  flexibleFrom: 4,
  request: {
    groupId: string(),
    generationId: int32(),
    memberId: string(),
    groupInstanceId: nullable(string({ from: 3 })),
    protocolType: nullable(string({ from: 5 })),
    protocolName: nullable(string({ from: 5 })),
    assignments: array(
      struct<SyncGroupRequestAssignment>({ memberId: string(), assignment: bytes() }),
    ),
  },
  response: {
    throttleTimeMs: int32({ from: 1 }),
    errorCode: int16(),
    protocolType: nullable(string({ from: 5 })),
    protocolName: nullable(string({ from: 5 })),
    assignment: bytes(),
  },
});
