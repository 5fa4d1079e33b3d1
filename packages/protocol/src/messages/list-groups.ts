import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int16, int32, string } from '../schema/field-builders.ts';

/** Asks for the groups; empty filters let all pass. */
export interface ListGroupsRequest {
  statesFilter: string[];
  typesFilter: string[];
}

/** A group. */
export interface ListGroupsResponseGroup {
  groupId: string;
  protocolType: string;
  groupState: string;
  /** `classic` or `consumer` (KIP-848). */
  groupType: string;
}

/** The groups. */
export interface ListGroupsResponse {
  throttleTimeMs: number;
  errorCode: number;
  groups: ListGroupsResponseGroup[];
}

/** ListGroups (16). */
export const listGroupsApi: ApiDescription<ListGroupsRequest, ListGroupsResponse> = defineApi<
  ListGroupsRequest,
  ListGroupsResponse
>({
  key: 16,
  name: 'ListGroups',
  versions: [0, 5],
  flexibleFrom: 3,
  request: {
    statesFilter: array(string(), { from: 4 }),
    typesFilter: array(string(), { from: 5 }),
  },
  response: {
    throttleTimeMs: int32({ from: 1 }),
    errorCode: int16(),
    groups: array(
      struct<ListGroupsResponseGroup>({
        groupId: string(),
        protocolType: string(),
        groupState: string({ from: 4 }),
        groupType: string({ from: 5 }),
      }),
    ),
  },
});
