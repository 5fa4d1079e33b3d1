import { createHash } from 'node:crypto';
import { type Answer, emptyAnswer, textAnswer } from '../../http/answer.ts';
import { resolveRange } from '../../http/byte-range.ts';
import { isoTime } from '../../http/civil-time.ts';
import { checksumAlgorithm, checksumOf, type ObjectChecksum } from '../checksum.ts';
import type { PendingUpload, UploadChecksum, UploadedPart } from '../pending-upload.ts';
import type { S3Call } from '../s3-call.ts';
import { S3Error } from '../s3-error.ts';
import { headersToKeep } from '../s3-object.ts';
import { xmlDocument, xmlText } from '../xml-writer.ts';
import { checksumHeaders, copySource, encryptionHeader } from './write-object.ts';

const PART_NUMBER_MAX = 10_000;

/** CreateMultipartUpload. */
export function createUpload(call: S3Call): Answer {
  const { bucket, key } = call;
  const checksum = uploadChecksum(call);
  const uploadId = call.newId(24);
  const headers = headersToKeep(call.exchange.head);
  bucket.uploads.set(uploadId, {
    uploadId,
    key,
    initiatedMs: call.nowMs,
    headers,
    checksum,
    parts: new Map(),
  });
  return textAnswer(
    200,
    xmlDocument('InitiateMultipartUploadResult', [
      xmlText('Bucket', bucket.name),
      xmlText('Key', key),
      xmlText('UploadId', uploadId),
    ]),
    {
      'Content-Type': 'application/xml',
      ...(checksum === undefined
        ? {}
        : {
            'x-amz-checksum-algorithm': checksum.algorithm,
            'x-amz-checksum-type': checksum.type,
          }),
      ...encryptionHeader(headers),
    },
  );
}

function uploadChecksum(call: S3Call): UploadChecksum | undefined {
  const name = call.header('x-amz-checksum-algorithm');
  const { checksums } = call.context.options;
  if (name === undefined || checksums === 'ignore') return undefined;
  const algorithm = checksumAlgorithm(name);
  if (checksums === 'refuse' || algorithm === undefined) {
    throw new S3Error('NotImplemented', `The checksum algorithm ${name} is not implemented`, {
      Header: 'x-amz-checksum-algorithm',
    });
  }
  const type = call.header('x-amz-checksum-type')?.toUpperCase() ?? 'COMPOSITE';
  const isCrc = algorithm === 'CRC32' || algorithm === 'CRC32C';
  if (type === 'COMPOSITE' || (type === 'FULL_OBJECT' && isCrc)) return { algorithm, type };
  throw new S3Error(
    'InvalidRequest',
    `The ${type} checksum type cannot be used with the ${algorithm} checksum algorithm.`,
  );
}

function partNumber(call: S3Call): number {
  const text = call.query.get('partNumber') ?? '';
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= PART_NUMBER_MAX) return number;
  throw new S3Error(
    'InvalidArgument',
    `Part number must be an integer between 1 and ${PART_NUMBER_MAX}, inclusive`,
    { ArgumentName: 'partNumber', ArgumentValue: text },
  );
}

/**
 * The unfinished upload that a call names.
 *
 * @throws S3Error when it is not there
 */
export function existingUpload(call: S3Call): PendingUpload {
  return call.context.storage.upload(call.bucket, call.key, call.query.get('uploadId') ?? '');
}

function assertPartChecksum(upload: PendingUpload, checksum: ObjectChecksum | undefined): void {
  const expected = upload.checksum;
  if (expected === undefined) return;
  const isMissing = checksum === undefined && expected.type === 'COMPOSITE';
  const isOther = checksum !== undefined && checksum.algorithm !== expected.algorithm;
  if (!isMissing && !isOther) return;
  throw new S3Error(
    'InvalidRequest',
    `Checksum Type mismatch occurred, expected checksum Type: ${expected.algorithm.toLowerCase()}, actual checksum Type: ${checksum?.algorithm.toLowerCase() ?? 'null'}`,
  );
}

/** Stores a part, in place of one of the same number. Its bytes are reserved. */
function storePart(call: S3Call, part: UploadedPart): void {
  const upload = existingUpload(call);
  assertPartChecksum(upload, part.checksum);
  const before = upload.parts.get(part.partNumber);
  upload.parts.set(part.partNumber, part);
  if (before !== undefined) call.context.budget.release(before.bytes.size);
}

/** UploadPart. */
export async function uploadPart(call: S3Call): Promise<Answer> {
  const number = partNumber(call);
  existingUpload(call);
  const { bytes, md5Hex, checksum } = await call.receive();
  try {
    storePart(call, {
      partNumber: number,
      bytes,
      etag: md5Hex,
      lastModifiedMs: call.nowMs,
      checksum,
    });
  } catch (error) {
    call.context.budget.release(bytes.size);
    throw error;
  }
  return emptyAnswer(200, { ETag: `"${md5Hex}"`, ...checksumHeaders(checksum) });
}

/** UploadPartCopy: a part from all of an object, or from a range of it. */
export function uploadPartCopy(call: S3Call): Answer {
  const number = partNumber(call);
  const upload = existingUpload(call);
  const source = copySource(call);
  const header = call.header('x-amz-copy-source-range');
  const range = resolveRange(header, source.bytes.size);
  if (header !== undefined && typeof range !== 'object') {
    throw new S3Error('InvalidArgument', 'The x-amz-copy-source-range value is not satisfiable', {
      ArgumentName: 'x-amz-copy-source-range',
    });
  }
  const bytes =
    typeof range === 'object' ? source.bytes.slice(range.start, range.end + 1) : source.bytes;
  const md5 = createHash('md5');
  for (const piece of bytes.pieces) md5.update(piece);
  const md5Hex = md5.digest('hex');
  const algorithm = upload.checksum?.algorithm;
  const checksum: ObjectChecksum | undefined =
    algorithm === undefined
      ? undefined
      : { algorithm, type: 'FULL_OBJECT', value: checksumOf(algorithm, bytes.pieces) };
  const lastModifiedMs = call.nowMs;
  call.context.budget.reserve(bytes.size);
  storePart(call, { partNumber: number, bytes, etag: md5Hex, lastModifiedMs, checksum });
  return textAnswer(
    200,
    xmlDocument('CopyPartResult', [
      xmlText('LastModified', isoTime(lastModifiedMs)),
      xmlText('ETag', `"${md5Hex}"`),
      ...(checksum === undefined ? [] : [xmlText(`Checksum${checksum.algorithm}`, checksum.value)]),
    ]),
    { 'Content-Type': 'application/xml' },
  );
}
