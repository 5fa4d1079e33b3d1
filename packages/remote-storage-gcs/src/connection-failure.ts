import {
  isRemoteStorageError,
  RemoteStorageError,
  toRemoteStorageError,
} from '@logloft/remote-storage';
import { describe, type FailedRequest } from './gcs-error.ts';

const PASSING_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EPROTO',
  'EADDRNOTAVAIL',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** The error for a connection that could not be made, or that broke. */
export function connectionFailure(thrown: unknown, failed: FailedRequest): RemoteStorageError {
  if (isRemoteStorageError(thrown)) return thrown;
  const code = codeOf(thrown) ?? '';
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const options = { key: failed.key, cause: thrown };
  // Parsers of HTTP say HPE_ of answers that are cut or are none.
  if (PASSING_CODES.has(code) || code.startsWith('HPE_')) {
    const message = `${describe(failed)} failed: the connection broke (${code}): ${reason}`;
    return new RemoteStorageError('unavailable', message, options);
  }
  if (/^(CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_SSL_)/.test(code)) {
    const hint = /EXPIRED|NOT_YET_VALID/.test(code) ? "; is this machine's clock right?" : '';
    const message = `${describe(failed)} failed: the store's certificate is not trusted (${code}): ${reason}${hint}`;
    return new RemoteStorageError('invalid-configuration', message, options);
  }
  return toRemoteStorageError(thrown, { action: describe(failed) });
}

/** The `code` of an error of the system, or of the cause below it. */
export function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return thrown.cause === undefined ? undefined : codeOf(thrown.cause);
}
