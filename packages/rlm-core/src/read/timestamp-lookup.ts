import {
  type BatchHeader,
  createBatchHeader,
  findFirstAtOrAfter,
  readBatchHeader,
} from '@logloft/records';
import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import { isWithinLineage } from '../lineage/within-lineage.ts';
import type { PartitionLogView, TimestampAndOffset } from '../partition-log-view.ts';
import type { TieringContext } from '../tiering-context.ts';
import type { IndexCache } from './index-cache.ts';
import { offsetForTimestamp, positionForOffset } from './segment-indexes.ts';
import { readBatches } from './segment-reader.ts';

/** Bytes looked through at a time. */
const STEP_BYTES = 262_144;

/** What is looked for. */
export interface TimestampRequest {
  /** Ms; the first record at or after it is wanted. */
  readonly timestampMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The first record of the remote tier with a timestamp at or after the given one, as far as the remote
 * tier alone has it: what is still local is for the log itself to search (KAFKA-17498).
 *
 * @returns `undefined` when there is none; the local log has to be searched then
 * @throws RemoteLogError `LOGLOFT_RLM_NOT_READY` and what a read throws
 */
export async function remoteOffsetForTimestamp(
  context: TieringContext,
  indexes: IndexCache,
  log: PartitionLogView,
  request: TimestampRequest,
): Promise<TimestampAndOffset | undefined> {
  for (const segment of remoteOnlySegments(context, log)) {
    if (segment.maxTimestampMs < request.timestampMs) continue;
    const found = await searchSegment(context, indexes, log, { ...request, segment });
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The first record with the greatest timestamp of what the remote tier alone has, or `undefined`. The
 * local log has to be compared with it: on a tie the remote one is the earlier.
 */
export async function remoteMaxTimestamp(
  context: TieringContext,
  indexes: IndexCache,
  log: PartitionLogView,
  signal?: AbortSignal,
): Promise<TimestampAndOffset | undefined> {
  let latest: RemoteLogSegmentMetadata | undefined;
  for (const segment of remoteOnlySegments(context, log)) {
    if (segment.maxTimestampMs > (latest?.maxTimestampMs ?? -1)) latest = segment;
  }
  if (latest === undefined) return undefined;
  const timestampMs = latest.maxTimestampMs;
  return searchSegment(context, indexes, log, { segment: latest, timestampMs, signal });
}

/** Finished segments of the leader's history that reach into what is not local, in order. */
function* remoteOnlySegments(
  context: TieringContext,
  log: PartitionLogView,
): Generator<RemoteLogSegmentMetadata> {
  const seen = new Set<string>();
  for (const { epoch } of log.leaderEpochs) {
    for (const segment of context.metadata.listRemoteLogSegments(log.topicIdPartition, epoch)) {
      if (segment.startOffset >= log.localLogStartOffset) return;
      const { id } = segment.remoteLogSegmentId;
      if (seen.has(id) || !isReadable(segment, log)) continue;
      seen.add(id);
      yield segment;
    }
  }
}

function isReadable(segment: RemoteLogSegmentMetadata, log: PartitionLogView): boolean {
  return (
    segment.state === 'COPY_SEGMENT_FINISHED' &&
    segment.endOffset >= log.logStartOffset &&
    isWithinLineage(segment, log.leaderEpochs, log.logEndOffset)
  );
}

async function searchSegment(
  context: TieringContext,
  indexes: IndexCache,
  log: PartitionLogView,
  search: TimestampRequest & { readonly segment: RemoteLogSegmentMetadata },
): Promise<TimestampAndOffset | undefined> {
  const { segment, timestampMs, signal } = search;
  const minOffset = Math.max(segment.startOffset, log.logStartOffset);
  const times = await indexes.get(segment, 'TIMESTAMP', signal);
  const offsets = await indexes.get(segment, 'OFFSET', signal);
  const hint = offsetForTimestamp(times, segment.startOffset, timestampMs);
  let fromOffset = Math.max(hint, minOffset);
  let position = positionForOffset(offsets, segment.startOffset, fromOffset);
  while (fromOffset <= segment.endOffset) {
    const batches = await readBatches(context, segment, {
      position,
      fromOffset,
      maxBytes: STEP_BYTES,
      firstBatchAlways: true,
      signal,
    });
    if (batches.records.length === 0) return undefined;
    const found = firstAtOrAfter(batches.records, timestampMs, minOffset);
    if (found !== undefined) return found;
    position = batches.position + batches.records.length;
    fromOffset = batches.lastOffset + 1;
  }
  return undefined;
}

function firstAtOrAfter(
  records: Buffer,
  timestampMs: number,
  minOffset: number,
): TimestampAndOffset | undefined {
  const header: BatchHeader = createBatchHeader();
  for (let at = 0; readBatchHeader(records, at, header); at += header.sizeInBytes) {
    const found = findFirstAtOrAfter(records, at, timestampMs, { minOffset });
    if (found !== undefined) {
      return {
        offset: found.offset,
        timestampMs: found.timestamp,
        leaderEpoch: header.partitionLeaderEpoch,
      };
    }
  }
  return undefined;
}
