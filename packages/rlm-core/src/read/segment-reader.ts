import type { RemoteLogSegmentMetadata } from '@logloft/remote-storage';
import { callPlugin } from '../plugin-call.ts';
import type { TieringContext } from '../tiering-context.ts';
import { BatchCollector } from './batch-collector.ts';

/**
 * Bytes read beyond what is asked for, since a read begins at an entry of the offset index, up to
 * `index.interval.bytes` (4,096) and a batch before the offset.
 */
const SCAN_BYTES = 8_192;

/** What to read of a segment. */
export interface SegmentRead {
  /** Byte position of a batch at or before the first that is wanted. */
  readonly position: number;
  readonly fromOffset: number;
  readonly maxBytes: number;
  readonly firstBatchAlways: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Whole batches of a segment. */
export interface SegmentBatches {
  /** The batches, from the first that reaches the offset; empty when none does, or none may be taken. */
  readonly records: Buffer;
  /** Byte position of the first one in the segment. */
  readonly position: number;
  /** Offset of the last record, -1 when empty. */
  readonly lastOffset: number;
  /** Whether the segment has been read to its end. */
  readonly atEnd: boolean;
}

/**
 * Reads whole batches of a segment in ranges of about the bytes wanted, so that a store never has to
 * throw away what nobody asked for.
 *
 * @throws what the store throws; RemoteLogError `LOGLOFT_RLM_CORRUPT_BATCH`, `LOGLOFT_RLM_STORE_TIMEOUT`;
 *   the reason of the signal
 */
export async function readBatches(
  context: TieringContext,
  segment: RemoteLogSegmentMetadata,
  read: SegmentRead,
): Promise<SegmentBatches> {
  const { position } = read;
  const size = segment.segmentSizeInBytes;
  const collector = new BatchCollector({ ...read, availableBytes: size - position });
  while (!collector.done && position + collector.consumed < size) {
    const start = position + collector.consumed;
    const end = Math.min(size, start + collector.wanted + SCAN_BYTES) - 1;
    const before = collector.consumed;
    await readRange(context, segment, { start, end, collector, signal: read.signal });
    // A store that ends early has no more; what is whole is served.
    if (collector.consumed === before) break;
  }
  return {
    records: collector.records,
    position: position + collector.firstBatchAt,
    lastOffset: collector.lastOffset,
    atEnd: !collector.done,
  };
}

async function readRange(
  context: TieringContext,
  segment: RemoteLogSegmentMetadata,
  range: {
    readonly start: number;
    readonly end: number;
    readonly collector: BatchCollector;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { start, end, collector, signal } = range;
  const call = callPlugin(
    {
      clock: context.clock,
      what: `read of segment ${segment.remoteLogSegmentId.id}`,
      stallTimeoutMs: context.options.fetchTimeoutMs,
      graceMs: 0,
      signal,
    },
    async (callOptions) => {
      const { onProgress, ...rest } = callOptions;
      const pieces = await context.store.fetchLogSegment(segment, { start, end }, rest);
      for await (const piece of pieces) {
        onProgress?.(piece.length);
        collector.add(piece);
        if (collector.done || callOptions.signal?.aborted === true) break;
      }
    },
  );
  await call.result;
}
