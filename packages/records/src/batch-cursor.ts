// Hot path: one header filled again and again, nothing allocated for a batch.
import { type BatchHeader, createBatchHeader, readBatchHeader } from './batch-header.ts';
import { viewOf } from './byte-view.ts';
import { BATCH_FIELD, BATCH_HEADER_BYTES, LOG_OVERHEAD_BYTES } from './constants.ts';
import { CorruptBatchError } from './errors.ts';
import { checkSizeAndMagic } from './magic.ts';

/** What a {@link BatchCursor} goes over. */
export interface BatchCursorOptions {
  /** Where the first batch starts. Default: 0. */
  readonly start?: number | undefined;
  /** Where the bytes end. Default: the length of `bytes`. */
  readonly end?: number | undefined;
  /**
   * Most bytes that a batch may declare, so that a damaged length is found out instead of being
   * waited for. Default: no bound, which is 2 GiB.
   */
  readonly maxBatchBytes?: number | undefined;
}

/**
 * Goes over the whole batches in some bytes, as a fetch response or a piece of a segment has them:
 * one after the other, the last one possibly cut.
 *
 * Checksums are not verified; see `validateBatch` for that.
 */
export class BatchCursor {
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #maxBatchBytes: number;
  #next: number;

  /** Header of the current batch: filled anew by {@link next}. */
  readonly header: BatchHeader = createBatchHeader();
  /** Where the current batch starts. */
  position = -1;

  /** @throws RangeError when `start` or `end` lies outside of `bytes` */
  constructor(bytes: Buffer, options: BatchCursorOptions = {}) {
    const start = options.start ?? 0;
    const end = options.end ?? bytes.length;
    if (!(start >= 0 && start <= end && end <= bytes.length)) {
      throw new RangeError(`Expected a range within ${bytes.length} bytes, got ${start} to ${end}`);
    }
    this.#bytes = bytes;
    this.#next = start;
    this.#end = end;
    this.#maxBatchBytes = options.maxBatchBytes ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Goes to the next whole batch.
   *
   * @returns false at the end of the bytes or at a batch that they cut; see {@link tailBytes}
   * @throws CorruptBatchError with reason `length`, `magic`
   * @throws InvalidBatchError with reason `legacy-magic` at a message set of magic 0 or 1
   */
  next(): boolean {
    const at = this.#next;
    const left = this.#end - at;
    if (left >= LOG_OVERHEAD_BYTES) this.#checkStart(at, left);
    if (left < BATCH_HEADER_BYTES) return false;
    const size = this.nextBatchBytes;
    if (size > left) return false;
    readBatchHeader(this.#bytes, at, this.header);
    this.position = at;
    this.#next = at + size;
    return true;
  }

  /** Bytes after the last whole batch: 0 where nothing was cut. To be asked at the end. */
  get tailBytes(): number {
    return this.#end - this.#next;
  }

  /** Where the next batch starts, or the tail. */
  get nextPosition(): number {
    return this.#next;
  }

  /**
   * Bytes that the next batch declares, so that the one who reads a tail knows how much to get.
   * At least 12 bytes of it must be there; else 0.
   */
  get nextBatchBytes(): number {
    const at = this.#next;
    if (this.#end - at < LOG_OVERHEAD_BYTES) return 0;
    const lengthAt = this.#bytes.byteOffset + at + BATCH_FIELD.batchLength;
    return viewOf(this.#bytes).getInt32(lengthAt) + LOG_OVERHEAD_BYTES;
  }

  /** Checks what can be known of a batch of which `left` bytes are there. */
  #checkStart(at: number, left: number): void {
    const size = this.nextBatchBytes;
    const magicAt = at + BATCH_FIELD.magic;
    checkSizeAndMagic(
      size,
      left > BATCH_FIELD.magic ? this.#bytes.readInt8(magicAt) : undefined,
      at,
    );
    if (size > this.#maxBatchBytes) {
      throw new CorruptBatchError(
        'length',
        `The batch at byte ${at} declares ${size} bytes, expected at most ${this.#maxBatchBytes}`,
      );
    }
  }
}
