import type { QuotaStatus } from '@logloft/quota';
import type { CopyLagFigures } from './copy/copy-lag.ts';
import type { CopyTaskStatus } from './copy/copy-task.ts';
import type { NotCopiedReason } from './copy/eligible-segments.ts';

/** Where a segment is. */
export type SegmentPlace = 'local' | 'both' | 'remote';

/** One segment of a partition. */
export interface SegmentStatus {
  readonly baseOffset: number;
  /** Last offset, inclusive; one less than `baseOffset` for an empty segment. */
  readonly endOffset: number;
  readonly sizeInBytes: number;
  readonly place: SegmentPlace;
  /** Why it is not in the remote tier yet; `undefined` when it is. */
  readonly notCopied: NotCopiedReason | 'copying' | 'quota-exhausted' | 'waiting' | undefined;
}

/** How the tiering of a partition stands. */
export interface RemoteLogStatus {
  /** Whether its catalogue is read. While it is not, remote segments are missing below. */
  readonly ready: boolean;
  readonly logStartOffset: number;
  readonly localLogStartOffset: number;
  readonly logEndOffset: number;
  /** Inclusive; -1 for none. */
  readonly highestOffsetInRemoteStorage: number;
  /** Ascending by base offset. */
  readonly segments: readonly SegmentStatus[];
  readonly copyLag: CopyLagFigures;
  /** `undefined` where this broker does not lead the partition. */
  readonly copy: CopyTaskStatus | undefined;
  /** The error of the latest run of the expiration, if it failed. */
  readonly expireError: unknown;
}

/** How the quotas of the broker stand. */
export interface RemoteQuotaStatus {
  readonly write: QuotaStatus;
  /** By writer, as far as they have copied. */
  readonly writers: ReadonlyMap<string, QuotaStatus>;
  readonly read: QuotaStatus;
  /**
   * Bytes per second that copying really is held to on the average. Above the limit where a segment is
   * larger than the limit allows in the whole window (`segment.bytes` / (samples x seconds)).
   */
  readonly heldWriteRate: number;
}
