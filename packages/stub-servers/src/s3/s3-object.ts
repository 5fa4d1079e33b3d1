import type { RequestHead } from '../http/request-head.ts';
import type { StoredBytes } from '../storage/stored-bytes.ts';
import type { ObjectChecksum } from './checksum.ts';
import { S3Error } from './s3-error.ts';

/** An object as it is stored; it never changes, it is only replaced. */
export interface S3Object {
  readonly key: string;
  readonly bytes: StoredBytes;
  /** Without quotes. */
  readonly etag: string;
  readonly lastModifiedMs: number;
  /** Headers that come back with it, by the name with which they are sent. */
  readonly headers: ReadonlyMap<string, string>;
  readonly checksum: ObjectChecksum | undefined;
  /** Sizes of its parts in order; empty when it was not uploaded in parts. */
  readonly partBytes: readonly number[];
}

const METADATA_BYTES_MAX = 2 * 1024;
const METADATA_PREFIX = 'x-amz-meta-';
const KEPT_HEADERS: readonly string[] = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-language',
  'expires',
  'x-amz-storage-class',
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-aws-kms-key-id',
  'x-amz-website-redirect-location',
];

/**
 * The headers of a request that stay with the object it makes.
 *
 * @throws S3Error when the user's metadata takes more than 2 KiB
 */
export function headersToKeep(head: RequestHead): ReadonlyMap<string, string> {
  const kept = new Map<string, string>([['content-type', 'binary/octet-stream']]);
  for (const name of KEPT_HEADERS) {
    const value = head.headers.get(name);
    if (value !== undefined && value !== '') kept.set(name, value);
  }
  // The framing of the upload is no encoding of the object.
  const encodings = (head.headers.get('content-encoding') ?? '')
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'aws-chunked');
  if (encodings.length > 0) kept.set('content-encoding', encodings.join(','));
  let metadataBytes = 0;
  for (const [name, value] of head.headers) {
    if (!name.startsWith(METADATA_PREFIX)) continue;
    metadataBytes += name.length - METADATA_PREFIX.length + value.length;
    kept.set(name, value);
  }
  if (metadataBytes > METADATA_BYTES_MAX) {
    throw new S3Error(
      'MetadataTooLarge',
      'Your metadata headers exceed the maximum allowed metadata size',
      { Size: String(metadataBytes), MaxSizeAllowed: String(METADATA_BYTES_MAX) },
    );
  }
  return kept;
}

/** The user's metadata of an object, names without `x-amz-meta-`. */
export function metadataOf(object: S3Object): ReadonlyMap<string, string> {
  const entries = [...object.headers].filter(([name]) => name.startsWith(METADATA_PREFIX));
  return new Map(entries.map(([name, value]) => [name.slice(METADATA_PREFIX.length), value]));
}
