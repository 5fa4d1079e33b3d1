import { type ApiDescription, defineApi } from '../schema/api.ts';
import { bytes, int16, int64, nullable, string } from '../schema/field-builders.ts';

/** A token of the client. */
export interface SaslAuthenticateRequest {
  authBytes: Buffer;
}

/** A token of the broker. */
export interface SaslAuthenticateResponse {
  errorCode: number;
  errorMessage: string | null;
  authBytes: Buffer;
  /** After how many ms the client has to authenticate again (KIP-368); 0: never. */
  sessionLifetimeMs: number;
}

/** SaslAuthenticate (36). */
export const saslAuthenticateApi: ApiDescription<
  SaslAuthenticateRequest,
  SaslAuthenticateResponse
> = defineApi<SaslAuthenticateRequest, SaslAuthenticateResponse>({
  key: 36,
  name: 'SaslAuthenticate',
  versions: [0, 2],
  flexibleFrom: 2,
  request: { authBytes: bytes() },
  response: {
    errorCode: int16(),
    errorMessage: nullable(string()),
    authBytes: bytes(),
    sessionLifetimeMs: int64({ from: 1 }),
  },
});
