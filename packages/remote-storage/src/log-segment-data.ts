import type { ByteRange } from './byte-range.ts';

/** Bytes that can be read more than once, each time the same, from a file or from memory. */
export interface SegmentSource {
  /** Bytes in all; may be 0. With {@link SegmentSource.sizeIsBound} the most bytes there can be. */
  readonly size: number;
  /**
   * Whether `size` is only a bound, because the bytes are made (compressed, say) while they are read.
   * A reading from the start then ends by itself, and how many bytes there are is known afterwards.
   * Default false.
   */
  readonly sizeIsBound?: boolean | undefined;
  /** The file, where there is one: another thread may read it by itself. */
  readonly path?: string | undefined;
  /**
   * Reads a range (both ends inclusive) in pieces of at most 1 MiB. A piece is valid until the
   * next one is asked for: keep a copy of what must outlive that.
   */
  read(
    range: ByteRange,
    options?: { readonly signal?: AbortSignal | undefined },
  ): AsyncIterable<Uint8Array>;
}

/** All parts of one rolled segment. Nothing in it changes while it is being copied. */
export interface LogSegmentData {
  readonly log: SegmentSource;
  readonly offsetIndex: SegmentSource;
  readonly timeIndex: SegmentSource;
  /** Absent when the segment has no aborted transaction. */
  readonly transactionIndex?: SegmentSource | undefined;
  /** State of the producers after this segment: the snapshot named by the next base offset. */
  readonly producerSnapshot: SegmentSource;
  /** Text of a leader epoch checkpoint with all epochs up to the end of this segment. */
  readonly leaderEpochIndex: Uint8Array;
}

/** The small parts of a segment that are fetched whole. */
export type IndexType =
  | 'OFFSET'
  | 'TIMESTAMP'
  | 'PRODUCER_SNAPSHOT'
  | 'TRANSACTION'
  | 'LEADER_EPOCH';

/** All index types. */
export const INDEX_TYPES: readonly IndexType[] = Object.freeze([
  'OFFSET',
  'TIMESTAMP',
  'PRODUCER_SNAPSHOT',
  'TRANSACTION',
  'LEADER_EPOCH',
]);
