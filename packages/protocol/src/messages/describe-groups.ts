import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bool, bytes, int16, int32, nullable, string } from '../schema/field-builders.ts';
import { OPERATIONS_NOT_ASKED } from './metadata.ts';

/** Asks about groups. */
export interface DescribeGroupsRequest {
  groups: string[];
  includeAuthorizedOperations: boolean;
}

/** A member of a group. */
export interface DescribeGroupsResponseMember {
  memberId: string;
  groupInstanceId: string | null;
  clientId: string;
  clientHost: string;
  memberMetadata: Buffer;
  memberAssignment: Buffer;
}

/** A group; one that does not exist has the state `Dead` and no error. */
export interface DescribeGroupsResponseGroup {
  errorCode: number;
  groupId: string;
  groupState: string;
  protocolType: string;
  /** Name of the protocol chosen, or empty. */
  protocolData: string;
  members: DescribeGroupsResponseMember[];
  authorizedOperations: number;
}

/** The groups. */
export interface DescribeGroupsResponse {
  throttleTimeMs: number;
  groups: DescribeGroupsResponseGroup[];
}

/** DescribeGroups (15). */
export const describeGroupsApi: ApiDescription<DescribeGroupsRequest, DescribeGroupsResponse> =
  defineApi<DescribeGroupsRequest, DescribeGroupsResponse>({
    key: 15,
    name: 'DescribeGroups',
    versions: [0, 5],
    flexibleFrom: 5,
    request: {
      groups: array(string()),
      includeAuthorizedOperations: bool({ from: 3 }),
    },
    response: {
      throttleTimeMs: int32({ from: 1 }),
      groups: array(
        struct<DescribeGroupsResponseGroup>({
          errorCode: int16(),
          groupId: string(),
          groupState: string(),
          protocolType: string(),
          protocolData: string(),
          members: array(
            struct<DescribeGroupsResponseMember>({
              memberId: string(),
              groupInstanceId: nullable(string({ from: 4 })),
              clientId: string(),
              clientHost: string(),
              memberMetadata: bytes(),
              memberAssignment: bytes(),
            }),
          ),
          authorizedOperations: int32({ from: 3, default: OPERATIONS_NOT_ASKED }),
        }),
      ),
    },
  });
