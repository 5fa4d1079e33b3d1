import type { IncomingHttpHeaders } from 'node:http';
import {
  kindOfHttpStatus,
  parseRetryAfter,
  RemoteResourceNotFoundError,
  RemoteStorageError,
  type RemoteStorageErrorKind,
} from '@logloft/remote-storage';
import type { GcsOperation } from './gcs-operation.ts';
import { field, parsedJson } from './json-fields.ts';

/** What was asked when something failed. */
export interface FailedRequest {
  readonly operation: GcsOperation;
  readonly bucket: string;
  readonly key?: string | undefined;
}

/** An answer that is a failure. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, or the beginning of it. */
  readonly text: string;
  /** Wall-clock ms when it came. */
  readonly nowMs: number;
}

// These come as 403, although waiting helps.
const RATE_REASONS: ReadonlySet<string> = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'quotaExceeded',
  'dailyLimitExceeded',
]);

const MAX_MESSAGE_LENGTH = 300;
const MAX_SKEW_MS = 5 * 60_000;

/** What the store said, wherever in its answer it said it. */
export interface StoreWords {
  readonly reason: string | undefined;
  readonly message: string;
}

/** The error for an answer that is a failure: kind, what the store said, and what to do. */
export function answerFailure(failed: FailedRequest, answer: FailedAnswer): RemoteStorageError {
  const words = wordsOf(answer.text);
  const kind = kindOf(failed, answer.status, words);
  const said = [
    String(answer.status),
    words.reason === undefined ? '' : ` ${words.reason}`,
    words.message === '' ? '' : `: ${words.message}`,
  ].join('');
  const message = [
    `${describe(failed)} failed: ${said}`,
    remedyFor(failed, { kind, answer, words }),
    requestIdOf(answer.headers),
  ]
    .filter((part) => part !== '')
    .join('. ');
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], answer.nowMs);
  const options = { key: failed.key, retryAfterMs };
  if (kind === undefined) {
    return new RemoteStorageError('unavailable', message, { ...options, retryable: false });
  }
  if (kind === 'not-found') return new RemoteResourceNotFoundError(message, options);
  return new RemoteStorageError(kind, message, options);
}

/** Words for messages, for example `Reading the object "k" in the bucket "b"`. */
export function describe({ operation, bucket, key }: FailedRequest): string {
  const object = key === undefined ? '' : ` ${JSON.stringify(key)}`;
  return `${operation.action}${object} in the bucket ${JSON.stringify(bucket)}`;
}

/** Whether a 404 speaks of the object (`object`), of the bucket, or of neither. */
export function missingThing(text: string): 'object' | 'bucket' | undefined {
  const { message } = wordsOf(text);
  if (/no such object/i.test(message)) return 'object';
  if (/bucket does not exist|no such bucket|bucket not found/i.test(message)) return 'bucket';
  return undefined;
}

function wordsOf(text: string): StoreWords {
  const error = field(parsedJson(text), 'error');
  const message = field(error, 'message');
  const errors = field(error, 'errors');
  const reason = field(Array.isArray(errors) ? errors[0] : undefined, 'reason');
  return {
    reason: typeof reason === 'string' ? clean(reason) : undefined,
    message: clean(typeof message === 'string' ? message : text),
  };
}

// One line, whatever a proxy on the way may have answered.
function clean(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_MESSAGE_LENGTH)
    .replace(/\.$/, '');
}

function kindOf(
  failed: FailedRequest,
  status: number,
  { reason, message }: StoreWords,
): RemoteStorageErrorKind | undefined {
  if (status === 404 && (failed.key === undefined || isWrite(failed))) return 'container-missing';
  if (status === 404) return missingThing(message) === 'bucket' ? 'container-missing' : 'not-found';
  // The answer to a read is text and has no reason.
  const isRate =
    reason === undefined ? /rate limit|quota/i.test(message) : RATE_REASONS.has(reason);
  if (status === 403 && isRate) return 'throttled';
  if (status === 400 && /crc32c|md5|checksum|hash/i.test(message)) return 'corrupt';
  if (status === 400 && /bucket/i.test(message)) return 'invalid-configuration';
  return kindOfHttpStatus(status);
}

function isWrite({ operation }: FailedRequest): boolean {
  return operation.permissions.some((permission) =>
    permission.startsWith('storage.objects.create'),
  );
}

interface Judged {
  readonly kind: RemoteStorageErrorKind | undefined;
  readonly answer: FailedAnswer;
  readonly words: StoreWords;
}

function remedyFor(failed: FailedRequest, { kind, answer, words }: Judged): string {
  const { operation, bucket } = failed;
  if (answer.status === 401) {
    return `The credentials are missing, expired or revoked: see the options gcs.credentials.*${skewHint(answer)}`;
  }
  if (kind === 'denied' && /retention|hold/i.test(`${words.reason} ${words.message}`)) {
    return 'The bucket has a retention policy or the object a hold; tiering must be able to delete';
  }
  if (kind === 'denied') {
    return `Grant the account ${operation.permissions.join(' and ')} on the bucket, for example by the role ${operation.role}${skewHint(answer)}`;
  }
  if (kind === 'container-missing') {
    return `Create the bucket ${JSON.stringify(bucket)}, or correct the option gcs.bucket.name`;
  }
  if (kind === 'throttled') return 'The store asks for fewer requests';
  if (kind === 'corrupt') return 'The bytes were altered on the way; nothing was stored';
  return '';
}

/** Wall-clock ms that an answer was made at. */
export function dateOf({ date }: IncomingHttpHeaders): number | undefined {
  // biome-ignore lint/style/noRestrictedGlobals: reads a date, does not ask for the time
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

// Tokens are made with this machine's time.
function skewHint({ headers, nowMs }: FailedAnswer): string {
  const skewMs = nowMs - (dateOf(headers) ?? nowMs);
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return '';
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  return `. This machine's clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the store's: set it right`;
}

function requestIdOf(headers: IncomingHttpHeaders): string {
  const id = headers['x-guploader-uploadid'] ?? headers['x-goog-request-id'];
  return typeof id === 'string' ? `Request id ${clean(id)}` : '';
}
