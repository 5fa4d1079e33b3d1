// Hot path: a loop over batches, no allocation per batch.
import {
  BATCH_HEADER_BYTES,
  type BatchHeader,
  createBatchHeader,
  lastOffsetOf,
  readBatchHeader,
} from '@logloft/records';
import { RemoteLogError } from '../errors.ts';

/** What a {@link BatchCollector} is to collect. */
export interface BatchCollectorOptions {
  /** Batches whose last offset is below it are passed over. */
  readonly fromOffset: number;
  /** Most bytes collected, unless the first batch alone is larger. */
  readonly maxBytes: number;
  /** Bytes of the log from where the collector begins: no batch can be larger than what is left. */
  readonly availableBytes: number;
  /** Whether a first batch above `maxBytes` is collected all the same. */
  readonly firstBatchAlways: boolean;
}

/**
 * Takes a log in pieces, as they come from a store, and keeps whole batches from the first that reaches
 * an offset. What it holds is bounded by `maxBytes`, or by the size of the first batch.
 */
export class BatchCollector {
  readonly #options: BatchCollectorOptions;
  readonly #header: BatchHeader = createBatchHeader();
  /** The beginning of a batch whose header did not come whole yet. */
  readonly #head = Buffer.allocUnsafe(BATCH_HEADER_BYTES);
  #headBytes = 0;
  /** Bytes of the present batch that are still to come. */
  #pending = 0;
  #keeping = false;
  #out: Buffer | undefined;
  #outBytes = 0;
  /** Where the last whole batch ends in the output. */
  #wholeBytes = 0;
  #consumed = 0;
  #firstBatchAt = 0;
  #lastOffset = -1;
  #nextLastOffset = -1;
  #done = false;

  constructor(options: BatchCollectorOptions) {
    this.#options = options;
  }

  /** Whether nothing more is wanted. */
  get done(): boolean {
    return this.#done;
  }

  /** Bytes of output that are not filled yet; until the first batch is found, all. */
  get wanted(): number {
    return this.#out === undefined ? this.#options.maxBytes : this.#out.length - this.#outBytes;
  }

  /** Bytes of the log that were taken in. */
  get consumed(): number {
    return this.#consumed;
  }

  /** Where the first kept batch begins, in bytes from where the collector began. */
  get firstBatchAt(): number {
    return this.#firstBatchAt;
  }

  /** Offset of the last record that is kept, -1 when nothing is. */
  get lastOffset(): number {
    return this.#lastOffset;
  }

  /** The whole batches, in order. */
  get records(): Buffer {
    return this.#out?.subarray(0, this.#wholeBytes) ?? Buffer.alloc(0);
  }

  /**
   * Takes the next bytes in.
   *
   * @throws RemoteLogError `LOGLOFT_RLM_CORRUPT_BATCH` when they are no batches
   */
  add(piece: Uint8Array): void {
    let at = 0;
    while (at < piece.length && !this.#done) {
      at += this.#pending > 0 ? this.#takeBody(piece, at) : this.#takeHead(piece, at);
    }
    this.#consumed += at;
  }

  #takeHead(piece: Uint8Array, at: number): number {
    const taken = Math.min(BATCH_HEADER_BYTES - this.#headBytes, piece.length - at);
    this.#head.set(piece.subarray(at, at + taken), this.#headBytes);
    this.#headBytes += taken;
    if (this.#headBytes === BATCH_HEADER_BYTES) this.#beginBatch(this.#consumed + at + taken);
    return taken;
  }

  /** @param headEnd where the header ends, in bytes from where the collector began */
  #beginBatch(headEnd: number): void {
    const header = this.#header;
    readBatchHeader(this.#head, 0, header);
    const start = headEnd - BATCH_HEADER_BYTES;
    const size = header.sizeInBytes;
    if (
      size < BATCH_HEADER_BYTES ||
      size > this.#options.availableBytes - start ||
      header.lastOffsetDelta < 0
    ) {
      throw new RemoteLogError(
        'LOGLOFT_RLM_CORRUPT_BATCH',
        `The remote log has no record batch at byte ${start} of the read: size ${size}, ${this.#options.availableBytes - start} bytes left`,
      );
    }
    this.#headBytes = 0;
    this.#nextLastOffset = lastOffsetOf(header);
    this.#pending = size - BATCH_HEADER_BYTES;
    this.#keeping = this.#out !== undefined || this.#nextLastOffset >= this.#options.fromOffset;
    if (this.#keeping) this.#keepHead(start, size);
    else return;
    if (this.#pending === 0 && !this.#done) this.#endBatch();
  }

  #keepHead(start: number, size: number): void {
    const { maxBytes, firstBatchAlways, availableBytes } = this.#options;
    const first = this.#out === undefined;
    const fits = this.#wholeBytes + size <= maxBytes;
    if (!fits && !(first && firstBatchAlways)) {
      this.#done = true;
      return;
    }
    if (this.#out === undefined) {
      this.#firstBatchAt = start;
      const most = Math.min(maxBytes, availableBytes - start);
      this.#out = Buffer.allocUnsafe(Math.max(size, most));
    }
    this.#head.copy(this.#out, this.#outBytes);
    this.#outBytes += BATCH_HEADER_BYTES;
  }

  #takeBody(piece: Uint8Array, at: number): number {
    const taken = Math.min(this.#pending, piece.length - at);
    if (this.#keeping) {
      this.#out?.set(piece.subarray(at, at + taken), this.#outBytes);
      this.#outBytes += taken;
    }
    this.#pending -= taken;
    if (this.#pending === 0 && this.#keeping) this.#endBatch();
    return taken;
  }

  #endBatch(): void {
    this.#wholeBytes = this.#outBytes;
    this.#lastOffset = this.#nextLastOffset;
    const room = this.#options.maxBytes - this.#wholeBytes;
    // Less than a header's room: the next batch cannot fit.
    if (room < BATCH_HEADER_BYTES) this.#done = true;
  }
}
