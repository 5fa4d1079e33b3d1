import { kindOfHttpStatus, type RemoteStorageErrorKind } from '@logloft/remote-storage';
import type { ServiceFailure } from './service-failure.ts';

/** What a failure means for us. */
export interface Meaning {
  readonly kind: RemoteStorageErrorKind;
  /** Default: by kind. */
  readonly retryable?: boolean | undefined;
}

const DENIED: Meaning = { kind: 'denied' };
const THROTTLED: Meaning = { kind: 'throttled' };
const UNAVAILABLE: Meaning = { kind: 'unavailable' };
const MISCONFIGURED: Meaning = { kind: 'invalid-configuration' };
// The bytes are still in memory: what was damaged on its way is worth sending again.
const DAMAGED: Meaning = { kind: 'corrupt', retryable: true };
const HOPELESS: Meaning = { kind: 'unavailable', retryable: false };

/** By the code of the store, which says more than the status. */
const BY_CODE: ReadonlyMap<string, Meaning> = new Map([
  ['NoSuchKey', { kind: 'not-found' }],
  ['NotFound', { kind: 'not-found' }],
  ['NoSuchBucket', { kind: 'container-missing' }],
  ['NoSuchUpload', HOPELESS],
  ['AccessDenied', DENIED],
  ['AllAccessDisabled', DENIED],
  ['AccountProblem', DENIED],
  ['InvalidAccessKeyId', DENIED],
  ['SignatureDoesNotMatch', DENIED],
  ['InvalidToken', DENIED],
  ['ExpiredToken', DENIED],
  ['ExpiredTokenException', DENIED],
  ['TokenRefreshRequired', DENIED],
  ['RequestTimeTooSkewed', DENIED],
  ['RequestExpired', DENIED],
  ['CredentialsProviderError', DENIED],
  ['InvalidObjectState', HOPELESS],
  ['SlowDown', THROTTLED],
  ['ServiceUnavailable', THROTTLED],
  ['Throttling', THROTTLED],
  ['ThrottlingException', THROTTLED],
  ['TooManyRequests', THROTTLED],
  ['RequestLimitExceeded', THROTTLED],
  ['BandwidthLimitExceeded', THROTTLED],
  ['InternalError', UNAVAILABLE],
  ['OperationAborted', UNAVAILABLE],
  ['RequestTimeout', UNAVAILABLE],
  ['IncompleteBody', UNAVAILABLE],
  ['PreconditionFailed', { kind: 'precondition' }],
  // Two writers met, and nothing is settled: the same write may be asked for again.
  ['ConditionalRequestConflict', { kind: 'precondition', retryable: true }],
  ['InvalidRange', { kind: 'bad-range' }],
  ['BadDigest', DAMAGED],
  ['InvalidDigest', DAMAGED],
  ['XAmzContentSHA256Mismatch', DAMAGED],
  ['PermanentRedirect', MISCONFIGURED],
  ['AuthorizationHeaderMalformed', MISCONFIGURED],
  ['IllegalLocationConstraintException', MISCONFIGURED],
  ['InvalidBucketName', MISCONFIGURED],
  ['KeyTooLongError', MISCONFIGURED],
  ['EntityTooSmall', MISCONFIGURED],
  ['EntityTooLarge', MISCONFIGURED],
  ['NotImplemented', MISCONFIGURED],
  ['MethodNotAllowed', MISCONFIGURED],
  ['QuotaExceeded', { kind: 'full' }],
  ['XMinioStorageFull', { kind: 'full' }],
  ['InsufficientStorage', { kind: 'full' }],
]);

/** By what the operating system or TLS says when there is no answer. */
const BY_SYSTEM_CODE: ReadonlyMap<string, Meaning> = new Map([
  ['ECONNREFUSED', UNAVAILABLE],
  ['ECONNRESET', UNAVAILABLE],
  ['EPIPE', UNAVAILABLE],
  ['ENOTFOUND', UNAVAILABLE],
  ['EAI_AGAIN', UNAVAILABLE],
  ['EHOSTUNREACH', UNAVAILABLE],
  ['ENETUNREACH', UNAVAILABLE],
  ['ENETDOWN', UNAVAILABLE],
  ['ECONNABORTED', UNAVAILABLE],
  ['EADDRNOTAVAIL', UNAVAILABLE],
  ['ETIMEDOUT', { kind: 'timeout' }],
  ['TimeoutError', { kind: 'timeout' }],
  ['EMFILE', THROTTLED],
  ['ENFILE', THROTTLED],
]);

/** Codes of Node for certificates that are not to be trusted. */
export const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Whether one side speaks TLS and the other does not, or another version of it. */
export function isTlsMismatch(code: string): boolean {
  return code === 'EPROTO' || code.startsWith('ERR_SSL_');
}

/** What a failure means: by the store's code, then by its status, then by the system's code. */
export function meaningOf(failure: ServiceFailure): Meaning {
  const { code, status, message } = failure;
  const known = BY_CODE.get(code) ?? BY_SYSTEM_CODE.get(code);
  if (known !== undefined) return known;
  if (CERTIFICATE_CODES.has(code) || isTlsMismatch(code)) return MISCONFIGURED;
  if (message.startsWith('Checksum mismatch')) return { kind: 'corrupt' };
  if (/region is missing/i.test(message)) return MISCONFIGURED;
  if (status === 501) return MISCONFIGURED;
  if (status !== undefined && status >= 300 && status < 400 && status !== 304) return MISCONFIGURED;
  const kind = status === undefined ? undefined : kindOfHttpStatus(status);
  return kind === undefined ? HOPELESS : { kind };
}
