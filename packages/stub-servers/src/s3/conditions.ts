import { parseHttpTime } from '../http/civil-time.ts';
import type { RequestHead } from '../http/request-head.ts';
import { S3Error } from './s3-error.ts';
import type { S3Object } from './s3-object.ts';

function names(list: string, etag: string): boolean {
  return list
    .split(',')
    .map((item) =>
      item
        .trim()
        .replace(/^W\//, '')
        .replace(/^"(.*)"$/, '$1'),
    )
    .some((item) => item === '*' || item === etag);
}

function preconditionFailed(condition: string): S3Error {
  return new S3Error(
    'PreconditionFailed',
    'At least one of the pre-conditions you specified did not hold',
    { Condition: condition },
  );
}

/**
 * Refuses conditions on a write that the store does not have at all.
 *
 * @throws S3Error when there is one
 */
export function assertWriteConditionsServed(head: RequestHead, dialect: 'atomic' | 'none'): void {
  const ifNoneMatch = head.headers.get('if-none-match');
  const isOdd = ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*';
  const isRefused =
    dialect === 'none' && (ifNoneMatch !== undefined || head.headers.has('if-match'));
  if (!isOdd && !isRefused) return;
  throw new S3Error(
    'NotImplemented',
    'A header you provided implies functionality that is not implemented',
    { Header: ifNoneMatch === undefined ? 'If-Match' : 'If-None-Match' },
  );
}

/**
 * Whether a write may go on, given what is stored now. To be asked in the same turn of the event
 * loop in which the write is done.
 *
 * @throws S3Error when it may not
 */
export function assertWriteConditions(head: RequestHead, existing: S3Object | undefined): void {
  if (head.headers.has('if-none-match') && existing !== undefined) {
    throw preconditionFailed('If-None-Match');
  }
  assertIfMatch(head.headers.get('if-match'), existing);
}

/** @throws S3Error when there is nothing stored, or not the version that is meant */
export function assertIfMatch(ifMatch: string | undefined, existing: S3Object | undefined): void {
  if (ifMatch === undefined) return;
  if (existing === undefined) {
    throw new S3Error('NoSuchKey', 'The specified key does not exist.');
  }
  if (!names(ifMatch, existing.etag)) throw preconditionFailed('If-Match');
}

/** Names of the four headers, which differ between a read and the source of a copy. */
export interface ConditionHeaders {
  readonly prefix: '' | 'x-amz-copy-source-';
}

/**
 * Whether a read finds a changed object: `false` when the reader has it already (304). Conditions on
 * times count only where there is none on the ETag, and in whole seconds.
 *
 * @throws S3Error when a condition on the version does not hold
 */
export function isModified(
  head: RequestHead,
  object: S3Object,
  { prefix }: ConditionHeaders = { prefix: '' },
): boolean {
  const header = (name: string): string | undefined => head.headers.get(`${prefix}${name}`);
  const time = (name: string): number | undefined => {
    const value = header(name);
    return value === undefined ? undefined : parseHttpTime(value);
  };
  const lastModifiedMs = Math.floor(object.lastModifiedMs / 1_000) * 1_000;
  const ifMatch = header('if-match');
  const unmodifiedSince = time('if-unmodified-since');
  if (ifMatch !== undefined) {
    if (!names(ifMatch, object.etag)) throw preconditionFailed('If-Match');
  } else if (unmodifiedSince !== undefined && lastModifiedMs > unmodifiedSince) {
    throw preconditionFailed('If-Unmodified-Since');
  }
  const ifNoneMatch = header('if-none-match');
  if (ifNoneMatch !== undefined) return !names(ifNoneMatch, object.etag);
  const modifiedSince = time('if-modified-since');
  return modifiedSince === undefined || lastModifiedMs > modifiedSince;
}
