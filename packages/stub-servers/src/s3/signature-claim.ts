import type { QueryPair, RequestHead } from '../http/request-head.ts';
import { S3Error } from './s3-error.ts';

/** What a request claims of its signature; nothing of it is proved. */
export interface SignatureClaim {
  readonly accessKeyId: string;
  /** The credential without the access key id: day, region, service, terminator. */
  readonly scope: string;
  /** `20261128T070605Z`. */
  readonly time: string;
  /** Lower case, sorted. */
  readonly signedHeaders: readonly string[];
  /** In hexadecimal. */
  readonly signature: string;
  readonly payloadHash: string;
  readonly sessionToken: string | undefined;
  /** Set when the signature is in the query. */
  readonly presigned: { readonly expiresSeconds: number } | undefined;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const EXPIRES_SECONDS_MAX = 7 * 24 * 3_600;

/**
 * Finds the signature in the header `Authorization` or in the query.
 *
 * @throws S3Error when there is none, or when it is malformed
 */
export function readSignatureClaim(head: RequestHead, query: readonly QueryPair[]): SignatureClaim {
  const header = head.headers.get('authorization');
  const parameters = new Map(query);
  if (header !== undefined) {
    if (parameters.has('X-Amz-Signature')) {
      throw new S3Error('InvalidArgument', 'Only one auth mechanism allowed.');
    }
    return claimOfHeader(header, head);
  }
  if (parameters.has('X-Amz-Signature') || parameters.has('X-Amz-Algorithm')) {
    return claimOfQuery(parameters, head);
  }
  if (parameters.has('AWSAccessKeyId')) throw otherMechanism();
  throw new S3Error('AccessDenied', 'Access Denied: the request is not signed.');
}

function otherMechanism(): S3Error {
  return new S3Error(
    'InvalidRequest',
    `The authorization mechanism you have provided is not supported. Please use ${ALGORITHM}.`,
  );
}

function splitCredential(
  credential: string,
): readonly [accessKeyId: string, scope: string] | undefined {
  // Access key ids may hold slashes, the scope never: it is the last four parts.
  const parts = credential.split('/');
  if (parts.length < 5) return undefined;
  return [parts.slice(0, -4).join('/'), parts.slice(-4).join('/')];
}

function splitHeaderNames(names: string): readonly string[] {
  return names
    .toLowerCase()
    .split(';')
    .filter((name) => name !== '')
    .sort();
}

function claimOfHeader(header: string, head: RequestHead): SignatureClaim {
  if (!header.startsWith(`${ALGORITHM} `)) {
    throw otherMechanism();
  }
  const fields = new Map<string, string>();
  for (const field of header.slice(ALGORITHM.length).split(',')) {
    const equals = field.indexOf('=');
    if (equals > 0) fields.set(field.slice(0, equals).trim(), field.slice(equals + 1).trim());
  }
  const credential = splitCredential(fields.get('Credential') ?? '');
  const names = fields.get('SignedHeaders');
  const signature = fields.get('Signature');
  if (credential === undefined || names === undefined || signature === undefined) {
    throw new S3Error(
      'AuthorizationHeaderMalformed',
      'The authorization header is malformed; expecting Credential, SignedHeaders and Signature.',
    );
  }
  const payloadHash = head.headers.get('x-amz-content-sha256');
  if (payloadHash === undefined) {
    throw new S3Error(
      'InvalidRequest',
      'Missing required header for this request: x-amz-content-sha256',
    );
  }
  const [accessKeyId, scope] = credential;
  return {
    accessKeyId,
    scope,
    time: head.headers.get('x-amz-date') ?? '',
    signedHeaders: splitHeaderNames(names),
    signature,
    payloadHash,
    sessionToken: head.headers.get('x-amz-security-token'),
    presigned: undefined,
  };
}

function claimOfQuery(parameters: ReadonlyMap<string, string>, head: RequestHead): SignatureClaim {
  const credential = splitCredential(parameters.get('X-Amz-Credential') ?? '');
  const time = parameters.get('X-Amz-Date');
  const names = parameters.get('X-Amz-SignedHeaders');
  const signature = parameters.get('X-Amz-Signature');
  const expires = parameters.get('X-Amz-Expires') ?? '';
  const isWhole =
    parameters.get('X-Amz-Algorithm') === ALGORITHM &&
    credential !== undefined &&
    time !== undefined &&
    names !== undefined &&
    signature !== undefined;
  if (!isWhole) {
    throw new S3Error(
      'AuthorizationQueryParametersError',
      'Query-string authentication needs X-Amz-Algorithm, -Credential, -Date, -Expires, -SignedHeaders and -Signature.',
    );
  }
  const expiresSeconds = /^\d{1,9}$/.test(expires) ? Number(expires) : Number.NaN;
  if (!(expiresSeconds >= 1 && expiresSeconds <= EXPIRES_SECONDS_MAX)) {
    throw new S3Error(
      'AuthorizationQueryParametersError',
      `X-Amz-Expires must be a number of seconds from 1 to ${EXPIRES_SECONDS_MAX}`,
    );
  }
  const [accessKeyId, scope] = credential;
  return {
    accessKeyId,
    scope,
    time,
    signedHeaders: splitHeaderNames(names),
    signature,
    payloadHash:
      parameters.get('X-Amz-Content-Sha256') ??
      head.headers.get('x-amz-content-sha256') ??
      'UNSIGNED-PAYLOAD',
    sessionToken:
      parameters.get('X-Amz-Security-Token') ?? head.headers.get('x-amz-security-token'),
    presigned: { expiresSeconds },
  };
}
