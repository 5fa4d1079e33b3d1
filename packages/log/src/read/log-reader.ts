// Hot path: runs for every partition of a fetch. It allocates the result and its slice, and a scan
// where neither the caches nor the index know the bounds.
import { BATCH_HEADER_BYTES, lastOffsetOf } from '@logloft/records';
import { LogError, storageErrorOf } from '../errors.ts';
import { HeaderScan } from '../header-scan.ts';
import type { LogSegment } from '../log-segment.ts';
import type { LogState } from '../log-state.ts';
import { LogSlice, type SliceObserver, type WantedBatches } from './log-slice.ts';
import { PositionCache } from './position-cache.ts';
import type { ReadLimit, ReadOptions, ReadResult } from './read-result.ts';
import { RecentReads } from './recent-reads.ts';

/**
 * Of all synchronous scans, each of which is done before the next one begins. Small, for a scan goes
 * over `index.interval.bytes` and a batch: 2 us for a read, where 16 KiB take 4.
 */
const scanWindow = Buffer.allocUnsafeSlow(4096);

/** How far a reader may see in a segment. */
interface Visible {
  /** Offset at which what is visible ends. */
  readonly offset: number;
  /** Position of it in the segment; undefined when only a scan could tell. */
  readonly position: number | undefined;
}

/** Finds what to read: in memory for what is cold, to the byte for what is hot. */
export class LogReader implements SliceObserver {
  readonly #state: LogState;
  readonly #positions = new PositionCache();
  readonly #recent = new RecentReads();

  constructor(state: LogState) {
    this.#state = state;
  }

  /** See `PartitionLog.read`. */
  read(offset: number, options: ReadOptions): ReadResult {
    const state = this.#state;
    const { logStartOffset, logEndOffset, localLogStartOffset } = state;
    if (offset < logStartOffset || offset > logEndOffset) {
      return { kind: 'out-of-range', logStartOffset, logEndOffset };
    }
    if (offset < localLogStartOffset) return { kind: 'below-local', localLogStartOffset };
    try {
      return { kind: 'slice', slice: this.#slice(offset, options) };
    } catch (error) {
      if (error instanceof LogError) throw error;
      throw storageErrorOf(error, 'looking an offset up', state.name);
    }
  }

  /** The log was cut: what is known of positions and the page cache no longer holds. */
  reset(): void {
    this.#positions.clear();
    this.#recent.clear();
  }

  onRead(slice: LogSlice, nextOffset: number, nextPosition: number): void {
    const { segment } = slice;
    if (nextPosition > slice.start) this.#positions.add(segment, nextOffset, nextPosition);
    if (slice.isHot) return;
    const now = this.#state.runtime.clock.monotonic();
    this.#recent.add(segment, slice.start, slice.start + slice.sizeInBytes, now);
  }

  /** Offset at which a kind of reader's view ends. */
  limitOffset(limit: ReadLimit): number {
    if (limit === 'high-watermark') return this.#state.highWatermark;
    return limit === 'last-stable' ? this.#state.lastStableOffset : this.#state.logEndOffset;
  }

  #slice(offset: number, options: ReadOptions): LogSlice {
    const { segments, active } = this.#state;
    const limitOffset = this.limitOffset(options.limit);
    const wanted: WantedBatches = {
      fromOffset: offset,
      limitOffset,
      maxBytes: options.maxBytes,
      minOneBatch: options.minOneBatch,
    };
    if (offset >= limitOffset) return this.#emptySlice(active, wanted);
    for (let index = Math.max(0, segments.floorIndex(offset)); ; index += 1) {
      const segment = segments.at(index);
      // Compaction may leave nothing at or behind the offset in a segment: the next one has it.
      if (segment === undefined || segment.baseOffset >= limitOffset) break;
      const slice = this.#sliceOf(segment, index, wanted);
      if (slice !== undefined) return slice;
    }
    return this.#emptySlice(active, wanted);
  }

  /** The wanted batches of one segment; undefined when it has none that reaches the offset. */
  #sliceOf(segment: LogSegment, index: number, wanted: WantedBatches): LogSlice | undefined {
    if (segment !== this.#state.active) this.#state.runtime.touch(segment);
    const visible = this.#visible(segment, index, wanted.limitOffset);
    const known = this.#positions.find(segment, wanted.fromOffset);
    const from = known ?? segment.offsetIndex.positionAtOrBefore(wanted.fromOffset);
    const until = Math.min(from + wanted.maxBytes, visible.position ?? segment.size);
    if (!this.#isHot(segment, from, until)) return this.#coldSlice(segment, visible, wanted);
    return this.#hotSlice(segment, visible, wanted);
  }

  #hotSlice(segment: LogSegment, visible: Visible, wanted: WantedBatches): LogSlice | undefined {
    const start = this.#findStart(segment, wanted.fromOffset);
    if (start === undefined) return undefined;
    const limit = visible.position ?? this.#findStart(segment, visible.offset) ?? segment.size;
    if (start >= limit) return this.#emptySlice(segment, wanted);
    const bound = start + wanted.maxBytes;
    if (bound >= limit) {
      return this.#exactSlice(segment, start, { position: limit, offset: visible.offset }, wanted);
    }
    const whole = segment.offsetIndex.floorPosition(bound - BATCH_HEADER_BYTES);
    if (whole > start) return this.#boundedSlice(segment, start, whole, wanted);
    return this.#exactSlice(segment, start, this.#findEnd(segment, start, limit, wanted), wanted);
  }

  /**
   * Up to the most bytes that are wanted, whatever that cuts through: a look at the file for the end
   * of the last batch costs a read of its own, and the bytes tell it, too, once they are there.
   *
   * @param whole position of a batch in front of that bound, with its header
   */
  #boundedSlice(
    segment: LogSegment,
    start: number,
    whole: number,
    wanted: WantedBatches,
  ): LogSlice {
    return new LogSlice({
      state: this.#state,
      observer: this,
      segment,
      start,
      end: start + wanted.maxBytes,
      isHot: true,
      nextOffset: undefined,
      wholeBytes: whole - start,
      wanted,
    });
  }

  #exactSlice(
    segment: LogSegment,
    start: number,
    end: { readonly position: number; readonly offset: number },
    wanted: WantedBatches,
  ): LogSlice {
    return new LogSlice({
      state: this.#state,
      observer: this,
      segment,
      start,
      end: end.position,
      isHot: true,
      nextOffset: end.offset,
      wanted,
    });
  }

  /**
   * Bounds by the index alone, since a look at the file would wait for the disk: from a batch at or
   * before the offset to one so far behind it that all that is wanted lies between.
   */
  #coldSlice(segment: LogSegment, visible: Visible, wanted: WantedBatches): LogSlice {
    const { offsetIndex, size } = segment;
    const known = this.#positions.find(segment, wanted.fromOffset);
    const start = known ?? offsetIndex.positionAtOrBefore(wanted.fromOffset);
    // The batch that holds the offset begins at the next entry at the latest.
    const latestStart = known ?? offsetIndex.positionAfterOffset(wanted.fromOffset) ?? size;
    const end = offsetIndex.ceilingPosition(latestStart + Math.max(1, wanted.maxBytes)) ?? size;
    return new LogSlice({
      state: this.#state,
      observer: this,
      segment,
      start,
      end: Math.min(end, visible.position ?? size),
      isHot: false,
      nextOffset: undefined,
      wanted,
    });
  }

  #emptySlice(segment: LogSegment, wanted: WantedBatches): LogSlice {
    const end = { position: 0, offset: wanted.fromOffset };
    return this.#exactSlice(segment, 0, end, wanted);
  }

  #visible(segment: LogSegment, index: number, limitOffset: number): Visible {
    const { segments, logEndOffset, highWatermark } = this.#state;
    const segmentEnd = segments.nextOffset(index, logEndOffset);
    if (limitOffset >= segmentEnd) return { offset: segmentEnd, position: segment.size };
    if (limitOffset === highWatermark && segment === this.#state.highWatermarkSegment) {
      return { offset: limitOffset, position: this.#state.highWatermarkPosition };
    }
    return { offset: limitOffset, position: undefined };
  }

  #isHot(segment: LogSegment, start: number, end: number): boolean {
    const { runtime } = this.#state;
    if (segment.file === undefined) return false;
    if (!runtime.fs.persistent || start >= segment.heat.hotFrom(runtime.appendMeter)) return true;
    return this.#recent.covers(segment, start, end, runtime.clock.monotonic());
  }

  /** Position of the first batch that reaches `offset`; undefined when the segment has none. */
  #findStart(segment: LogSegment, offset: number): number | undefined {
    const known = this.#positions.find(segment, offset);
    if (known !== undefined) return known < segment.size ? known : undefined;
    const from = segment.offsetIndex.positionAtOrBefore(offset);
    if (offset === segment.baseOffset) return segment.size > 0 ? 0 : undefined;
    const scan = new HeaderScan(segment.openSync(), {
      from,
      end: segment.size,
      window: scanWindow,
    });
    while (scan.next()) {
      if (lastOffsetOf(scan.header) >= offset) return scan.position;
    }
    return undefined;
  }

  /** Where the last batch ends that fits, and the offset after it; for bounds without an index entry. */
  #findEnd(
    segment: LogSegment,
    start: number,
    limit: number,
    wanted: WantedBatches,
  ): { readonly position: number; readonly offset: number } {
    const bound = start + wanted.maxBytes;
    const from = Math.max(start, segment.offsetIndex.floorPosition(bound));
    const scan = new HeaderScan(segment.openSync(), { from, end: limit, window: scanWindow });
    let position = from;
    let offset: number | undefined;
    while (scan.next()) {
      const isFirst = scan.position === start;
      if (scan.nextPosition > bound && !(isFirst && wanted.minOneBatch)) {
        offset ??= scan.header.baseOffset;
        break;
      }
      position = scan.nextPosition;
      offset = lastOffsetOf(scan.header) + 1;
    }
    return { position, offset: offset ?? wanted.fromOffset };
  }
}
