import { type Answer, textAnswer } from '../http/answer.ts';
import type { RequestIdentity } from '../http/request-log.ts';
import { xmlDocument, xmlText } from './xml-writer.ts';

/** The errors of S3 that the stub gives, with their HTTP status. */
export const S3_ERROR_STATUS = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  BucketAlreadyOwnedByYou: 409,
  BucketNotEmpty: 409,
  ConditionalRequestConflict: 409,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  ExpiredToken: 400,
  IncompleteBody: 400,
  InsufficientStorage: 507,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidDigest: 400,
  InvalidPart: 400,
  InvalidPartNumber: 416,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidToken: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedTrailerError: 400,
  MalformedXML: 400,
  MaxMessageLengthExceeded: 400,
  MetadataTooLarge: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NoSuchVersion: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  XAmzContentSHA256Mismatch: 400,
} as const;

/** The word by which S3 names an error. */
export type S3ErrorCode = keyof typeof S3_ERROR_STATUS;

/** A request that S3 would refuse. It becomes an answer; users of the stub never see it thrown. */
export class S3Error extends Error {
  readonly code: S3ErrorCode;
  /** Further elements of the error document. */
  readonly details: Readonly<Record<string, string>>;

  constructor(code: S3ErrorCode, message: string, details: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'S3Error';
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return S3_ERROR_STATUS[this.code];
  }
}

/** What an error document says. */
export interface S3ErrorDocument {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, string>> | undefined;
  readonly identity: RequestIdentity;
  readonly requestId: string;
}

/** An answer with an error document. */
export function s3ErrorAnswer(status: number, error: S3ErrorDocument): Answer {
  const { bucket, key } = error.identity;
  const elements = [
    xmlText('Code', error.code),
    xmlText('Message', error.message),
    ...Object.entries(error.details ?? {}).map(([name, value]) => xmlText(name, value)),
    ...(bucket === undefined ? [] : [xmlText('BucketName', bucket)]),
    ...(key === undefined ? [] : [xmlText('Key', key)]),
    xmlText('RequestId', error.requestId),
  ];
  const text = xmlDocument('Error', elements);
  return textAnswer(status, text, { 'Content-Type': 'application/xml' });
}

/** The code that goes with a status when a script names none. */
export function usualCode(status: number): S3ErrorCode {
  if (status === 503) return 'SlowDown';
  if (status === 500) return 'InternalError';
  const entries = Object.keys(S3_ERROR_STATUS) as readonly S3ErrorCode[];
  const preferred: readonly S3ErrorCode[] = ['AccessDenied', 'NoSuchKey', 'InvalidRequest'];
  const found = [...preferred, ...entries].find((code) => S3_ERROR_STATUS[code] === status);
  return found ?? (status < 500 ? 'InvalidRequest' : 'InternalError');
}
