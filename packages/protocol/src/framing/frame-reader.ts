import { checkFrameSize, FRAME_SIZE_BYTES } from './frame-size.ts';

/** Settings of a {@link FrameReader}. */
export interface FrameReaderOptions {
  /** Largest frame accepted, in bytes without the size bytes; default 104,857,600 (100 MiB). */
  readonly maxFrameBytes?: number | undefined;
}

/**
 * Cuts a stream of bytes into frames, however it was split on its way. Memory follows the bytes that
 * have arrived, not the size that was announced.
 *
 * For clients, tests and tools. A broker receives into pooled memory of its own and needs only
 * {@link checkFrameSize}.
 */
export class FrameReader {
  readonly #maxFrameBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Size of the frame being collected; -1 while its size bytes are not complete. */
  #size = -1;

  constructor(options: FrameReaderOptions = {}) {
    this.#maxFrameBytes = options.maxFrameBytes ?? 104_857_600;
  }

  /** How many bytes are kept that do not make a whole frame yet. */
  get pendingBytes(): number {
    return this.#bytes;
  }

  /**
   * Takes the next piece of the stream, which must not be changed afterwards.
   *
   * @returns the frames that it completes, without their size bytes; a frame that lies within one
   *   piece is a view of it
   * @throws FrameSizeError; the stream cannot be read any further
   */
  push(piece: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    if (piece.byteLength > 0) {
      this.#pieces.push(piece);
      this.#bytes += piece.byteLength;
    }
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Buffer | undefined {
    if (this.#size < 0) {
      if (this.#bytes < FRAME_SIZE_BYTES) return undefined;
      const size = this.#take(FRAME_SIZE_BYTES).readInt32BE(0);
      checkFrameSize(size, this.#maxFrameBytes);
      this.#size = size;
    }
    if (this.#bytes < this.#size) return undefined;
    const frame = this.#take(this.#size);
    this.#size = -1;
    return frame;
  }

  /** The next `count` bytes, which have arrived. */
  #take(count: number): Buffer {
    const first = this.#pieces[0];
    const joined =
      first !== undefined && first.byteLength >= count ? first : Buffer.concat(this.#pieces);
    const rest = joined === first ? this.#pieces.slice(1) : [];
    if (joined.byteLength > count) rest.unshift(joined.subarray(count));
    this.#pieces = rest;
    this.#bytes -= count;
    return joined.subarray(0, count);
  }
}
