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
export type { FailureAction } from './http/failure-action.ts';
export type { FailureRule, ScriptedFailure } from './http/failure-script.ts';
export type { LoggedRequest, RequestOutcome } from './http/request-log.ts';
