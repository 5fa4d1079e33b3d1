import { readFile } from 'node:fs/promises';
import type { Clock } from '@logloft/clock';
import { RemoteStorageError } from '@logloft/remote-storage';
import type { CredentialProvider, StaticCredentials } from './credentials.ts';

// As long as in Aiven's plugin.
const KEEP_MS = 10_000;

/**
 * Keys from a file in the format of AWS's shared credentials (`[default]`, `aws_access_key_id` and so on),
 * which is read again every 10 s, and at once when the store says that the keys have expired. A file that
 * cannot be read while it is being replaced leaves the keys of before in use.
 */
export function credentialsFromFile(path: string, clock: Clock): CredentialProvider {
  let known: StaticCredentials | undefined;
  let readAt = 0;
  return async (options = {}) => {
    const fresh = known !== undefined && clock.monotonic() - readAt < KEEP_MS;
    if (fresh && known !== undefined && !options.forceRefresh) return known;
    try {
      known = parseCredentials(await readFile(path, 'utf8'), path);
      readAt = clock.monotonic();
    } catch (error) {
      if (known === undefined || options.forceRefresh) throw unreadable(path, error);
    }
    return known;
  };
}

/** @throws RemoteStorageError `invalid-configuration` when the keys are not in it */
function parseCredentials(text: string, path: string): StaticCredentials {
  const values = new Map<string, string>();
  let inDefault = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*(.*?)\s*\]\s*$/.exec(line)?.[1];
    if (section !== undefined) inDefault = section === 'default';
    const [, name, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (inDefault && name !== undefined && value !== undefined) values.set(name, value);
  }
  const accessKeyId = values.get('aws_access_key_id');
  const secretAccessKey = values.get('aws_secret_access_key');
  if (!accessKeyId || !secretAccessKey) {
    throw new RemoteStorageError(
      'invalid-configuration',
      `${path} has no aws_access_key_id and aws_secret_access_key in its section [default]`,
    );
  }
  return { accessKeyId, secretAccessKey, sessionToken: values.get('aws_session_token') };
}

function unreadable(path: string, error: unknown): unknown {
  if (error instanceof RemoteStorageError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new RemoteStorageError(
    'invalid-configuration',
    `The credentials file ${path} cannot be read: ${reason}`,
    { cause: error },
  );
}
