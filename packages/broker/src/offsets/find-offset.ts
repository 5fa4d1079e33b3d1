import type { ReadLimit } from '@logloft/log';
import type { Partition } from '../topics/partition.ts';
import type { FoundOffset, RemoteOffsets } from './remote-offsets.ts';

const UNKNOWN = -1;
/** What is answered when there is no such record. */
const NOTHING: FoundOffset = Object.freeze({
  offset: UNKNOWN,
  timestamp: UNKNOWN,
  leaderEpoch: UNKNOWN,
});

/** The special timestamps of ListOffsets, and the first version that knows each. */
const SPECIAL_TIMESTAMP = {
  latest: { value: -1, from: 1 },
  earliest: { value: -2, from: 1 },
  /** KIP-734. */
  maxTimestamp: { value: -3, from: 7 },
  /** KIP-405. */
  earliestLocal: { value: -4, from: 8 },
  /** KIP-1005. */
  latestTiered: { value: -5, from: 9 },
  /** KIP-1023. */
  earliestPendingUpload: { value: -6, from: 11 },
} as const;

/** Whether a version of ListOffsets knows what a timestamp means. */
export function isKnownTimestamp(timestamp: number, apiVersion: number): boolean {
  if (timestamp >= 0) return true;
  return Object.values(SPECIAL_TIMESTAMP).some(
    ({ value, from }) => value === timestamp && apiVersion >= from,
  );
}

/** How far a reader sees, and the other tier. */
export interface FindOffsetOptions {
  readonly limit: ReadLimit;
  readonly remote: RemoteOffsets;
}

/** Finds an offset by time, over both tiers. The timestamp must be known to the version. */
export async function findOffset(
  partition: Partition,
  timestamp: number,
  options: FindOffsetOptions,
): Promise<FoundOffset> {
  const { log } = partition;
  switch (timestamp) {
    case SPECIAL_TIMESTAMP.latest.value:
      return withoutRecord(
        options.limit === 'last-stable' ? log.lastStableOffset : log.highWatermark,
        partition.leaderEpoch,
      );
    case SPECIAL_TIMESTAMP.earliest.value:
      return startOffset(partition, log.logStartOffset);
    case SPECIAL_TIMESTAMP.earliestLocal.value:
      return startOffset(partition, log.localLogStartOffset);
    case SPECIAL_TIMESTAMP.maxTimestamp.value:
      return maxTimestamp(partition, options);
    case SPECIAL_TIMESTAMP.latestTiered.value:
      return latestTiered(partition);
    case SPECIAL_TIMESTAMP.earliestPendingUpload.value:
      return earliestPendingUpload(partition);
    default:
      return firstAtOrAfter(partition, timestamp, options);
  }
}

function withoutRecord(offset: number, leaderEpoch: number): FoundOffset {
  return { offset, timestamp: UNKNOWN, leaderEpoch };
}

function startOffset({ log }: Partition, offset: number): FoundOffset {
  return withoutRecord(offset, log.epochForOffset(offset) ?? UNKNOWN);
}

/**
 * The remote tier holds what is older, so it is asked first. What leaves the local log meanwhile has
 * been looked for in neither, so then both are asked again.
 */
async function firstAtOrAfter(
  partition: Partition,
  timestamp: number,
  { limit, remote }: FindOffsetOptions,
): Promise<FoundOffset> {
  const { log, settings } = partition;
  for (;;) {
    const { localLogStartOffset } = log;
    if (settings.tiered && log.logStartOffset < localLogStartOffset) {
      const tiered = await remote.firstAtOrAfter(partition, timestamp);
      if (tiered !== undefined) return tiered;
    }
    const local = await log.offsetForTimestamp(timestamp, limit);
    if (!settings.tiered || log.localLogStartOffset === localLogStartOffset) {
      return local ?? NOTHING;
    }
  }
}

async function maxTimestamp(
  partition: Partition,
  { limit, remote }: FindOffsetOptions,
): Promise<FoundOffset> {
  const { log, settings } = partition;
  const local = await log.maxTimestampOffset(limit);
  const tiered =
    settings.tiered && log.logStartOffset < log.localLogStartOffset
      ? await remote.maxTimestamp(partition)
      : undefined;
  if (local === undefined) return tiered ?? NOTHING;
  // Of records with the same timestamp the first one counts, and that is the remote one.
  return tiered !== undefined && tiered.timestamp >= local.timestamp ? tiered : local;
}

function latestTiered(partition: Partition): FoundOffset {
  const { log, settings } = partition;
  const highest = log.highestOffsetInRemoteStorage;
  return settings.tiered && highest >= 0 ? startOffset(partition, highest) : NOTHING;
}

/** Unknown while the catalogue has not told what is in the remote tier. */
function earliestPendingUpload(partition: Partition): FoundOffset {
  const { log, settings } = partition;
  if (!settings.tiered) return NOTHING;
  const highest = log.highestOffsetInRemoteStorage;
  if (highest >= 0) return startOffset(partition, Math.max(highest + 1, log.logStartOffset));
  return log.localLogStartOffset === log.logStartOffset
    ? startOffset(partition, log.logStartOffset)
    : NOTHING;
}
