import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, string } from '../schema/field-builders.ts';

/** Deletes groups. */
export interface DeleteGroupsRequest {
  groupsNames: string[];
}

/** What happened to one group. */
export interface DeleteGroupsResponseResult {
  groupId: string;
  errorCode: number;
}

/** What happened to the groups. */
export interface DeleteGroupsResponse {
  throttleTimeMs: number;
  results: DeleteGroupsResponseResult[];
}

/** DeleteGroups (42). */
export const deleteGroupsApi: ApiDescription<DeleteGroupsRequest, DeleteGroupsResponse> = defineApi<
  DeleteGroupsRequest,
  DeleteGroupsResponse
>({
  key: 42,
  name: 'DeleteGroups',
  versions: [0, 2],
  flexibleFrom: 2,
  request: { groupsNames: array(string()) },
  response: {
    throttleTimeMs: int32(),
    results: array(struct<DeleteGroupsResponseResult>({ groupId: string(), errorCode: int16() })),
  },
});
