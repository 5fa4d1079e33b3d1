import type { RequestHead } from '../http/request-head.ts';
import {
  CHECKSUM_BYTES,
  type ChecksumAlgorithm,
  checksumAlgorithm,
  checksumHeader,
  isChecksum,
} from './checksum.ts';
import { S3Error } from './s3-error.ts';

/** What a stub does with checksums in requests. */
export type ChecksumDialect = 'verify' | 'ignore' | 'refuse';

/** How a body comes, and what is claimed of it. */
export interface PayloadPlan {
  readonly framing: 'plain' | 'aws-chunked' | 'aws-chunked-signed';
  /** Bytes of the content, without framing; checked. */
  readonly contentBytes: number;
  /** Lower-case hexadecimal, or `undefined` when the body is not signed as a whole. */
  readonly sha256: string | undefined;
  /** Base64, or `undefined`. */
  readonly md5: string | undefined;
  readonly checksum: ExpectedChecksum | undefined;
}

/** A checksum that the body must have. */
export interface ExpectedChecksum {
  readonly algorithm: ChecksumAlgorithm;
  /** `undefined` when it comes in a trailer. */
  readonly value: string | undefined;
}

const FRAMINGS: ReadonlyMap<string, PayloadPlan['framing']> = new Map([
  ['UNSIGNED-PAYLOAD', 'plain'],
  ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'aws-chunked'],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'aws-chunked-signed'],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', 'aws-chunked-signed'],
]);

/**
 * Reads what a request's head says of its body.
 *
 * @throws S3Error when it is contradictory, malformed, or not what this dialect takes
 */
export function planPayload(
  head: RequestHead,
  options: {
    readonly payloadHash: string;
    readonly dialect: ChecksumDialect;
    /** Whether a checksum in the head is that of the object that comes of the request. Default: of the body. */
    readonly isObjectChecksum?: boolean | undefined;
  },
): PayloadPlan {
  const { payloadHash, dialect } = options;
  if (dialect === 'refuse') refuseChecksums(head, payloadHash);
  const isHash = /^[\da-f]{64}$/i.test(payloadHash);
  const framing = isHash ? 'plain' : FRAMINGS.get(payloadHash);
  if (framing === undefined) {
    throw new S3Error(
      payloadHash.startsWith('STREAMING-') ? 'NotImplemented' : 'InvalidArgument',
      'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a STREAMING value that is served, or a valid sha256 value.',
      { ArgumentName: 'x-amz-content-sha256' },
    );
  }
  return {
    framing,
    contentBytes: contentLength(head, framing),
    sha256: isHash ? payloadHash.toLowerCase() : undefined,
    md5: contentMd5(head),
    checksum: options.isObjectChecksum ? undefined : expectedChecksum(head),
  };
}

function contentLength(head: RequestHead, framing: PayloadPlan['framing']): number {
  const name = framing === 'plain' ? 'content-length' : 'x-amz-decoded-content-length';
  const value = head.headers.get(name);
  if (value === undefined) {
    throw new S3Error('MissingContentLength', `You must provide the ${name} HTTP header.`);
  }
  if (!/^\d{1,15}$/.test(value)) {
    throw new S3Error('InvalidArgument', `${name} is not a number of bytes.`);
  }
  return Number(value);
}

function contentMd5(head: RequestHead): string | undefined {
  const value = head.headers.get('content-md5');
  if (value === undefined) return undefined;
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length === 16 && bytes.toString('base64') === value) return value;
  throw new S3Error('InvalidDigest', 'The Content-MD5 you specified is not valid.');
}

function refuseChecksums(head: RequestHead, payloadHash: string): void {
  const names = [...head.headers.keys()].filter(
    (name) =>
      name === 'x-amz-sdk-checksum-algorithm' ||
      name === 'x-amz-trailer' ||
      (name.startsWith('x-amz-checksum-') && name !== 'x-amz-checksum-mode'),
  );
  const refused = payloadHash.startsWith('STREAMING-') ? ['x-amz-content-sha256'] : names;
  const [name] = refused;
  if (name === undefined) return;
  throw new S3Error('NotImplemented', `Header '${name}' is not implemented.`, { Header: name });
}

/** Headers `x-amz-checksum-…` that carry no checksum. */
const NOT_CHECKSUMS: ReadonlySet<string> = new Set([
  'x-amz-checksum-mode',
  'x-amz-checksum-type',
  'x-amz-checksum-algorithm',
]);

function assertKnown(name: string): ChecksumAlgorithm {
  const algorithm = checksumAlgorithm(name.replace('x-amz-checksum-', ''));
  if (algorithm !== undefined) return algorithm;
  throw new S3Error(
    'NotImplemented',
    `${name} is not served; there are ${[...CHECKSUM_BYTES.keys()].join(', ')}.`,
    { Header: name },
  );
}

function expectedChecksum(head: RequestHead): ExpectedChecksum | undefined {
  const named = [...head.headers.keys()].filter(
    (name) => name.startsWith('x-amz-checksum-') && !NOT_CHECKSUMS.has(name),
  );
  const trailers = (head.headers.get('x-amz-trailer') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name.startsWith('x-amz-checksum-'));
  if (named.length + trailers.length > 1) {
    throw new S3Error('InvalidRequest', 'Expecting a single x-amz-checksum- header.');
  }
  const [header] = named;
  const [trailer] = trailers;
  const name = header ?? trailer;
  if (name === undefined) {
    if (head.headers.has('x-amz-sdk-checksum-algorithm')) {
      throw new S3Error(
        'InvalidRequest',
        'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
      );
    }
    return undefined;
  }
  const algorithm = assertKnown(name);
  const value = header === undefined ? undefined : head.headers.get(header);
  if (value !== undefined && !isChecksum(algorithm, value)) {
    throw new S3Error(
      'InvalidRequest',
      `Value for ${checksumHeader(algorithm)} header is invalid.`,
    );
  }
  return { algorithm, value };
}
