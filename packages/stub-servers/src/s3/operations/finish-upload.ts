import { createHash } from 'node:crypto';
import { type Answer, emptyAnswer, textAnswer } from '../../http/answer.ts';
import { StoredBytes } from '../../storage/stored-bytes.ts';
import { CHECKSUM_BYTES, checksumHeader, checksumOf, type ObjectChecksum } from '../checksum.ts';
import { assertWriteConditions, assertWriteConditionsServed } from '../conditions.ts';
import type { PendingUpload, UploadedPart } from '../pending-upload.ts';
import type { S3Call } from '../s3-call.ts';
import { S3Error } from '../s3-error.ts';
import { childText, type XmlElement } from '../xml-reader.ts';
import { xmlDocument, xmlText } from '../xml-writer.ts';
import { existingUpload } from './upload-parts.ts';
import { encryptionHeader } from './write-object.ts';

/** Above the 1 MiB of other documents: 10,000 parts with their checksums are about 2 MiB. */
const COMPLETE_BYTES_MAX = 4 * 1024 * 1024;

interface NamedPart {
  readonly partNumber: number;
  readonly etag: string;
  readonly element: XmlElement;
}

/** CompleteMultipartUpload: checks all, then publishes in one turn of the event loop. */
export async function completeUpload(call: S3Call): Promise<Answer> {
  const { context, key } = call;
  const { head } = call.exchange;
  assertWriteConditionsServed(head, context.options.conditionalWrites);
  existingUpload(call);
  const named = readParts(
    await call.receiveXml({ maxBytes: COMPLETE_BYTES_MAX, isObjectChecksum: true }),
  );
  // From here to the end nothing else runs: that makes the condition atomic.
  const { bucket } = call;
  const upload = existingUpload(call);
  const parts = named.map((part) => matchPart(upload, part));
  assertSizes(parts, context.options.minPartBytes);
  const bytes = StoredBytes.join(parts.map((part) => part.bytes));
  assertObjectSize(call, bytes.size);
  const checksum = objectChecksum(upload, parts, bytes);
  assertObjectChecksum(call, bytes, checksum);
  assertWriteConditions(head, bucket.objects.get(key));
  const etag = multipartEtag(parts);
  context.storage.dropUpload(bucket, upload, new Set(parts.map((part) => part.partNumber)));
  context.storage.putObject(bucket, {
    key,
    bytes,
    etag,
    lastModifiedMs: call.nowMs,
    headers: upload.headers,
    checksum,
    partBytes: parts.map((part) => part.bytes.size),
  });
  return completedAnswer(call, { etag, checksum, upload });
}

function completedAnswer(
  call: S3Call,
  result: {
    readonly etag: string;
    readonly checksum: ObjectChecksum | undefined;
    readonly upload: PendingUpload;
  },
): Answer {
  const { etag, checksum, upload } = result;
  return textAnswer(
    200,
    xmlDocument('CompleteMultipartUploadResult', [
      xmlText('Location', `http://${call.header('host') ?? ''}${call.exchange.head.path}`),
      xmlText('Bucket', call.bucketName),
      xmlText('Key', upload.key),
      xmlText('ETag', `"${etag}"`),
      ...(checksum === undefined
        ? []
        : [
            xmlText(`Checksum${checksum.algorithm}`, checksum.value),
            xmlText('ChecksumType', checksum.type),
          ]),
    ]),
    { 'Content-Type': 'application/xml', ...encryptionHeader(upload.headers) },
  );
}

/** AbortMultipartUpload. */
export function abortUpload(call: S3Call): Answer {
  call.context.storage.dropUpload(call.bucket, existingUpload(call));
  return emptyAnswer(204);
}

function readParts(document: XmlElement): readonly NamedPart[] {
  const elements = document.children.filter(({ name }) => name === 'Part');
  const malformed = new S3Error(
    'MalformedXML',
    'The XML you provided must be a CompleteMultipartUpload with at least one Part, each with its PartNumber and ETag.',
  );
  if (document.name !== 'CompleteMultipartUpload' || elements.length === 0) throw malformed;
  const parts = elements.map((element) => {
    const number = childText(element, 'PartNumber')?.trim() ?? '';
    const etag = childText(element, 'ETag')?.trim();
    if (etag === undefined || !/^\d{1,5}$/.test(number)) throw malformed;
    return { partNumber: Number(number), etag: etag.replace(/^"(.*)"$/, '$1'), element };
  });
  const isOrdered = parts.every((part, index) => {
    const before = parts[index - 1];
    return before === undefined || before.partNumber < part.partNumber;
  });
  if (isOrdered) return parts;
  throw new S3Error(
    'InvalidPartOrder',
    'The list of parts was not in ascending order. Parts must be ordered by part number.',
  );
}

function matchPart(upload: PendingUpload, named: NamedPart): UploadedPart {
  const part = upload.parts.get(named.partNumber);
  const claimed =
    part?.checksum === undefined
      ? undefined
      : childText(named.element, `Checksum${part.checksum.algorithm}`);
  const isMissing = upload.checksum?.type === 'COMPOSITE' && claimed === undefined;
  if (part !== undefined && isMissing) {
    throw new S3Error(
      'InvalidRequest',
      `The upload was created using a ${upload.checksum?.algorithm.toLowerCase() ?? ''} checksum. The complete request must include the checksum for each part. It was missing for part ${named.partNumber} in the request.`,
    );
  }
  const isRight =
    part?.etag === named.etag && (claimed === undefined || claimed === part.checksum?.value);
  if (part !== undefined && isRight) return part;
  throw new S3Error(
    'InvalidPart',
    "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag or checksum may not match the part's.",
    { UploadId: upload.uploadId, PartNumber: String(named.partNumber), ETag: named.etag },
  );
}

function assertSizes(parts: readonly UploadedPart[], minPartBytes: number): void {
  const small = parts.slice(0, -1).find((part) => part.bytes.size < minPartBytes);
  if (small === undefined) return;
  throw new S3Error(
    'EntityTooSmall',
    'Your proposed upload is smaller than the minimum allowed size',
    {
      ProposedSize: String(small.bytes.size),
      MinSizeAllowed: String(minPartBytes),
      PartNumber: String(small.partNumber),
      ETag: small.etag,
    },
  );
}

function assertObjectSize(call: S3Call, size: number): void {
  const claimed = call.header('x-amz-mp-object-size');
  if (claimed === undefined || claimed === String(size)) return;
  throw new S3Error(
    'InvalidRequest',
    `The provided 'x-amz-mp-object-size' header value ${claimed} does not match what was computed: ${size}`,
  );
}

function multipartEtag(parts: readonly UploadedPart[]): string {
  const hash = createHash('md5');
  for (const part of parts) hash.update(Buffer.from(part.etag, 'hex'));
  return `${hash.digest('hex')}-${parts.length}`;
}

function objectChecksum(
  upload: PendingUpload,
  parts: readonly UploadedPart[],
  bytes: StoredBytes,
): ObjectChecksum | undefined {
  if (upload.checksum === undefined) return undefined;
  const { algorithm, type } = upload.checksum;
  if (type === 'FULL_OBJECT')
    return { algorithm, type, value: checksumOf(algorithm, bytes.pieces) };
  const values = parts.map((part) => Buffer.from(part.checksum?.value ?? '', 'base64'));
  return { algorithm, type, value: `${checksumOf(algorithm, values)}-${parts.length}` };
}

// The header may carry a composite value with or without the number of parts behind it, and the checksum
// of the whole also where the upload was begun without any.
function assertObjectChecksum(
  call: S3Call,
  bytes: StoredBytes,
  checksum: ObjectChecksum | undefined,
): void {
  if (call.context.options.checksums !== 'verify') return;
  for (const algorithm of CHECKSUM_BYTES.keys()) {
    const claimed = call.header(checksumHeader(algorithm));
    if (claimed === undefined) continue;
    const value =
      checksum?.algorithm === algorithm ? checksum.value : checksumOf(algorithm, bytes.pieces);
    if (claimed === value || claimed === value.replace(/-\d+$/, '')) continue;
    throw new S3Error(
      'BadDigest',
      `The ${algorithm} you specified did not match what we received.`,
    );
  }
}
