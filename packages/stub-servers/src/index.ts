export {
  GcsError,
  type GcsErrorReason,
  type GcsOperation,
  type GcsPendingUpload,
  GcsStub,
  type GcsStubObject,
  type GcsStubOptions,
  type ServiceAccountOptions,
  startGcsStub,
} from './gcs/index.ts';
export type {
  AnswerAction,
  CutRequestAction,
  DelayAction,
  FailureAction,
  ForgetUploadAction,
  HangAction,
  LoseAnswerAction,
  StallAnswerAction,
  TruncateAnswerAction,
} from './http/failure-action.ts';
export type {
  FailureRule,
  FailureScript,
  MatchableRequest,
  ScriptedFailure,
} from './http/failure-script.ts';
export type { LoggedRequest, RequestLog, RequestOutcome } from './http/request-log.ts';
export {
  type ChecksumAlgorithm,
  type ChecksumDialect,
  DEFAULT_S3_CREDENTIAL,
  type ObjectChecksum,
  type S3Credential,
  S3Error,
  type S3ErrorCode,
  type S3PendingUpload,
  S3Stub,
  type S3StubObject,
  type S3StubOptions,
  startS3Stub,
} from './s3/index.ts';
