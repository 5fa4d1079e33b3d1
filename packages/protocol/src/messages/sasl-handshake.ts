import { type ApiDescription, defineApi } from '../schema/api.ts';
import { array, int16, string } from '../schema/field-builders.ts';

/** Chooses a SASL mechanism. */
export interface SaslHandshakeRequest {
  mechanism: string;
}

/** The mechanisms that are enabled. */
export interface SaslHandshakeResponse {
  errorCode: number;
  mechanisms: string[];
}

/**
 * SaslHandshake (17). After version 0 the tokens follow as bare frames, after version 1 in
 * SaslAuthenticate.
 */
export const saslHandshakeApi: ApiDescription<SaslHandshakeRequest, SaslHandshakeResponse> =
  defineApi<SaslHandshakeRequest, SaslHandshakeResponse>({
    key: 17,
    name: 'SaslHandshake',
    versions: [0, 1],
    request: { mechanism: string() },
    response: { errorCode: int16(), mechanisms: array(string()) },
  });
