import {
  BATCH_HEADER_BYTES,
  type BatchHeader,
  createBatchHeader,
  readBatchHeader,
} from '@logloft/records';
import type { LogFile } from './store/file-system.ts';

const DEFAULT_WINDOW_BYTES = 16 * 1024;

/** Options of a {@link HeaderScan}. */
export interface HeaderScanOptions {
  /** Position of a batch to begin with. Default 0. */
  readonly from?: number | undefined;
  /** Where the batches end. */
  readonly end: number;
  /** Bytes read at once, at least 256. Default 16 KiB. */
  readonly windowBytes?: number | undefined;
  /** A buffer to read into, instead of one of `windowBytes`; the scan's until it is done. */
  readonly window?: Buffer | undefined;
}

/**
 * Goes from batch to batch of a file and reads their headers only: batches larger than the window
 * are skipped, not read. Stops for good at what is no whole batch.
 */
export class HeaderScan {
  /** Header of the present batch, the same object for all. */
  readonly header: BatchHeader = createBatchHeader();
  readonly #file: LogFile;
  readonly #end: number;
  readonly #window: Buffer;
  #windowStart = 0;
  #windowEnd = 0;
  #position: number;
  #next: number;

  constructor(file: LogFile, options: HeaderScanOptions) {
    this.#file = file;
    this.#end = options.end;
    this.#position = options.from ?? 0;
    this.#next = this.#position;
    this.#window =
      options.window ?? Buffer.allocUnsafe(options.windowBytes ?? DEFAULT_WINDOW_BYTES);
  }

  /** Position of the present batch. */
  get position(): number {
    return this.#position;
  }

  /** Where the present batch ends: after the last one, where the sound bytes end. */
  get nextPosition(): number {
    return this.#next;
  }

  /** Goes to the next batch; reads synchronously what is not in the window. */
  next(): boolean {
    if (!this.#isCovered()) {
      const length = this.#beginFill();
      this.#windowEnd += length === 0 ? 0 : this.#file.read(this.#window, 0, length, this.#next);
    }
    return this.#take();
  }

  /** Goes to the next batch; reads away from the main thread. */
  async nextAsync(): Promise<boolean> {
    if (!this.#isCovered()) {
      const length = this.#beginFill();
      const read = length === 0 ? 0 : this.#file.readAsync(this.#window, 0, length, this.#next);
      this.#windowEnd += await read;
    }
    return this.#take();
  }

  /** The present batch as far as the window holds it, from its first byte on. */
  batchBytes(): Buffer {
    const at = this.#position - this.#windowStart;
    return this.#window.subarray(
      at,
      Math.min(at + this.header.sizeInBytes, this.#windowEnd - this.#windowStart),
    );
  }

  /** Whether the window has so much of the next batch as anybody asks for. */
  #isCovered(): boolean {
    const wanted = Math.min(this.#next + 256, this.#end);
    return this.#next >= this.#windowStart && wanted <= this.#windowEnd;
  }

  #beginFill(): number {
    this.#windowStart = this.#next;
    this.#windowEnd = this.#next;
    return Math.max(0, Math.min(this.#window.length, this.#end - this.#next));
  }

  #take(): boolean {
    if (this.#next + BATCH_HEADER_BYTES > this.#windowEnd) return false;
    const { header } = this;
    readBatchHeader(this.#window, this.#next - this.#windowStart, header);
    const sound =
      header.magic === 2 &&
      header.sizeInBytes >= BATCH_HEADER_BYTES &&
      header.lastOffsetDelta >= 0 &&
      this.#next + header.sizeInBytes <= this.#end;
    if (!sound) return false;
    this.#position = this.#next;
    this.#next += header.sizeInBytes;
    return true;
  }
}
