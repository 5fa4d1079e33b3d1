import type { Partition } from '../topics/partition.ts';

/** An offset found by time, or by a name for a time. */
export interface FoundOffset {
  readonly offset: number;
  /** The record's own timestamp in ms, -1 where there is no record. */
  readonly timestamp: number;
  /** Epoch of the record's batch, -1 when unknown. */
  readonly leaderEpoch: number;
}

/** What the remote tier knows of offsets. All may take a read from the store, and end with `signal`. */
export interface RemoteOffsets {
  /** The first tiered record at or after `timestamp` whose offset is below the local log start. */
  firstAtOrAfter(
    partition: Partition,
    timestamp: number,
    signal?: AbortSignal,
  ): Promise<FoundOffset | undefined>;
  /** The tiered record with the largest timestamp below the local log start. */
  maxTimestamp(partition: Partition, signal?: AbortSignal): Promise<FoundOffset | undefined>;
  /** The answer for what a look-up threw; `undefined` for what the remote tier does not throw. */
  errorCodeOf(error: unknown): number | undefined;
}

/** For a broker without a remote tier. */
export const noRemoteOffsets: RemoteOffsets = Object.freeze({
  firstAtOrAfter: () => Promise.resolve(undefined),
  maxTimestamp: () => Promise.resolve(undefined),
  errorCodeOf: () => undefined,
});
