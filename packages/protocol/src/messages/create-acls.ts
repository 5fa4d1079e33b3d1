import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int8, int16, int32, nullable, string } from '../schema/field-builders.ts';

/** A rule to be added. */
export interface CreateAclsRequestCreation {
  resourceType: number;
  resourceName: string;
  resourcePatternType: number;
  principal: string;
  host: string;
  operation: number;
  permissionType: number;
}

/** Adds rules. */
export interface CreateAclsRequest {
  creations: CreateAclsRequestCreation[];
}

/** What happened to one rule. */
export interface CreateAclsResponseResult {
  errorCode: number;
  errorMessage: string | null;
}

/** What happened to the rules, in the order of the request. */
export interface CreateAclsResponse {
  throttleTimeMs: number;
  results: CreateAclsResponseResult[];
}

/** CreateAcls (30). */
export const createAclsApi: ApiDescription<CreateAclsRequest, CreateAclsResponse> = defineApi<
  CreateAclsRequest,
  CreateAclsResponse
>({
  key: 30,
  name: 'CreateAcls',
  versions: [0, 3],
  flexibleFrom: 2,
  request: {
    creations: array(
      struct<CreateAclsRequestCreation>({
        resourceType: int8(),
        resourceName: string(),
        resourcePatternType: int8({ from: 1, default: 3 }),
        principal: string(),
        host: string(),
        operation: int8(),
        permissionType: int8(),
      }),
    ),
  },
  response: {
    throttleTimeMs: int32(),
    results: array(
      struct<CreateAclsResponseResult>({ errorCode: int16(), errorMessage: nullable(string()) }),
    ),
  },
});
