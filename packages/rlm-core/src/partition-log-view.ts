import type { LogSegmentData, SegmentLeaderEpoch, TopicIdPartition } from '@logloft/remote-storage';

/** A leader epoch and the first offset that was appended under it. */
export type LeaderEpochEntry = SegmentLeaderEpoch;

/** The topic settings that tiering follows. Read anew for every decision, so they may change at any time. */
export interface TieredTopicConfig {
  /** `remote.storage.enable`. */
  readonly remoteStorageEnable: boolean;
  /** `remote.log.copy.disable`: nothing more is copied; reads and expiration go on (KIP-950). */
  readonly remoteLogCopyDisable: boolean;
  /** `retention.ms` over both tiers; negative: without limit. */
  readonly retentionMs: number;
  /** `retention.bytes` over both tiers; negative: without limit. */
  readonly retentionBytes: number;
  /** `segment.bytes`: how large segments become. Decides which write limits can hold on the average. */
  readonly segmentBytes: number;
  /** `local.retention.ms`; -2: as `retention.ms`, -1: without limit. */
  readonly localRetentionMs: number;
  /** `local.retention.bytes`; -2: as `retention.bytes`, -1: without limit. */
  readonly localRetentionBytes: number;
  /** `remote.copy.lag.ms` (KIP-1241); 0, the default: copy at once; -1: as the local retention. */
  readonly remoteCopyLagMs?: number | undefined;
  /** `remote.copy.lag.bytes` (KIP-1241); 0: copy at once; -1, the default: as the local retention. */
  readonly remoteCopyLagBytes?: number | undefined;
}

/** All parts of a segment, held so that nothing removes them while they are copied. */
export interface SegmentDataLease {
  readonly data: LogSegmentData;
  /** Lets go of the files. Called exactly once. */
  release(): void;
}

/** A segment of the local log. */
export interface LocalSegmentView {
  readonly baseOffset: number;
  /** Base offset of the next segment; the log end offset for the active one. */
  readonly nextOffset: number;
  /** Bytes of the `.log` file. */
  readonly sizeInBytes: number;
  /** Largest record timestamp in ms, -1 when there is none. */
  readonly maxTimestampMs: number;
  /** Whether appends go to it. Exactly the last segment is active. */
  readonly active: boolean;
  /** Whether a transaction was aborted in it, that is, whether it has a transaction index. */
  readonly hasTransactionIndex: boolean;
  /** Whether the producer snapshot named by `nextOffset` exists. Without it the segment cannot be tiered. */
  readonly hasProducerSnapshot: boolean;
  /**
   * Holds the segment's files and gives access to them. Only called for segments that are not active.
   *
   * @throws when the segment is gone, or a part of it is missing
   */
  acquireData(): Promise<SegmentDataLease>;
}

/** A record found by its time. */
export interface TimestampAndOffset {
  readonly offset: number;
  readonly timestampMs: number;
  /** Leader epoch of the batch, -1 when unknown. */
  readonly leaderEpoch: number;
}

/**
 * What the remote log manager needs of a log. It is declared here so that any log can be fitted to it.
 * All getters answer for the present moment and are cheap.
 *
 * The log promises: `logStartOffset <= localLogStartOffset <= logEndOffset`, and `lastStableOffset <=
 * highWatermark <= logEndOffset`; and that it removes a local segment of a tiered topic only if its
 * last offset is at most `highestOffsetInRemoteStorage`, or below `logStartOffset`.
 */
export interface PartitionLogView {
  readonly topicIdPartition: TopicIdPartition;
  readonly config: TieredTopicConfig;
  /** First offset that consumers see, over both tiers. */
  readonly logStartOffset: number;
  /** First offset that is on local disk. */
  readonly localLogStartOffset: number;
  /** Offset that the next record will get. */
  readonly logEndOffset: number;
  /** Exclusive end of what is replicated. Nothing at or above it expires. */
  readonly highWatermark: number;
  /** Exclusive end of what read_committed consumers see. Nothing at or above it is copied. */
  readonly lastStableOffset: number;
  /** Inclusive; -1 while unknown, or when nothing is tiered. */
  readonly highestOffsetInRemoteStorage: number;
  /** The history of leader epochs that the present leader believes in, ascending. */
  readonly leaderEpochs: readonly LeaderEpochEntry[];

  /** All local segments in ascending order, the active one last. A snapshot: later changes do not show in it. */
  segments(): readonly LocalSegmentView[];

  /** Raises `highestOffsetInRemoteStorage`; a lower offset than the present one is ignored. */
  updateHighestOffsetInRemoteStorage(offset: number): void;

  /**
   * Raises `logStartOffset`, and `localLogStartOffset` with it where it would be lower; a lower offset
   * than the present one is ignored. Resolves when the new value survives a restart.
   */
  advanceLogStartOffset(offset: number): Promise<void>;
}
