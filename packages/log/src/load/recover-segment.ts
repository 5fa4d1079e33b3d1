import {
  BATCH_HEADER_BYTES,
  type BatchHeader,
  createBatchHeader,
  lastOffsetOf,
  readBatchHeader,
  validateBatch,
} from '@logloft/records';
import type { LogSegment } from '../log-segment.ts';
import type { LogFile } from '../store/file-system.ts';

const WINDOW_BYTES = 1024 * 1024;
const MAX_RELATIVE_OFFSET = 2 ** 31 - 1;

/** Options of {@link recoverSegment}. */
export interface RecoverSegmentOptions {
  /** Whether offsets may be missing, as compaction leaves it. The checksum does not cover them. */
  readonly allowGaps: boolean;
}

/** Called for each sound batch; `batch` is valid during the call. */
export type BatchVisitor = (header: BatchHeader, batch: Buffer) => void;

/** What a scan of a segment found. */
export interface SegmentScan {
  /** Offset after the last sound batch; the base offset without one. */
  readonly nextOffset: number;
  /** Where the sound batches end. */
  readonly soundBytes: number;
  /** What is wrong there; undefined when the file ends there. */
  readonly reason: string | undefined;
}

/**
 * Reads a segment batch by batch, checks each with its checksum, and builds the indexes anew. Reads
 * synchronously: it runs before anything is served. The file is left as it is.
 */
export function recoverSegment(
  segment: LogSegment,
  visit: BatchVisitor,
  options: RecoverSegmentOptions,
): SegmentScan {
  segment.resetIndexes();
  return new SegmentScanner(segment, visit, options).run();
}

/** The state of one such scan. */
class SegmentScanner {
  readonly #segment: LogSegment;
  readonly #file: LogFile;
  readonly #visit: BatchVisitor;
  readonly #allowGaps: boolean;
  readonly #size: number;
  readonly #header = createBatchHeader();
  #window: Buffer;
  #windowStart = 0;
  #windowEnd = 0;
  #nextOffset: number;

  constructor(segment: LogSegment, visit: BatchVisitor, options: RecoverSegmentOptions) {
    this.#segment = segment;
    this.#file = segment.openSync();
    this.#visit = visit;
    this.#allowGaps = options.allowGaps;
    this.#size = this.#file.size();
    this.#window = Buffer.allocUnsafeSlow(Math.min(WINDOW_BYTES, this.#size));
    this.#nextOffset = segment.baseOffset;
  }

  run(): SegmentScan {
    let position = 0;
    let reason: string | undefined;
    while (position < this.#size) {
      reason = this.#takeBatch(position);
      if (reason !== undefined) break;
      position += this.#header.sizeInBytes;
    }
    return { nextOffset: this.#nextOffset, soundBytes: position, reason };
  }

  /** Checks the batch at `position`; returns what is wrong with it. */
  #takeBatch(position: number): string | undefined {
    if (!this.#load(position, BATCH_HEADER_BYTES)) return 'a batch header is cut off';
    const header = this.#header;
    readBatchHeader(this.#window, position - this.#windowStart, header);
    if (header.sizeInBytes < BATCH_HEADER_BYTES) return 'a batch is shorter than its header';
    // Before any memory is taken for it: a length beyond the file is the common tear.
    if (position + header.sizeInBytes > this.#size) return 'a batch is cut off';
    if (!this.#load(position, header.sizeInBytes)) return 'a batch could not be read whole';
    const at = position - this.#windowStart;
    const end = at + header.sizeInBytes;
    try {
      validateBatch(this.#window, at, end, header, { origin: 'log' });
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    const lastOffset = lastOffsetOf(header);
    if (header.baseOffset < this.#nextOffset) return 'offsets go back';
    if (header.baseOffset > this.#nextOffset && !this.#allowGaps) return 'offsets are missing';
    if (lastOffset - this.#segment.baseOffset > MAX_RELATIVE_OFFSET)
      return 'an offset does not fit';
    this.#segment.indexBatch(position, header.sizeInBytes, lastOffset, header.maxTimestamp);
    this.#visit(header, this.#window.subarray(at, end));
    this.#nextOffset = lastOffset + 1;
    return undefined;
  }

  /** Gets `bytes` from `position` on into the window. */
  #load(position: number, bytes: number): boolean {
    if (position >= this.#windowStart && position + bytes <= this.#windowEnd) return true;
    if (bytes > this.#window.length) this.#window = Buffer.allocUnsafeSlow(bytes);
    this.#windowStart = position;
    this.#windowEnd = position;
    const wanted = Math.min(this.#window.length, this.#size - position);
    let read = 0;
    while (read < wanted) {
      const step = this.#file.read(this.#window, read, wanted - read, position + read);
      if (step === 0) break;
      read += step;
    }
    this.#windowEnd += read;
    return read >= bytes;
  }
}
