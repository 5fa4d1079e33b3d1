import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int8, int16, int32, nullable, string } from '../schema/field-builders.ts';
import { type AclFilter, aclFilter } from './shared-structs.ts';

/** Deletes the rules that match any of the filters. */
export interface DeleteAclsRequest {
  filters: AclFilter[];
}

/** A rule that was deleted. */
export interface DeleteAclsResponseMatchingAcl {
  errorCode: number;
  errorMessage: string | null;
  resourceType: number;
  resourceName: string;
  patternType: number;
  principal: string;
  host: string;
  operation: number;
  permissionType: number;
}

/** What one filter did. */
export interface DeleteAclsResponseFilterResult {
  errorCode: number;
  errorMessage: string | null;
  matchingAcls: DeleteAclsResponseMatchingAcl[];
}

/** What the filters did, in the order of the request. */
export interface DeleteAclsResponse {
  throttleTimeMs: number;
  filterResults: DeleteAclsResponseFilterResult[];
}

/** DeleteAcls (31). */
export const deleteAclsApi: ApiDescription<DeleteAclsRequest, DeleteAclsResponse> = defineApi<
  DeleteAclsRequest,
  DeleteAclsResponse
>({
  key: 31,
  name: 'DeleteAcls',
  versions: [0, 3],
  flexibleFrom: 2,
  request: { filters: array(aclFilter) },
  response: {
    throttleTimeMs: int32(),
    filterResults: array(
      struct<DeleteAclsResponseFilterResult>({
        errorCode: int16(),
        errorMessage: nullable(string()),
        matchingAcls: array(
          struct<DeleteAclsResponseMatchingAcl>({
            errorCode: int16(),
            errorMessage: nullable(string()),
            resourceType: int8(),
            resourceName: string(),
            patternType: int8({ from: 1, default: 3 }),
            principal: string(),
            host: string(),
            operation: int8(),
            permissionType: int8(),
          }),
        ),
      }),
    ),
  },
});
