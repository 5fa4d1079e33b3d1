import { type Answer, emptyAnswer } from '../../http/answer.ts';
import { type ResolvedRange, resolveRange } from '../../http/byte-range.ts';
import { httpTime } from '../../http/civil-time.ts';
import { checksumHeader } from '../checksum.ts';
import { isModified } from '../conditions.ts';
import { assertOnlyVersion, type S3Call } from '../s3-call.ts';
import { S3Error } from '../s3-error.ts';
import type { S3Object } from '../s3-object.ts';

/** Queries that replace a header of the answer. */
const OVERRIDES: readonly string[] = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];

/**
 * The object that a call names.
 *
 * @throws S3Error when it is not there; to a user who may not list, S3 does not even say that
 */
function existingObject(call: S3Call): S3Object {
  const object = call.bucket.objects.get(call.key);
  if (object !== undefined) return object;
  if (call.credential.deniedOperations?.includes('ListObjectsV2') ?? false) {
    throw new S3Error('AccessDenied', 'Access Denied');
  }
  throw new S3Error('NoSuchKey', 'The specified key does not exist.');
}

/** GetObject and HeadObject: whole, by range or by part number, under conditions. */
export function readObject(call: S3Call): Answer {
  const object = existingObject(call);
  assertOnlyVersion(call.query.get('versionId'));
  const etag = `"${object.etag}"`;
  if (!isModified(call.exchange.head, object)) {
    return emptyAnswer(304, { ETag: etag, 'Last-Modified': httpTime(object.lastModifiedMs) });
  }
  const range = rangeOf(call, object);
  const { size } = object.bytes;
  const bytes = range === undefined ? object.bytes : object.bytes.slice(range.start, range.end + 1);
  const headers = new Map<string, string>([
    ['ETag', etag],
    ['Last-Modified', httpTime(object.lastModifiedMs)],
    ['Accept-Ranges', 'bytes'],
    ...object.headers,
  ]);
  for (const name of OVERRIDES) {
    const value = call.query.get(`response-${name}`);
    if (value !== undefined) headers.set(name, headerValue(value));
  }
  if (range === undefined) addChecksum(call, object, headers);
  else headers.set('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
  if (call.query.has('partNumber') && object.partBytes.length > 0) {
    headers.set('x-amz-mp-parts-count', String(object.partBytes.length));
  }
  return { status: range === undefined ? 200 : 206, headers, body: bytes.pieces };
}

function headerValue(text: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text;
  throw new S3Error('InvalidArgument', 'A header value has characters that no header can carry.');
}

// Of a range S3 gives no checksum: there is none of those bytes alone.
function addChecksum(call: S3Call, object: S3Object, headers: Map<string, string>): void {
  const { checksum } = object;
  if (checksum === undefined || call.header('x-amz-checksum-mode')?.toUpperCase() !== 'ENABLED') {
    return;
  }
  headers.set(checksumHeader(checksum.algorithm), checksum.value);
  headers.set('x-amz-checksum-type', checksum.type);
}

function rangeOf(call: S3Call, object: S3Object): ResolvedRange | undefined {
  const { size } = object.bytes;
  const header = call.header('range');
  const part = call.query.get('partNumber');
  if (part !== undefined) {
    if (header !== undefined) {
      throw new S3Error('InvalidRequest', 'Cannot specify both Range header and partNumber');
    }
    return partRange(object, part);
  }
  const range = resolveRange(header, size);
  if (range !== 'unsatisfiable') return range;
  throw new S3Error('InvalidRange', 'The requested range is not satisfiable', {
    RangeRequested: header ?? '',
    ActualObjectSize: String(size),
  });
}

function partRange(object: S3Object, part: string): ResolvedRange | undefined {
  const sizes = object.partBytes.length === 0 ? [object.bytes.size] : object.partBytes;
  const number = /^\d{1,5}$/.test(part) ? Number(part) : 0;
  const size = sizes[number - 1];
  if (size === undefined) {
    throw new S3Error('InvalidPartNumber', 'The requested partnumber is not satisfiable', {
      ActualPartCount: String(sizes.length),
      PartNumberRequested: part,
    });
  }
  const start = sizes.slice(0, number - 1).reduce((sum, each) => sum + each, 0);
  return size === 0 ? undefined : { start, end: start + size - 1 };
}
