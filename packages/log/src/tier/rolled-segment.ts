import type { LeaderEpoch } from '../leader-epochs.ts';
import type { SegmentSource } from './segment-source.ts';

/** All parts of a rolled segment, shaped as a remote storage wants them. */
export interface RolledSegmentData {
  readonly log: SegmentSource;
  readonly offsetIndex: SegmentSource;
  readonly timeIndex: SegmentSource;
  /** Absent when the segment has no aborted transaction. */
  readonly transactionIndex?: SegmentSource | undefined;
  /** The producers after this segment: the snapshot named by the next base offset. */
  readonly producerSnapshot: SegmentSource;
  /** Text of a leader epoch checkpoint with all epochs up to the segment's end. */
  readonly leaderEpochIndex: Uint8Array;
}

/** The parts of a segment, and how to let them go. */
export interface SegmentDataLease {
  readonly data: RolledSegmentData;
  /** Lets the files go; nothing may be read any more. Idempotent. */
  release(): void;
}

/** A segment that is no longer appended to. */
export interface RolledSegment {
  readonly baseOffset: number;
  /** Base offset of the segment after it. */
  readonly nextOffset: number;
  readonly sizeInBytes: number;
  /** Ms since the epoch of its latest record; -1 without one. */
  readonly maxTimestamp: number;
  /** The epochs within it, the first one based to its base offset. */
  readonly leaderEpochs: readonly LeaderEpoch[];
  /** Whether it has an aborted transaction. */
  readonly hasTransactionIndex: boolean;
  /**
   * Its parts, held in place until they are released, though local retention may remove the segment
   * meanwhile.
   *
   * @throws LogCorruptError when an index does not fit the segment: such a one must not be copied
   * @throws LogClosedError when it is gone
   */
  lease(): Promise<SegmentDataLease>;
}
