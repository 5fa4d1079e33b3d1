import { type Answer, textAnswer } from '../../http/answer.ts';
import { isoTime } from '../../http/civil-time.ts';
import { compareUtf8, SortedKeys } from '../../storage/sorted-keys.ts';
import { listKeys } from '../list-keys.ts';
import { type PendingUpload, partsInOrder } from '../pending-upload.ts';
import type { S3Call } from '../s3-call.ts';
import { S3Error } from '../s3-error.ts';
import { xmlDocument, xmlGroup, xmlText } from '../xml-writer.ts';
import { keyWriter, maxEntries } from './list-objects.ts';
import { existingUpload } from './upload-parts.ts';

/** ListParts. */
export function listParts(call: S3Call): Answer {
  const upload = existingUpload(call);
  const max = maxEntries(call, 'max-parts');
  const marker = call.query.get('part-number-marker') ?? '0';
  if (!/^\d{1,10}$/.test(marker)) {
    throw new S3Error('InvalidArgument', 'part-number-marker is not an integer');
  }
  const parts = partsInOrder(upload).filter((part) => part.partNumber > Number(marker));
  const page = parts.slice(0, max);
  const isTruncated = page.length > 0 && page.length < parts.length;
  const next = page.at(-1)?.partNumber ?? Number(marker);
  return textAnswer(
    200,
    xmlDocument('ListPartsResult', [
      xmlText('Bucket', call.bucketName),
      xmlText('Key', keyWriter(call)(upload.key)),
      xmlText('UploadId', upload.uploadId),
      xmlText('StorageClass', upload.headers.get('x-amz-storage-class') ?? 'STANDARD'),
      ...(upload.checksum === undefined
        ? []
        : [
            xmlText('ChecksumAlgorithm', upload.checksum.algorithm),
            xmlText('ChecksumType', upload.checksum.type),
          ]),
      xmlText('PartNumberMarker', marker),
      xmlText('NextPartNumberMarker', next),
      xmlText('MaxParts', max),
      xmlText('IsTruncated', isTruncated),
      ...page.map((part) =>
        xmlGroup('Part', [
          xmlText('PartNumber', part.partNumber),
          xmlText('LastModified', isoTime(part.lastModifiedMs)),
          xmlText('ETag', `"${part.etag}"`),
          xmlText('Size', part.bytes.size),
          ...(part.checksum === undefined
            ? []
            : [xmlText(`Checksum${part.checksum.algorithm}`, part.checksum.value)]),
        ]),
      ),
    ]),
    { 'Content-Type': 'application/xml' },
  );
}

// Uploads of one key follow one another by their start, then by their id.
function compareUploads(a: PendingUpload, b: PendingUpload): number {
  return (
    compareUtf8(a.key, b.key) ||
    a.initiatedMs - b.initiatedMs ||
    compareUtf8(a.uploadId, b.uploadId)
  );
}

/** The uploads behind the two markers of a query, in order. */
function uploadsAfter(call: S3Call): readonly PendingUpload[] {
  const keyMarker = call.query.get('key-marker') ?? '';
  const idMarker = call.query.get('upload-id-marker') ?? '';
  const all = [...call.bucket.uploads.values()].sort(compareUploads);
  if (keyMarker === '') return all;
  const delimiter = call.query.get('delimiter') ?? '';
  // A marker that is a common prefix was a page's last entry: all below it is done.
  const skipsBelow = delimiter !== '' && keyMarker.endsWith(delimiter) && idMarker === '';
  const marked = all.findIndex((each) => each.key === keyMarker && each.uploadId === idMarker);
  return all.filter((upload, index) => {
    if (skipsBelow && upload.key.startsWith(keyMarker)) return false;
    if (upload.key === keyMarker && marked >= 0) return index > marked;
    return compareUtf8(upload.key, keyMarker) > 0;
  });
}

/** ListMultipartUploads. */
export function listUploads(call: S3Call): Answer {
  const write = keyWriter(call);
  const max = maxEntries(call, 'max-uploads');
  // One entry per upload in the order of the listing: the key, then a number that sorts.
  const ordered = new SortedKeys<PendingUpload>();
  uploadsAfter(call).forEach((upload, index) => {
    ordered.set(`${upload.key}\u0000${String(index).padStart(9, '0')}`, upload);
  });
  const page = listKeys(ordered, {
    prefix: call.query.get('prefix') ?? '',
    delimiter: call.query.get('delimiter') ?? '',
    after: '',
    skipBelowAfter: false,
    maxEntries: max,
  });
  const last = page.entries.at(-1);
  const lastUpload = last?.kind === 'value' ? last.value : undefined;
  return textAnswer(
    200,
    xmlDocument('ListMultipartUploadsResult', [
      xmlText('Bucket', call.bucketName),
      xmlText('KeyMarker', write(call.query.get('key-marker') ?? '')),
      xmlText('UploadIdMarker', call.query.get('upload-id-marker') ?? ''),
      xmlText('Prefix', write(call.query.get('prefix') ?? '')),
      xmlText('Delimiter', write(call.query.get('delimiter') ?? '')),
      xmlText('NextKeyMarker', write(lastUpload?.key ?? last?.key ?? '')),
      xmlText('NextUploadIdMarker', lastUpload?.uploadId ?? ''),
      ...(call.query.get('encoding-type') === 'url' ? [xmlText('EncodingType', 'url')] : []),
      xmlText('MaxUploads', max),
      xmlText('IsTruncated', page.isTruncated),
      ...page.entries.map((entry) =>
        entry.kind === 'prefix'
          ? xmlGroup('CommonPrefixes', [xmlText('Prefix', write(entry.key))])
          : xmlGroup('Upload', [
              xmlText('Key', write(entry.value.key)),
              xmlText('UploadId', entry.value.uploadId),
              xmlText('StorageClass', 'STANDARD'),
              xmlText('Initiated', isoTime(entry.value.initiatedMs)),
            ]),
      ),
    ]),
    { 'Content-Type': 'application/xml' },
  );
}
