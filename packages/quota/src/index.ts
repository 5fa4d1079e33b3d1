export { ByteLimit } from './byte-limit.ts';
export type { BytePacerOptions, ChildPacerOptions } from './byte-pacer.ts';
export { BytePacer } from './byte-pacer.ts';
export type { CopyPermit } from './copy-permit.ts';
export {
  InvalidQuotaOptionError,
  QuotaClosedError,
  QuotaNameTakenError,
  QuotaQueueFullError,
  QuotaTimeoutError,
  ReservationEndedError,
  TooManyQuotaKeysError,
} from './errors.ts';
export type { ExhaustedPolicy, WriteQuotaScope } from './exhausted-policy.ts';
export type { HeldRateInput } from './held-rate.ts';
export { heldByteRate } from './held-rate.ts';
export type { ExpiredHold } from './hold.ts';
export type { KeyedQuotaOptions } from './keyed-quota.ts';
export { KeyedQuota } from './keyed-quota.ts';
export type { PacingHook } from './pacing-hook.ts';
export type { QuotaName } from './quota-name.ts';
export { COPY_QUOTA_NAME, FETCH_QUOTA_NAME } from './quota-name.ts';
export type { ReadQuotaManagerOptions } from './read-quota-manager.ts';
export { ReadQuotaManager } from './read-quota-manager.ts';
export type { Reservation } from './reservation.ts';
export type { ShareOptions } from './share.ts';
export type { Excess } from './throttle-time.ts';
export { throttleTimeMs } from './throttle-time.ts';
export type { WaitOptions } from './waiter-queue.ts';
export type {
  ChildQuotaOptions,
  HoldOptions,
  QuotaPlace,
  QuotaStatus,
  WindowedQuotaOptions,
} from './windowed-quota.ts';
export { WindowedQuota } from './windowed-quota.ts';
export type { CopyRequest, WriteQuotaManagerOptions } from './write-quota-manager.ts';
export { WriteQuotaManager } from './write-quota-manager.ts';
