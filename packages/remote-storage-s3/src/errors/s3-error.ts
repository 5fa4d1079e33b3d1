import {
  isRemoteStorageError,
  parseRetryAfter,
  RemoteResourceNotFoundError,
  RemoteStorageError,
} from '@logloft/remote-storage';
import type { CallFacts } from './call-facts.ts';
import { meaningOf } from './meanings.ts';
import { remedyFor } from './remedies.ts';
import { type ServiceFailure, serviceFailure } from './service-failure.ts';

/**
 * Says what a failure of the SDK, of the store or of the connection means: kind, and a message that
 * names the action, the key, the bucket, the status, the request id, and what can be done.
 *
 * @param nowMs wall-clock ms, for a `Retry-After` that is a date
 */
export function toS3Error(
  thrown: unknown,
  facts: CallFacts,
  { bucket, nowMs }: { readonly bucket: string; readonly nowMs: number },
): RemoteStorageError {
  if (isRemoteStorageError(thrown)) return thrown;
  const failure = serviceFailure(thrown);
  const { kind, retryable } = meaningOf(failure);
  const { key } = facts;
  const message = messageOf(failure, facts, bucket);
  const retryAfterMs = parseRetryAfter(failure.header('retry-after'), nowMs);
  const options = { cause: thrown, key, retryAfterMs, retryable };
  if (kind === 'not-found') return new RemoteResourceNotFoundError(message, options);
  return new RemoteStorageError(kind, message, options);
}

/** Whether the store does not know the multipart upload (any more). */
export function isNoSuchUpload(error: unknown): boolean {
  return isRemoteStorageError(error) && serviceFailure(error.cause).code === 'NoSuchUpload';
}

function messageOf(failure: ServiceFailure, facts: CallFacts, bucket: string): string {
  const { code, status, requestId } = failure;
  const object = facts.key === undefined ? '' : ` ${JSON.stringify(facts.key)}`;
  const answer = [status, code].filter((part) => part !== undefined).join(' ');
  // The SDK's stand-ins for an answer without words say nothing.
  const words = failure.message.split('\n', 1)[0] ?? '';
  const said = words === '' || words === code || /^Unknown/.test(words) ? '' : `: ${words}`;
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  const remedy = remedyFor(failure, facts);
  const advice = remedy === '' ? '' : `. ${remedy}`;
  return `${facts.action}${object} in bucket "${bucket}" failed: ${answer}${said}${request}${advice}`;
}
