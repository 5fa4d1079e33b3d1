import { join } from 'node:path';
import { isControl } from '@logloft/records';
import { LogCorruptError } from '../errors.ts';
import { HeaderScan } from '../header-scan.ts';
import type { LogSegment } from '../log-segment.ts';
import type { LogState } from '../log-state.ts';
import { parseSegmentFileName, segmentFileName } from '../segment-files.ts';
import { ProducerState } from './producer-state.ts';
import { readTransactionMarker } from './transaction-marker.ts';

const WINDOW_BYTES = 64 * 1024;

/**
 * Makes the producer state at `endOffset` from the newest sound snapshot before it and the headers
 * of the batches since, away from the main thread as far as it is reading.
 */
export async function producersAt(state: LogState, endOffset: number): Promise<ProducerState> {
  const { segments, runtime, name } = state;
  const producers = new ProducerState(name);
  const from = await loadNewest(state, producers, endOffset);
  for (const segment of [...segments.all]) {
    if (segment.baseOffset >= endOffset) break;
    const index = segments.all.indexOf(segment);
    if (segment.isRetired || segments.nextOffset(index, endOffset) <= from) continue;
    segment.acquire();
    try {
      await replay(producers, segment, { from, endOffset, nowMs: runtime.clock.now() });
    } finally {
      segment.release();
    }
  }
  producers.commit();
  return producers;
}

/** Kafka's `.snapshot` of that state. */
export async function rebuildProducerSnapshot(state: LogState, endOffset: number): Promise<Buffer> {
  return (await producersAt(state, endOffset)).snapshot();
}

/** Loads the newest sound snapshot; returns the offset from which batches count. */
async function loadNewest(
  state: LogState,
  producers: ProducerState,
  endOffset: number,
): Promise<number> {
  const { runtime, directory, segments } = state;
  const offsets: number[] = [];
  for (const name of await runtime.fs.list(directory)) {
    const parsed = parseSegmentFileName(name);
    if (parsed?.kind === 'snapshot' && parsed.offset <= endOffset) offsets.push(parsed.offset);
  }
  for (const offset of offsets.sort((a, b) => b - a)) {
    const bytes = runtime.fs.readFileSync(join(directory, segmentFileName(offset, 'snapshot')));
    try {
      producers.load(bytes, runtime.clock.now());
      return offset;
    } catch (error) {
      if (!(error instanceof LogCorruptError)) throw error;
    }
  }
  return segments.first?.baseOffset ?? 0;
}

async function replay(
  producers: ProducerState,
  segment: LogSegment,
  range: { readonly from: number; readonly endOffset: number; readonly nowMs: number },
): Promise<void> {
  const file = await segment.open();
  const from = segment.offsetIndex.positionAtOrBefore(range.from);
  const scan = new HeaderScan(file, { from, end: segment.size, windowBytes: WINDOW_BYTES });
  while (await scan.nextAsync()) {
    const { header } = scan;
    if (header.baseOffset >= range.endOffset) break;
    if (header.producerId < 0 || header.baseOffset < range.from) continue;
    const batch = scan.batchBytes();
    const isWholeMarker = isControl(header) && batch.length === header.sizeInBytes;
    producers.apply(header, range.nowMs, isWholeMarker ? readTransactionMarker(batch) : undefined);
  }
}
