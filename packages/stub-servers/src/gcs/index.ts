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
export { GcsError, type GcsErrorReason } from './gcs-error.ts';
export { type GcsPendingUpload, GcsStub, type GcsStubObject, startGcsStub } from './gcs-stub.ts';
export type { GcsStubOptions } from './gcs-stub-options.ts';
export type { GcsOperation } from './route.ts';
export type { ServiceAccountOptions } from './service-account.ts';
