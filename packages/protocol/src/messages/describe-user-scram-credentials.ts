import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, int8, int16, int32, nullable, string } from '../schema/field-builders.ts';

/** A user to be described. */
export interface DescribeUserScramCredentialsRequestUser {
  name: string;
}

/** Asks which SCRAM credentials users have. Null users: all. */
export interface DescribeUserScramCredentialsRequest {
  users: DescribeUserScramCredentialsRequestUser[] | null;
}

/** A credential, without its secrets. */
export interface DescribeUserScramCredentialsResponseInfo {
  /** 1: SCRAM-SHA-256, 2: SCRAM-SHA-512. */
  mechanism: number;
  iterations: number;
}

/** The credentials of one user. */
export interface DescribeUserScramCredentialsResponseResult {
  user: string;
  errorCode: number;
  errorMessage: string | null;
  credentialInfos: DescribeUserScramCredentialsResponseInfo[];
}

/** The credentials. */
export interface DescribeUserScramCredentialsResponse {
  throttleTimeMs: number;
  errorCode: number;
  errorMessage: string | null;
  results: DescribeUserScramCredentialsResponseResult[];
}

/** DescribeUserScramCredentials (50). */
export const describeUserScramCredentialsApi: ApiDescription<
  DescribeUserScramCredentialsRequest,
  DescribeUserScramCredentialsResponse
> = defineApi<DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse>({
  key: 50,
  name: 'DescribeUserScramCredentials',
  versions: [0, 0],
  flexibleFrom: 0,
  request: {
    users: nullable(array(struct<DescribeUserScramCredentialsRequestUser>({ name: string() }))),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: nullable(string()),
    results: array(
      struct<DescribeUserScramCredentialsResponseResult>({
        user: string(),
        errorCode: int16(),
        errorMessage: nullable(string()),
        credentialInfos: array(
          struct<DescribeUserScramCredentialsResponseInfo>({
            mechanism: int8(),
            iterations: int32(),
          }),
        ),
      }),
    ),
  },
});
