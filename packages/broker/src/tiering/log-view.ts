import type { PartitionLog, RolledSegment } from '@logloft/log';
import type { TopicIdPartition } from '@logloft/remote-storage';
import type {
  LeaderEpochEntry,
  LocalSegmentView,
  PartitionLogView,
  SegmentDataLease,
  TieredTopicConfig,
} from '@logloft/rlm-core';
import type { Partition } from '../topics/partition.ts';

/** Fits a partition's log to what the remote log manager needs of one. */
export class LogView implements PartitionLogView {
  readonly topicIdPartition: TopicIdPartition;
  readonly #log: PartitionLog;
  readonly #checkpoint: () => Promise<void>;
  #isRetired = false;

  /** @param checkpoint makes log starts outlive a crash */
  constructor(partition: Partition, checkpoint: () => Promise<void>) {
    const { topic, topicId, index, log } = partition;
    this.topicIdPartition = { topic, topicId, partition: index };
    this.#log = log;
    this.#checkpoint = checkpoint;
  }

  get config(): TieredTopicConfig {
    return this.#log.config;
  }

  get logStartOffset(): number {
    return this.#log.logStartOffset;
  }

  get localLogStartOffset(): number {
    return this.#log.localLogStartOffset;
  }

  get logEndOffset(): number {
    return this.#log.logEndOffset;
  }

  get highWatermark(): number {
    return this.#log.highWatermark;
  }

  get lastStableOffset(): number {
    return this.#log.lastStableOffset;
  }

  get highestOffsetInRemoteStorage(): number {
    return this.#log.highestOffsetInRemoteStorage;
  }

  get leaderEpochs(): readonly LeaderEpochEntry[] {
    return this.#log.leaderEpochs;
  }

  segments(): readonly LocalSegmentView[] {
    const rolled = this.#log.rolledSegments();
    return [...rolled.map(viewOf), this.#activeSegment(rolled)];
  }

  /** Nothing counts as copied any more: the copies that this view is told of go, or will go. */
  retire(): void {
    this.#isRetired = true;
  }

  updateHighestOffsetInRemoteStorage(offset: number): void {
    if (!this.#isRetired) this.#log.updateHighestOffsetInRemoteStorage(offset);
  }

  async advanceLogStartOffset(offset: number): Promise<void> {
    if (offset <= this.#log.logStartOffset) return;
    this.#log.deleteRecordsBefore(Math.min(offset, this.#log.highWatermark));
    await this.#checkpoint();
  }

  #activeSegment(rolled: readonly RolledSegment[]): LocalSegmentView {
    return {
      baseOffset: rolled.at(-1)?.nextOffset ?? this.#log.firstSegmentOffset,
      nextOffset: this.#log.logEndOffset,
      sizeInBytes: this.#log.activeSegmentBytes,
      // Nobody decides by the time of a segment that is still written.
      maxTimestampMs: -1,
      active: true,
      hasTransactionIndex: false,
      hasProducerSnapshot: false,
      acquireData: () => Promise.reject(new Error('The active segment is never copied')),
    };
  }
}

function viewOf(segment: RolledSegment): LocalSegmentView {
  const { baseOffset, nextOffset, sizeInBytes, maxTimestamp, hasTransactionIndex } = segment;
  return {
    baseOffset,
    nextOffset,
    sizeInBytes,
    maxTimestampMs: maxTimestamp,
    active: false,
    hasTransactionIndex,
    // The log makes the snapshot anew where it is missing.
    hasProducerSnapshot: true,
    acquireData: (): Promise<SegmentDataLease> => segment.lease(),
  };
}
