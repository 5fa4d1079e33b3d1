import type { GroupErrorName } from './group-error.ts';

/** What an OffsetCommit request of any version says. */
export interface OffsetCommitRequest {
  readonly groupId: string;
  /** Below 0 for whoever is no member: administrators and consumers that assign partitions themselves. */
  readonly generationId: number;
  readonly memberId: string;
  readonly groupInstanceId?: string | null | undefined;
  /** v2 to v4: keep the offsets for this long. Absent or below 0 means the coordinator's retention. */
  readonly retentionTimeMs?: number | undefined;
  /** Whether a member of a group that is not there gets GROUP_ID_NOT_FOUND (v9+) or ILLEGAL_GENERATION. */
  readonly reportsUnknownGroup?: boolean | undefined;
  readonly topics: readonly OffsetCommitTopic[];
}

/** The partitions of one topic in an OffsetCommit request. */
export interface OffsetCommitTopic {
  readonly name: string;
  readonly partitions: readonly OffsetCommitPartition[];
}

/** One offset in an OffsetCommit request. */
export interface OffsetCommitPartition {
  readonly index: number;
  /** The next offset to read, that is, the last one processed + 1. Stored as it is. */
  readonly offset: number;
  /** -1 or absent when the client knows none (before v6). */
  readonly leaderEpoch?: number | undefined;
  readonly metadata?: string | null | undefined;
  /** v1 only; -1 or absent means now. */
  readonly commitTimestampMs?: number | undefined;
}

/** Errors for partitions, as OffsetCommit and OffsetDelete answer them. */
export interface PartitionErrors {
  readonly name: string;
  readonly partitions: readonly { readonly index: number; readonly error: GroupErrorName }[];
}

/** The answer to an OffsetCommit request: what concerns the group is repeated in every partition. */
export interface OffsetCommitResult {
  readonly topics: readonly PartitionErrors[];
}

/** What an OffsetFetch request of any version says about one group. */
export interface OffsetFetchRequest {
  readonly groupId: string;
  /** `null` asks for everything that the group has committed. */
  readonly topics:
    | readonly { readonly name: string; readonly partitions: readonly number[] }[]
    | null;
}

/** A committed offset as OffsetFetch answers it; offset and epoch are -1 when there is none. */
export interface FetchedOffset {
  readonly index: number;
  readonly offset: number;
  readonly leaderEpoch: number;
  readonly metadata: string;
  readonly error: GroupErrorName;
}

/**
 * The answer to an OffsetFetch request. An error of the group is also repeated in the partitions that
 * were asked for, since v0 and v1 have no other place for it.
 */
export interface OffsetFetchResult {
  readonly groupId: string;
  readonly error: GroupErrorName;
  readonly topics: readonly {
    readonly name: string;
    readonly partitions: readonly FetchedOffset[];
  }[];
}

/** What an OffsetDelete request says. */
export interface OffsetDeleteRequest {
  readonly groupId: string;
  readonly topics: readonly { readonly name: string; readonly partitions: readonly number[] }[];
}

/** The answer to an OffsetDelete request. */
export interface OffsetDeleteResult {
  readonly error: GroupErrorName;
  readonly topics: readonly PartitionErrors[];
}
