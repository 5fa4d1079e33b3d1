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
} from '../http/failure-action.ts';
export type {
  FailureRule,
  FailureScript,
  MatchableRequest,
  ScriptedFailure,
} from '../http/failure-script.ts';
export type { LoggedRequest, RequestLog, RequestOutcome } from '../http/request-log.ts';
export type { ChecksumAlgorithm, ObjectChecksum } from './checksum.ts';
export type { ChecksumDialect } from './payload-plan.ts';
export type { S3Credential } from './s3-credential.ts';
export { DEFAULT_S3_CREDENTIAL } from './s3-credential.ts';
export type { S3ErrorCode } from './s3-error.ts';
export { S3Error } from './s3-error.ts';
export type { S3PendingUpload, S3StubObject } from './s3-stub.ts';
export { S3Stub, startS3Stub } from './s3-stub.ts';
export type { S3StubOptions } from './s3-stub-options.ts';
