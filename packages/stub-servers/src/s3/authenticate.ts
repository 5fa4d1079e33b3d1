import { parseBasicIsoTime } from '../http/civil-time.ts';
import type { QueryPair, RequestHead } from '../http/request-head.ts';
import type { S3Credential } from './s3-credential.ts';
import { S3Error } from './s3-error.ts';
import { readSignatureClaim, type SignatureClaim } from './signature-claim.ts';
import { canonicalRequest, sameSignature, signingKey, signRequest } from './signature-v4.ts';

/** Clocks may differ by so much. */
const SKEW_MAX_MS = 15 * 60_000;

/** Who may do what here, and what time it is. */
export interface Authority {
  readonly credentials: ReadonlyMap<string, S3Credential>;
  readonly region: string;
  readonly nowMs: number;
}

/** A request as far as its signature covers it. */
export interface ClaimedRequest {
  readonly head: RequestHead;
  readonly path: string;
  readonly query: readonly QueryPair[];
}

/** A request whose signature holds. */
export interface Authenticated {
  readonly credential: S3Credential;
  /** What the request says of its body: a SHA-256, `UNSIGNED-PAYLOAD`, or `STREAMING-…`. */
  readonly payloadHash: string;
  /** What the signatures of a body's chunks go on from; `undefined` when none are checked. */
  readonly chunkSigning: ChunkSigning | undefined;
}

/** What is needed to check the signatures of a body's chunks. */
export interface ChunkSigning {
  readonly key: Buffer;
  readonly time: string;
  readonly scope: string;
  /** The signature of the request itself. */
  readonly seedSignature: string;
}

/**
 * Checks a request's signature, in its header or in its query.
 *
 * @throws S3Error when there is none, or when it does not hold now and here for this request
 */
export function authenticate(request: ClaimedRequest, authority: Authority): Authenticated {
  const claim = readSignatureClaim(request.head, request.query);
  const credential = authority.credentials.get(claim.accessKeyId);
  if (credential === undefined) {
    throw new S3Error(
      'InvalidAccessKeyId',
      'The AWS access key ID you provided does not exist in our records.',
      { AWSAccessKeyId: claim.accessKeyId },
    );
  }
  assertScope(claim, authority.region);
  assertTime(claim, authority.nowMs);
  assertAllSigned(claim, request.head);
  const scope = claim.scope;
  const key = signingKey(credential.secretAccessKey, scope);
  const canonical = canonicalRequest({
    method: request.head.method,
    path: request.path,
    query: request.query,
    headers: request.head.headers,
    signedHeaders: claim.signedHeaders,
    payloadHash: claim.payloadHash,
  });
  const expected = signRequest(key, { time: claim.time, scope }, canonical);
  if (!sameSignature(expected, claim.signature)) {
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
      { AWSAccessKeyId: claim.accessKeyId, CanonicalRequest: canonical },
    );
  }
  assertToken(credential, claim);
  return {
    credential,
    payloadHash: claim.payloadHash,
    chunkSigning: { key, time: claim.time, scope, seedSignature: claim.signature },
  };
}

function assertScope(claim: SignatureClaim, region: string): void {
  const [day, claimedRegion, service, terminator] = claim.scope.split('/');
  const malformed = (message: string): S3Error =>
    new S3Error(
      claim.presigned === undefined
        ? 'AuthorizationHeaderMalformed'
        : 'AuthorizationQueryParametersError',
      message,
      { Region: region },
    );
  if (claimedRegion !== region) {
    throw malformed(
      `The credential's region '${claimedRegion ?? ''}' is wrong; expecting '${region}'.`,
    );
  }
  if (service !== 's3' || terminator !== 'aws4_request') {
    throw malformed("The credential's scope must end with 's3/aws4_request'.");
  }
  if (day !== claim.time.slice(0, 8)) {
    throw malformed("The credential's date is not that of the request.");
  }
}

function assertTime(claim: SignatureClaim, nowMs: number): void {
  const timeMs = parseBasicIsoTime(claim.time);
  if (timeMs === undefined) {
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid date.');
  }
  const { presigned } = claim;
  if (presigned === undefined) {
    if (Math.abs(nowMs - timeMs) <= SKEW_MAX_MS) return;
    throw new S3Error(
      'RequestTimeTooSkewed',
      "The difference between the request's time and the server's time is too large.",
      { RequestTime: claim.time, MaxAllowedSkewMilliseconds: String(SKEW_MAX_MS) },
    );
  }
  if (timeMs - nowMs > SKEW_MAX_MS) {
    throw new S3Error('AccessDenied', 'Request is not yet valid');
  }
  if (nowMs > timeMs + presigned.expiresSeconds * 1_000) {
    throw new S3Error('AccessDenied', 'Request has expired', {
      'X-Amz-Expires': String(presigned.expiresSeconds),
    });
  }
}

// A header that S3 acts upon must be signed, or whoever carries the request could add one.
function assertAllSigned(claim: SignatureClaim, head: RequestHead): void {
  const signed = new Set(claim.signedHeaders);
  const missing = [...head.headers.keys()].filter(
    (name) =>
      (name === 'host' || name.startsWith('x-amz-')) &&
      !(claim.presigned !== undefined && name === 'x-amz-content-sha256') &&
      !signed.has(name),
  );
  if (missing.length === 0) return;
  throw new S3Error(
    'AccessDenied',
    'There were headers present in the request which were not signed',
    { HeadersNotSigned: missing.join(', ') },
  );
}

function assertToken(credential: S3Credential, claim: SignatureClaim): void {
  if (credential.expired ?? false) {
    throw new S3Error('ExpiredToken', 'The provided token has expired.');
  }
  const expected = credential.sessionToken ?? '';
  if (sameSignature(expected, claim.sessionToken ?? '')) return;
  throw new S3Error('InvalidToken', 'The provided token is malformed or otherwise invalid.');
}
