import { findFirstAtOrAfter, lastOffsetOf, type RecordPosition } from '@logloft/records';
import { HeaderScan } from '../header-scan.ts';
import type { LogSegment } from '../log-segment.ts';
import type { LogState } from '../log-state.ts';
import type { LogFile } from '../store/file-system.ts';
import type { LogReader } from './log-reader.ts';
import type { ReadLimit } from './read-result.ts';

/** A record found by its time. */
export interface TimestampedOffset {
  readonly offset: number;
  /** The record's own time, in ms since the epoch. */
  readonly timestamp: number;
  /** Epoch of its batch; -1 where unknown. */
  readonly leaderEpoch: number;
}

/** Finds records by time; a batch is decompressed only when it promises the answer. */
export class TimestampLookup {
  readonly #state: LogState;
  readonly #reader: LogReader;

  constructor(state: LogState, reader: LogReader) {
    this.#state = state;
    this.#reader = reader;
  }

  /** The first local record at or after `timestamp` below `limit`; undefined when there is none. */
  async firstAtOrAfter(
    timestamp: number,
    limit: ReadLimit,
  ): Promise<TimestampedOffset | undefined> {
    const limitOffset = this.#reader.limitOffset(limit);
    for (const segment of [...this.#state.segments.all]) {
      if (segment.baseOffset >= limitOffset) break;
      if (segment.maxTimestamp < timestamp || segment.isRetired) continue;
      const found = await withFile(segment, (file) =>
        this.#search(segment, file, timestamp, limitOffset),
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The first of the local records below `limit` with the greatest time; undefined without any. */
  async max(limit: ReadLimit): Promise<TimestampedOffset | undefined> {
    const { segments, logEndOffset } = this.#state;
    const limitOffset = this.#reader.limitOffset(limit);
    let greatest = -1;
    for (const [index, segment] of [...segments.all].entries()) {
      if (segment.baseOffset >= limitOffset || segment.isRetired) continue;
      const isWhole = segments.nextOffset(index, logEndOffset) <= limitOffset;
      const own = isWhole
        ? segment.maxTimestamp
        : await withFile(segment, (file) => maxTimestampBelow(segment, file, limitOffset));
      greatest = Math.max(greatest, own);
    }
    return greatest < 0 ? undefined : this.firstAtOrAfter(greatest, limit);
  }

  async #search(
    segment: LogSegment,
    file: LogFile,
    timestamp: number,
    limitOffset: number,
  ): Promise<TimestampedOffset | undefined> {
    // No record up to that offset is so late: the index may go over them.
    const from = segment.offsetIndex.positionAtOrBefore(segment.timeIndex.offsetBefore(timestamp));
    const scan = new HeaderScan(file, { from, end: segment.size });
    while (await scan.nextAsync()) {
      const { header } = scan;
      if (header.baseOffset >= limitOffset) break;
      if (header.maxTimestamp < timestamp) continue;
      if (lastOffsetOf(header) < this.#state.logStartOffset) continue;
      const found = await this.#findRecord(file, scan, timestamp);
      if (found === undefined) continue;
      if (found.offset >= limitOffset) break;
      return { ...found, leaderEpoch: header.partitionLeaderEpoch };
    }
    return undefined;
  }

  async #findRecord(
    file: LogFile,
    scan: HeaderScan,
    timestamp: number,
  ): Promise<RecordPosition | undefined> {
    const batch = Buffer.allocUnsafe(scan.header.sizeInBytes);
    let read = 0;
    while (read < batch.length) {
      const step = await file.readAsync(batch, read, batch.length - read, scan.position + read);
      if (step === 0) return undefined;
      read += step;
    }
    return findFirstAtOrAfter(batch, 0, timestamp, { minOffset: this.#state.logStartOffset });
  }
}

/** The greatest timestamp of the batches that end below an offset; -1 without any. */
async function maxTimestampBelow(
  segment: LogSegment,
  file: LogFile,
  limitOffset: number,
): Promise<number> {
  const scan = new HeaderScan(file, { end: segment.size });
  let greatest = -1;
  while ((await scan.nextAsync()) && lastOffsetOf(scan.header) < limitOffset) {
    greatest = Math.max(greatest, scan.header.maxTimestamp);
  }
  return greatest;
}

async function withFile<T>(segment: LogSegment, work: (file: LogFile) => Promise<T>): Promise<T> {
  segment.acquire();
  try {
    return await work(await segment.open());
  } finally {
    segment.release();
  }
}
