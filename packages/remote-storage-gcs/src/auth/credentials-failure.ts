import { RemoteStorageError } from '@logloft/remote-storage';
import { codeOf } from '../connection-failure.ts';
import { field } from '../json-fields.ts';

/** The error for credentials that could not be had, by what Google's auth library threw. */
export function credentialsFailure(thrown: unknown): RemoteStorageError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const said = [tokenErrorOf(thrown), reason].filter((part) => part !== undefined).join(': ');
  const message = `Fetching Google credentials failed: ${said}`;
  const options = { cause: thrown };
  const status = statusOf(thrown);
  if (/default credentials/i.test(reason)) {
    return new RemoteStorageError(
      'invalid-configuration',
      `${message}. Set gcs.credentials.path or gcs.credentials.json, or the environment's GOOGLE_APPLICATION_CREDENTIALS`,
      options,
    );
  }
  if (/short-lived|iat and exp|in the future|too early/i.test(said)) {
    return new RemoteStorageError(
      'denied',
      `${message}. The time in the request does not suit Google: set this machine's clock right`,
      options,
    );
  }
  if (status === 429) return new RemoteStorageError('throttled', message, options);
  if (status !== undefined && status >= 400 && status < 500) {
    return new RemoteStorageError(
      'denied',
      `${message}. The key may be revoked, disabled or of a deleted account: make a new one and set gcs.credentials.*`,
      options,
    );
  }
  // Codes of the system and of undici are about the network, those of Node about the key.
  const code = codeOf(thrown) ?? '';
  if (status !== undefined || /^(E(?!RR_)|UND_)/.test(code)) {
    return new RemoteStorageError('unavailable', message, options);
  }
  return new RemoteStorageError('denied', message, options);
}

// The token endpoint answers `{ error, error_description }`.
function tokenErrorOf(thrown: unknown): string | undefined {
  const data = field(field(thrown, 'response'), 'data');
  const parts = [field(data, 'error'), field(data, 'error_description')];
  const texts = parts.filter((part) => typeof part === 'string');
  return texts.length === 0 ? undefined : texts.join(', ');
}

function statusOf(thrown: unknown): number | undefined {
  const status = field(field(thrown, 'response'), 'status') ?? field(thrown, 'status');
  return typeof status === 'number' ? status : undefined;
}
