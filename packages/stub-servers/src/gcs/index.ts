export type { FailureAction } from '../http/failure-action.ts';
export type { FailureRule, ScriptedFailure } from '../http/failure-script.ts';
export type { LoggedRequest, RequestOutcome } from '../http/request-log.ts';
export { GcsError, type GcsErrorReason } from './gcs-error.ts';
export {
  type GcsPendingUpload,
  GcsStub,
  type GcsStubObject,
  type GcsStubOptions,
  startGcsStub,
} from './gcs-stub.ts';
export type { GcsOperation } from './route.ts';
export type { ServiceAccountOptions } from './service-account.ts';
