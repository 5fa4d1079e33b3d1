import { type Answer, emptyAnswer, textAnswer } from '../../http/answer.ts';
import { isoTime } from '../../http/civil-time.ts';
import type { S3Call } from '../s3-call.ts';
import { xmlDocument, xmlGroup, xmlText } from '../xml-writer.ts';

const XML = { 'Content-Type': 'application/xml' };

/** ListBuckets. */
export function listBuckets(call: S3Call): Answer {
  const buckets = call.context.storage
    .buckets()
    .map(({ name, createdMs }) =>
      xmlGroup('Bucket', [xmlText('Name', name), xmlText('CreationDate', isoTime(createdMs))]),
    );
  const owner = xmlGroup('Owner', [xmlText('ID', 'stub')]);
  return textAnswer(
    200,
    xmlDocument('ListAllMyBucketsResult', [owner, xmlGroup('Buckets', buckets)]),
    XML,
  );
}

/** CreateBucket. Its configuration is read and not used: a stub is one region. */
export async function createBucket(call: S3Call): Promise<Answer> {
  if (Number(call.header('content-length') ?? 0) > 0) await call.receiveXml();
  call.context.storage.createBucket(call.bucketName, call.nowMs);
  return emptyAnswer(200, { Location: `/${call.bucketName}` });
}

/** HeadBucket. */
export function headBucket(call: S3Call): Answer {
  call.assertBucket();
  return emptyAnswer(200, { 'x-amz-bucket-region': call.context.options.region });
}

/** DeleteBucket. */
export function deleteBucket(call: S3Call): Answer {
  call.context.storage.deleteBucket(call.bucketName);
  return emptyAnswer(204);
}

/** GetBucketLocation: empty for us-east-1, as ever. */
export function bucketLocation(call: S3Call): Answer {
  call.assertBucket();
  const { region } = call.context.options;
  const text = region === 'us-east-1' ? '' : region;
  // The only answer whose root element is the value itself.
  const document = xmlDocument('LocationConstraint', [text]);
  return textAnswer(200, document, XML);
}

/** GetBucketVersioning: never enabled. */
export function bucketVersioning(call: S3Call): Answer {
  call.assertBucket();
  return textAnswer(200, xmlDocument('VersioningConfiguration', []), XML);
}
