import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int8, int16, int32, nullable, string } from '../schema/field-builders.ts';
import { type AclFilter, aclFilter } from './shared-structs.ts';

/** What somebody may or may not do. */
export interface DescribeAclsResponseAcl {
  principal: string;
  host: string;
  operation: number;
  permissionType: number;
}

/** The rules of one resource. */
export interface DescribeAclsResponseResource {
  resourceType: number;
  resourceName: string;
  patternType: number;
  acls: DescribeAclsResponseAcl[];
}

/** The rules. */
export interface DescribeAclsResponse {
  throttleTimeMs: number;
  errorCode: number;
  errorMessage: string | null;
  resources: DescribeAclsResponseResource[];
}

/** DescribeAcls (29). */
export const describeAclsApi: ApiDescription<AclFilter, DescribeAclsResponse> = defineApi<
  AclFilter,
  DescribeAclsResponse
>({
  key: 29,
  name: 'DescribeAcls',
  versions: [0, 3],
  flexibleFrom: 2,
  request: aclFilter.fields,
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: nullable(string()),
    resources: array(
      struct<DescribeAclsResponseResource>({
        resourceType: int8(),
        resourceName: string(),
        patternType: int8({ from: 1, default: 3 }),
        acls: array(
          struct<DescribeAclsResponseAcl>({
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
