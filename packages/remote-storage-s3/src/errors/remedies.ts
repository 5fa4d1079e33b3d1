import type { CallFacts } from './call-facts.ts';
import { CERTIFICATE_CODES, isTlsMismatch } from './meanings.ts';
import type { ServiceFailure } from './service-failure.ts';

const CLOCK = 'The clock of this machine is wrong; set it (NTP)';
const CREDENTIALS = 'Check "aws.access.key.id" and "aws.secret.access.key"';
const EXPIRED = 'The credentials have expired; renew them';
const PART_SIZE = 'Change "s3.multipart.upload.part.size"';
const ARCHIVED =
  'The object is in an archive class; restore it, and keep segments out of such classes';

const BY_CODE: ReadonlyMap<string, string> = new Map([
  ['NoSuchBucket', 'Create the bucket, or correct "s3.bucket.name"'],
  ['InvalidBucketName', 'Correct "s3.bucket.name"'],
  ['InvalidAccessKeyId', CREDENTIALS],
  ['SignatureDoesNotMatch', CREDENTIALS],
  ['InvalidToken', 'Check "aws.session.token"'],
  ['ExpiredToken', EXPIRED],
  ['ExpiredTokenException', EXPIRED],
  ['TokenRefreshRequired', EXPIRED],
  ['RequestTimeTooSkewed', CLOCK],
  ['RequestExpired', CLOCK],
  ['InvalidObjectState', ARCHIVED],
  ['EntityTooSmall', PART_SIZE],
  ['EntityTooLarge', PART_SIZE],
  ['ECONNREFUSED', 'Is the store running, and "s3.endpoint.url" right?'],
  [
    'ENOTFOUND',
    'Check "s3.endpoint.url" and "s3.region"; a store that does not answer to names like ' +
      'bucket.host needs "s3.path.style.access.enabled" = true',
  ],
  [
    'CredentialsProviderError',
    'Give "aws.access.key.id" and "aws.secret.access.key", or "aws.credentials.file", ' +
      'or run where the default chain finds credentials',
  ],
]);

// What stores say to a header that they do not know.
const REFUSED: readonly string[] = [
  'BadRequest',
  'InvalidArgument',
  'InvalidRequest',
  'MalformedXML',
  'MethodNotAllowed',
  'MissingContentLength',
  'NotImplemented',
  'Unknown',
  'UnknownError',
];

const BY_FEATURE: ReadonlyMap<CallFacts['feature'], string> = new Map([
  ['checksums', 'If the store does not know checksum headers, set "s3.checksums" to none'],
  [
    'conditional-writes',
    'If the store does not know If-None-Match, set "s3.conditional.writes" to false',
  ],
  [
    'batch-delete',
    'If the store wants Content-MD5, set "s3.legacy.md5.plugin.enabled" to true; if it deletes ' +
      'only one object at a time, set "s3.delete.objects" to single',
  ],
]);

/** What the owner of the settings can do about a failure, as a sentence; empty when nothing is known. */
export function remedyFor(failure: ServiceFailure, facts: CallFacts): string {
  const { code, status } = failure;
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  if (CERTIFICATE_CODES.has(code)) {
    return (
      'The certificate of the store is not trusted: give Node its authority (NODE_EXTRA_CA_CERTS), ' +
      'or set "aws.certificate.check.enabled" to false'
    );
  }
  if (isTlsMismatch(code)) return 'Is "s3.endpoint.url" to begin with http:// instead of https://?';
  const region = regionRemedy(failure);
  if (region !== undefined) return region;
  if (status === 401 || status === 403) return permissionRemedy(facts);
  return (REFUSED.includes(code) && BY_FEATURE.get(facts.feature)) || '';
}

function permissionRemedy({ permission }: CallFacts): string {
  const missing =
    permission === 's3:GetObject'
      ? ' (without s3:ListBucket on the bucket, an object that is missing is refused in the same way)'
      : '';
  return `Allow ${permission}${missing}`;
}

function regionRemedy(failure: ServiceFailure): string | undefined {
  const { code, status, message } = failure;
  const isRegion =
    code === 'PermanentRedirect' ||
    code === 'AuthorizationHeaderMalformed' ||
    code === 'IllegalLocationConstraintException' ||
    (status !== undefined && status >= 300 && status < 400) ||
    /region is missing/i.test(message);
  if (!isRegion) return undefined;
  const region = failure.header('x-amz-bucket-region');
  return region === undefined
    ? 'Set "s3.region" to the region of the bucket'
    : `The bucket is in ${region}: set "s3.region" to it`;
}
