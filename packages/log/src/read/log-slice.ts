import { LogError, storageErrorOf } from '../errors.ts';
import type { LogSegment } from '../log-segment.ts';
import type { LogState } from '../log-state.ts';
import { trimToBatches } from './trim-to-batches.ts';

/** What a finished read tells the reader's caches. */
export interface SliceObserver {
  onRead(slice: LogSlice, nextOffset: number, nextPosition: number): void;
}

/** Where a slice lies, and what of it was asked for. */
export interface LogSliceOptions {
  readonly state: LogState;
  readonly observer: SliceObserver;
  readonly segment: LogSegment;
  readonly start: number;
  readonly end: number;
  readonly isHot: boolean;
  /** Offset after the last batch; undefined when the bounds come from the index alone. */
  readonly nextOffset: number | undefined;
  /** So many of its first bytes are known to be whole batches that are wanted. Default 0. */
  readonly wholeBytes?: number | undefined;
  /** What was asked for, to be cut out of bytes whose bounds come from the index alone. */
  readonly wanted: WantedBatches;
}

/** Which batches of some bytes a reader asked for. */
export interface WantedBatches {
  readonly fromOffset: number;
  /** Batches that reach it are not visible. */
  readonly limitOffset: number;
  readonly maxBytes: number;
  readonly minOneBatch: boolean;
}

const SYNC_CALL_BYTES = 256 * 1024;
const ASYNC_CALL_BYTES = 1024 * 1024;

/**
 * Batches of one segment, located and not yet read. Give it one buffer and read once; then call
 * {@link LogSlice.release}, for until then the segment's file stays.
 */
export class LogSlice {
  /**
   * Bytes that the buffer must have. What a read delivers may be less, since bounds come from the
   * sparse index where they can: of a hot slice by less than the batch that no longer fits.
   */
  readonly sizeInBytes: number;
  /** Whether the bytes are in memory, as far as one can know: read synchronously then. */
  readonly isHot: boolean;
  /** Position of the first byte in its segment's file. */
  readonly start: number;
  readonly segment: LogSegment;
  readonly #options: LogSliceOptions;
  #nextOffset: number | undefined;
  #isReleased = false;

  constructor(options: LogSliceOptions) {
    this.#options = options;
    this.segment = options.segment;
    this.start = options.start;
    this.sizeInBytes = options.end - options.start;
    this.isHot = options.isHot;
    this.#nextOffset = options.nextOffset;
    options.segment.acquire();
  }

  /** Offset after the last batch: where to go on. Where the bounds come from the index, known once it was read. */
  get nextOffset(): number | undefined {
    return this.#nextOffset;
  }

  /**
   * Reads synchronously, in calls of at most 256 KiB. For hot slices.
   *
   * @param target of at least `sizeInBytes` bytes
   * @returns bytes of whole batches, from the start of `target` on
   * @throws RangeError when `target` is too small, or the slice was released
   * @throws LogStorageError when the file system refuses
   */
  readInto(target: Buffer): number {
    this.#check(target);
    if (this.sizeInBytes === 0) return 0;
    let read = 0;
    try {
      const file = this.segment.openSync();
      while (read < this.sizeInBytes) {
        const length = Math.min(SYNC_CALL_BYTES, this.sizeInBytes - read);
        const step = file.read(target, read, length, this.start + read);
        if (step === 0) break;
        read += step;
      }
    } catch (error) {
      throw this.#failure(error);
    }
    this.#options.state.runtime.statistics.hotReadBytes += read;
    return this.#finish(target, read);
  }

  /**
   * Reads away from the main thread. For cold slices.
   *
   * @param target of at least `sizeInBytes` bytes; the log's until the promise settles
   * @returns bytes of whole batches, from the start of `target` on
   * @throws RangeError when `target` is too small, or the slice was released
   * @throws LogStorageError when the file system refuses
   */
  async readIntoAsync(
    target: Buffer,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<number> {
    this.#check(target);
    options.signal?.throwIfAborted();
    if (this.sizeInBytes === 0) return 0;
    // The caller may release the slice when it gives up; the read goes on for the buffer's sake.
    this.segment.acquire();
    try {
      const { runtime } = this.#options.state;
      const read = await runtime.coldReads.run(async () => {
        options.signal?.throwIfAborted();
        return this.#readCold(target);
      });
      runtime.statistics.coldReadBytes += read;
      return this.#finish(target, read);
    } finally {
      this.segment.release();
    }
  }

  /** Lets the segment go. Idempotent. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.segment.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  async #readCold(target: Buffer): Promise<number> {
    let read = 0;
    try {
      const file = await this.segment.open();
      while (read < this.sizeInBytes) {
        const length = Math.min(ASYNC_CALL_BYTES, this.sizeInBytes - read);
        const step = await file.readAsync(target, read, length, this.start + read);
        if (step === 0) break;
        read += step;
      }
    } catch (error) {
      throw this.#failure(error);
    }
    return read;
  }

  #failure(error: unknown): LogError {
    if (error instanceof LogError) return error;
    return storageErrorOf(error, 'reading a log', this.#options.state.name);
  }

  #finish(target: Buffer, read: number): number {
    const { observer, end, nextOffset, wanted, wholeBytes } = this.#options;
    if (nextOffset !== undefined && read === this.sizeInBytes) {
      observer.onRead(this, nextOffset, end);
      return read;
    }
    const trimmed = trimToBatches(target, read, wanted, wholeBytes);
    this.#nextOffset = trimmed.nextOffset;
    observer.onRead(this, trimmed.nextOffset, this.start + trimmed.end);
    return trimmed.bytes;
  }

  #check(target: Buffer): void {
    if (this.#isReleased) throw new RangeError('A slice was read after its release');
    if (target.length < this.sizeInBytes) {
      throw new RangeError(
        `A slice of ${this.sizeInBytes} bytes does not fit a buffer of ${target.length}`,
      );
    }
  }
}
