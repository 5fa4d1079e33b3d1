import { createPrivateKey } from 'node:crypto';
import { Storage } from '@google-cloud/storage';
import { RemoteStorageError } from '@logloft/remote-storage';
import { parsedJson, textField } from '../json-fields.ts';
import { type AuthHeaders, fixedToken } from './auth-headers.ts';
import { type ClientAuthOptions, clientAuth } from './client-auth.ts';

const TYPES: readonly string[] = [
  'service_account',
  'authorized_user',
  'external_account',
  'external_account_authorized_user',
  'impersonated_service_account',
  'gdch_service_account',
];

/** What credentials are good for. */
export interface CredentialsContext extends ClientAuthOptions {
  /** Address of the store; default Google's. */
  readonly endpoint: string | undefined;
}

/**
 * Credentials from the JSON that Google hands out (service account, authorized user, external
 * account), or from `{"access_token": …}`.
 *
 * @param origin where the text comes from, for messages that must not show the text
 * @throws RemoteStorageError `invalid-configuration`
 */
export function authFromJson(
  text: string,
  origin: string,
  context: CredentialsContext,
): AuthHeaders {
  const json = parsedJson(text);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw unusable(origin, 'is no JSON object');
  }
  const token = textField(json, 'access_token');
  if (token !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(token)) throw unusable(origin, 'has no usable access_token');
    return fixedToken(token);
  }
  const problem = problemOf(json);
  if (problem !== undefined) throw unusable(origin, problem);
  const client = storageClient(context);
  // The SDK knows what each type needs. Its constructor's own option does the same, and writes a warning
  // against untrusted credentials to the console; these are the operator's.
  client.authClient.jsonContent = json;
  return clientAuth(client, context);
}

/** A client of the SDK with Google's default credentials. */
export function storageClient({ endpoint }: { readonly endpoint: string | undefined }): Storage {
  if (endpoint === undefined) return new Storage();
  return new Storage({ apiEndpoint: endpoint, useAuthWithCustomEndpoint: true });
}

// Better at the start than with the first request. What else a type needs, the SDK says when it is used.
function problemOf(json: object): string | undefined {
  const type = textField(json, 'type');
  if (type === undefined) {
    return 'has neither a "type", as Google\'s credentials do, nor an "access_token"';
  }
  if (!TYPES.includes(type)) return `has a "type" that is none of ${TYPES.join(', ')}`;
  if (type !== 'service_account') return undefined;
  if (textField(json, 'client_email') === undefined) return 'has no "client_email"';
  try {
    createPrivateKey(textField(json, 'private_key') ?? '');
    return undefined;
  } catch {
    return 'has no "private_key" that can be read; download the key of the account anew';
  }
}

function unusable(origin: string, problem: string): RemoteStorageError {
  return new RemoteStorageError('invalid-configuration', `${origin} ${problem}`);
}
