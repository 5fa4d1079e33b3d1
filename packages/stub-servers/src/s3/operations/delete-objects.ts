import { type Answer, emptyAnswer, textAnswer } from '../../http/answer.ts';
import { assertIfMatch, assertWriteConditionsServed } from '../conditions.ts';
import { assertKey, assertOnlyVersion, type S3Call } from '../s3-call.ts';
import { S3Error } from '../s3-error.ts';
import { childText, type XmlElement } from '../xml-reader.ts';
import { xmlDocument, xmlGroup, xmlText } from '../xml-writer.ts';

const KEYS_MAX = 1_000;

/** DeleteObject: 204 also when there was nothing. */
export function deleteObject(call: S3Call): Answer {
  const { context, bucket, key } = call;
  assertWriteConditionsServed(call.exchange.head, context.options.conditionalWrites);
  assertOnlyVersion(call.query.get('versionId'));
  assertIfMatch(call.header('if-match'), bucket.objects.get(key));
  context.storage.deleteObject(bucket, key);
  return emptyAnswer(204);
}

/** DeleteObjects: up to 1000 keys, each with a result of its own. */
export async function deleteObjects(call: S3Call): Promise<Answer> {
  // For a missing bucket, before the body is read.
  call.assertBucket();
  assertDigest(call);
  const document = await call.receiveXml();
  const objects = document.children.filter(({ name }) => name === 'Object');
  if (document.name !== 'Delete' || objects.length === 0 || objects.length > KEYS_MAX) {
    throw new S3Error(
      'MalformedXML',
      `The XML you provided must be a Delete with 1 to ${KEYS_MAX} keys.`,
    );
  }
  const isQuiet = childText(document, 'Quiet') === 'true';
  const results = objects.map((object) => deleteOne(call, object, isQuiet));
  return textAnswer(200, xmlDocument('DeleteResult', results), {
    'Content-Type': 'application/xml',
  });
}

// A request that deletes much must not be believed after a flipped bit.
function assertDigest(call: S3Call): void {
  const isChecked = [...call.exchange.head.headers.keys()].some(
    (name) =>
      name === 'content-md5' || name.startsWith('x-amz-checksum-') || name === 'x-amz-trailer',
  );
  if (isChecked) return;
  throw new S3Error(
    'InvalidRequest',
    'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
  );
}

function deleteOne(call: S3Call, object: XmlElement, isQuiet: boolean): string {
  const key = childText(object, 'Key') ?? '';
  const etag = childText(object, 'ETag');
  const { context, bucket } = call;
  try {
    assertKey(key);
    assertOnlyVersion(childText(object, 'VersionId'));
    if (call.credential.deniedOperations?.includes('DeleteObject') ?? false) {
      throw new S3Error('AccessDenied', 'Access Denied');
    }
    if (etag !== undefined && context.options.conditionalWrites === 'none') {
      throw new S3Error('NotImplemented', 'Conditional deletes are not implemented');
    }
    assertIfMatch(etag, bucket.objects.get(key));
    context.storage.deleteObject(bucket, key);
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    return xmlGroup('Error', [
      xmlText('Key', key),
      xmlText('Code', error.code),
      xmlText('Message', error.message),
    ]);
  }
  return isQuiet ? '' : xmlGroup('Deleted', [xmlText('Key', key)]);
}
