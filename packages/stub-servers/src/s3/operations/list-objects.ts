import { type Answer, textAnswer } from '../../http/answer.ts';
import { isoTime } from '../../http/civil-time.ts';
import { type KeyEntry, type KeyPage, listKeys } from '../list-keys.ts';
import type { S3Call } from '../s3-call.ts';
import { S3Error } from '../s3-error.ts';
import type { S3Object } from '../s3-object.ts';
import { encodeRfc3986 } from '../signature-v4.ts';
import { xmlDocument, xmlGroup, xmlText } from '../xml-writer.ts';

const ENTRIES_MAX = 1_000;

/**
 * The number of entries a page may have: the query's, at most 1000.
 *
 * @throws S3Error when it is not a number of 0 or more
 */
export function maxEntries(call: S3Call, name: string): number {
  const text = call.query.get(name);
  if (text === undefined || text === '') return ENTRIES_MAX;
  if (!/^\d{1,10}$/.test(text)) {
    throw new S3Error(
      'InvalidArgument',
      `Provided ${name} not an integer or within integer range`,
      {
        ArgumentName: name,
        ArgumentValue: text,
      },
    );
  }
  return Math.min(Number(text), ENTRIES_MAX);
}

/**
 * How keys are written in this answer: as they are, or percent-encoded where that was asked for.
 *
 * @throws S3Error when another encoding was asked for
 */
export function keyWriter(call: S3Call): (key: string) => string {
  const encoding = call.query.get('encoding-type');
  if (encoding === undefined) return (key) => key;
  if (encoding !== 'url') {
    throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request');
  }
  return (key) => key.split('/').map(encodeRfc3986).join('/');
}

interface Position {
  readonly after: string;
  readonly isPrefix: boolean;
}

// The kind stands before the text, so that a token made up by the client is likely to be refused.
function writeToken(entry: KeyEntry<S3Object>): string {
  return Buffer.from(`${entry.kind}:${entry.key}`, 'utf8').toString('base64url');
}

function readToken(token: string): Position {
  const text = Buffer.from(token, 'base64url').toString('utf8');
  const parts = /^(value|prefix):([\s\S]+)$/.exec(text);
  if (parts === null || Buffer.from(text, 'utf8').toString('base64url') !== token) {
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect', {
      ArgumentName: 'continuation-token',
    });
  }
  return { after: parts[2] ?? '', isPrefix: parts[1] === 'prefix' };
}

function writeObject(object: S3Object, write: (key: string) => string): string {
  const { checksum } = object;
  return xmlGroup('Contents', [
    xmlText('Key', write(object.key)),
    xmlText('LastModified', isoTime(object.lastModifiedMs)),
    xmlText('ETag', `"${object.etag}"`),
    ...(checksum === undefined
      ? []
      : [xmlText('ChecksumAlgorithm', checksum.algorithm), xmlText('ChecksumType', checksum.type)]),
    xmlText('Size', object.bytes.size),
    xmlText('StorageClass', object.headers.get('x-amz-storage-class') ?? 'STANDARD'),
  ]);
}

function writeEntries(page: KeyPage<S3Object>, write: (key: string) => string): string[] {
  return page.entries.map((entry) =>
    entry.kind === 'value'
      ? writeObject(entry.value, write)
      : xmlGroup('CommonPrefixes', [xmlText('Prefix', write(entry.key))]),
  );
}

// Elements that repeat a parameter stand only where it was given; `always` lists those that stand anyway.
function repeat(
  call: S3Call,
  names: Readonly<Record<string, string>>,
  write: (text: string) => string,
): string[] {
  return Object.entries(names).flatMap(([element, parameter]) => {
    const value = call.query.get(parameter);
    return value === undefined ? [] : [xmlText(element, write(value))];
  });
}

/** ListObjectsV2. */
export function listObjectsV2(call: S3Call): Answer {
  const write = keyWriter(call);
  const max = maxEntries(call, 'max-keys');
  const token = call.query.get('continuation-token');
  const position =
    token === undefined
      ? { after: call.query.get('start-after') ?? '', isPrefix: false }
      : readToken(token);
  const page = listKeys(call.bucket.objects, {
    prefix: call.query.get('prefix') ?? '',
    delimiter: call.query.get('delimiter') ?? '',
    after: position.after,
    skipBelowAfter: position.isPrefix,
    maxEntries: max,
  });
  const last = page.entries.at(-1);
  return textAnswer(
    200,
    xmlDocument('ListBucketResult', [
      xmlText('Name', call.bucketName),
      xmlText('Prefix', write(call.query.get('prefix') ?? '')),
      ...repeat(call, { Delimiter: 'delimiter', StartAfter: 'start-after' }, write),
      ...repeat(
        call,
        { EncodingType: 'encoding-type', ContinuationToken: 'continuation-token' },
        (text) => text,
      ),
      xmlText('KeyCount', page.entries.length),
      xmlText('MaxKeys', max),
      xmlText('IsTruncated', page.isTruncated),
      ...(page.isTruncated && last !== undefined
        ? [xmlText('NextContinuationToken', writeToken(last))]
        : []),
      ...writeEntries(page, write),
    ]),
    { 'Content-Type': 'application/xml' },
  );
}

/** ListObjects, the first version: pages go on from a marker, which is a key or a common prefix. */
export function listObjects(call: S3Call): Answer {
  if (call.context.options.listV2Only) {
    throw new S3Error('NotImplemented', 'Only version 2 of ListObjects is implemented');
  }
  const write = keyWriter(call);
  const max = maxEntries(call, 'max-keys');
  const marker = call.query.get('marker') ?? '';
  const delimiter = call.query.get('delimiter') ?? '';
  const page = listKeys(call.bucket.objects, {
    prefix: call.query.get('prefix') ?? '',
    delimiter,
    after: marker,
    skipBelowAfter: delimiter !== '' && marker.endsWith(delimiter),
    maxEntries: max,
  });
  const last = page.entries.at(-1);
  return textAnswer(
    200,
    xmlDocument('ListBucketResult', [
      xmlText('Name', call.bucketName),
      xmlText('Prefix', write(call.query.get('prefix') ?? '')),
      xmlText('Marker', write(marker)),
      ...repeat(call, { Delimiter: 'delimiter' }, write),
      ...repeat(call, { EncodingType: 'encoding-type' }, (text) => text),
      xmlText('MaxKeys', max),
      xmlText('IsTruncated', page.isTruncated),
      ...(page.isTruncated && last !== undefined && delimiter !== ''
        ? [xmlText('NextMarker', write(last.key))]
        : []),
      ...writeEntries(page, write),
    ]),
    { 'Content-Type': 'application/xml' },
  );
}
