import { type ApiDescription, defineApi } from '../schema/api.ts';
import { struct } from '../schema/description.ts';
import { array, bytes, int8, int16, int32, nullable, string } from '../schema/field-builders.ts';

/** A credential to be deleted. */
export interface AlterUserScramCredentialsRequestDeletion {
  name: string;
  mechanism: number;
}

/** A credential to be set. The password was salted by the client. */
export interface AlterUserScramCredentialsRequestUpsertion {
  name: string;
  /** 1: SCRAM-SHA-256, 2: SCRAM-SHA-512. */
  mechanism: number;
  iterations: number;
  salt: Buffer;
  saltedPassword: Buffer;
}

/** Changes SCRAM credentials of users. */
export interface AlterUserScramCredentialsRequest {
  deletions: AlterUserScramCredentialsRequestDeletion[];
  upsertions: AlterUserScramCredentialsRequestUpsertion[];
}

/** What happened to the credentials of one user. */
export interface AlterUserScramCredentialsResponseResult {
  user: string;
  errorCode: number;
  errorMessage: string | null;
}

/** What happened to the credentials. */
export interface AlterUserScramCredentialsResponse {
  throttleTimeMs: number;
  results: AlterUserScramCredentialsResponseResult[];
}

/** AlterUserScramCredentials (51). */
export const alterUserScramCredentialsApi: ApiDescription<
  AlterUserScramCredentialsRequest,
  AlterUserScramCredentialsResponse
> = defineApi<AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse>({
  key: 51,
  name: 'AlterUserScramCredentials',
  versions: [0, 0],
  flexibleFrom: 0,
  request: {
    deletions: array(
      struct<AlterUserScramCredentialsRequestDeletion>({ name: string(), mechanism: int8() }),
    ),
    upsertions: array(
      struct<AlterUserScramCredentialsRequestUpsertion>({
        name: string(),
        mechanism: int8(),
        iterations: int32(),
        salt: bytes(),
        saltedPassword: bytes(),
      }),
    ),
  },
  response: {
    throttleTimeMs: int32(),
    results: array(
      struct<AlterUserScramCredentialsResponseResult>({
        user: string(),
        errorCode: int16(),
        errorMessage: nullable(string()),
      }),
    ),
  },
});
