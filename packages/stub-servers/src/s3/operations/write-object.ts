import { type Answer, emptyAnswer, textAnswer } from '../../http/answer.ts';
import { isoTime } from '../../http/civil-time.ts';
import { decodePercent } from '../../http/request-head.ts';
import { checksumHeader, type ObjectChecksum } from '../checksum.ts';
import { assertWriteConditions, assertWriteConditionsServed, isModified } from '../conditions.ts';
import { assertKey, assertOnlyVersion, type S3Call } from '../s3-call.ts';
import { S3Error } from '../s3-error.ts';
import { headersToKeep, type S3Object } from '../s3-object.ts';
import { xmlDocument, xmlText } from '../xml-writer.ts';

/** Headers that say the checksum of what was just stored. */
export function checksumHeaders(
  checksum: ObjectChecksum | undefined,
): Readonly<Record<string, string>> {
  if (checksum === undefined) return {};
  return {
    [checksumHeader(checksum.algorithm)]: checksum.value,
    'x-amz-checksum-type': checksum.type,
  };
}

/** PutObject. */
export async function putObject(call: S3Call): Promise<Answer> {
  const { head } = call.exchange;
  const { key, context } = call;
  assertWriteConditionsServed(head, context.options.conditionalWrites);
  const headers = headersToKeep(head);
  // Before the body, so that a client that waits for `100 Continue` need not send it in vain.
  assertWriteConditions(head, call.bucket.objects.get(key));
  const payload = await call.receive();
  try {
    // From here to `putObject` nothing else runs: that makes the condition atomic.
    const { bucket } = call;
    assertWriteConditions(head, bucket.objects.get(key));
    context.storage.putObject(bucket, {
      key,
      bytes: payload.bytes,
      etag: payload.md5Hex,
      lastModifiedMs: call.nowMs,
      headers,
      checksum: payload.checksum,
      partBytes: [],
    });
  } catch (error) {
    context.budget.release(payload.bytes.size);
    throw error;
  }
  return emptyAnswer(200, {
    ETag: `"${payload.md5Hex}"`,
    ...checksumHeaders(payload.checksum),
    ...encryptionHeader(headers),
  });
}

/** The header by which S3 says how it encrypted, where it was asked to. */
export function encryptionHeader(
  headers: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const name = 'x-amz-server-side-encryption';
  const value = headers.get(name);
  return value === undefined ? {} : { [name]: value };
}

/**
 * The object that `x-amz-copy-source` names, if its conditions hold.
 *
 * @throws S3Error when it is malformed, not there, or another version
 */
export function copySource(call: S3Call): S3Object {
  const [path = '', version] = (call.header('x-amz-copy-source') ?? '').split('?');
  const decoded = decodePercent(path)?.replace(/^\//, '') ?? '';
  const slash = decoded.indexOf('/');
  if (slash <= 0) {
    throw new S3Error(
      'InvalidArgument',
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
      { ArgumentName: 'x-amz-copy-source' },
    );
  }
  const key = decoded.slice(slash + 1);
  assertKey(key);
  const source = call.context.storage.bucket(decoded.slice(0, slash)).objects.get(key);
  if (source === undefined) throw new S3Error('NoSuchKey', 'The specified key does not exist.');
  assertOnlyVersion(version?.replace('versionId=', ''));
  if (!isModified(call.exchange.head, source, { prefix: 'x-amz-copy-source-' })) {
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions did not hold');
  }
  return source;
}

/** CopyObject, with the source's metadata or, by `REPLACE`, the request's. */
export function copyObject(call: S3Call): Answer {
  const { context, key, bucket } = call;
  const { head } = call.exchange;
  assertWriteConditionsServed(head, context.options.conditionalWrites);
  const source = copySource(call);
  const replaces = call.header('x-amz-metadata-directive')?.toUpperCase() === 'REPLACE';
  const existing = bucket.objects.get(key);
  if (existing === source && !replaces) {
    throw new S3Error(
      'InvalidRequest',
      'This copy request is illegal because it is trying to copy an object to itself without changing its metadata.',
    );
  }
  assertWriteConditions(head, existing);
  const headers = replaces ? headersToKeep(head) : source.headers;
  context.budget.reserve(source.bytes.size);
  // An object of several parts becomes one of none, yet keeps its ETag: S3 would compute it anew, and
  // nobody may rely on either.
  const copy: S3Object = { ...source, key, headers, lastModifiedMs: call.nowMs, partBytes: [] };
  context.storage.putObject(bucket, copy);
  return textAnswer(
    200,
    xmlDocument('CopyObjectResult', [
      xmlText('LastModified', isoTime(copy.lastModifiedMs)),
      xmlText('ETag', `"${copy.etag}"`),
    ]),
    { 'Content-Type': 'application/xml' },
  );
}
