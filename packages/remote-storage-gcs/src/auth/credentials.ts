import { Storage, type StorageOptions } from '@google-cloud/storage';
import { RemoteStorageError } from '@logloft/remote-storage';
import { parsedJson, textField } from '../json-fields.ts';
import { type AuthHeaders, fixedToken } from './auth-headers.ts';
import { type ClientAuthOptions, clientAuth } from './client-auth.ts';

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
  if (textField(json, 'type') === undefined) {
    throw unusable(
      origin,
      'has neither a "type", as Google\'s credentials do, nor an "access_token"',
    );
  }
  try {
    // The SDK knows what the types need, and refuses the others.
    const credentials = json as NonNullable<StorageOptions['credentials']>;
    return clientAuth(storageClient({ credentials, endpoint: context.endpoint }), context);
  } catch (error) {
    throw unusable(origin, `was refused: ${error instanceof Error ? error.message : error}`);
  }
}

/** A client of the SDK. Without `credentials`, with Google's default ones. */
export function storageClient(settings: {
  readonly credentials?: StorageOptions['credentials'];
  readonly endpoint: string | undefined;
}): Storage {
  const { credentials, endpoint } = settings;
  return new Storage({
    ...(credentials === undefined ? {} : { credentials }),
    ...(endpoint === undefined ? {} : { apiEndpoint: endpoint, useAuthWithCustomEndpoint: true }),
  });
}

function unusable(origin: string, problem: string): RemoteStorageError {
  return new RemoteStorageError('invalid-configuration', `${origin} ${problem}`);
}
