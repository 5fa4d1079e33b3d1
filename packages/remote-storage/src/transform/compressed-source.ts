import type { ByteRange } from '../byte-range.ts';
import { RemoteStorageError } from '../errors.ts';
import { chunkCount, type LogCut } from '../layout/log-cut.ts';
import type { SegmentSource } from '../log-segment-data.ts';
import { chunksOfSource } from './chunks-of-source.ts';
import { freeBuffer } from './free-buffer.ts';
import { rangeOfPieces } from './range-of-pieces.ts';
import { CIPHER_ADDED_BYTES, CIPHER_SLICE_BYTES } from './segment-cipher.ts';
import type { ChunkEncryptor, SegmentEncryptor } from './segment-encryptor.ts';
import { compressFrame, maxFrameBytes } from './zstd.ts';

const PIECE_BYTES = 1024 * 1024;

/** How a {@link CompressedSource} is made. */
export interface CompressedSourceOptions {
  /** Bytes of each chunk but the last. */
  readonly chunkBytes: number;
  /** Encrypts each frame. Default: frames are stored as they are. */
  readonly encryptor?: SegmentEncryptor | undefined;
  /** Most bytes that may come out. */
  readonly maxBytes: number;
}

/**
 * A source whose chunks become zstd frames, encrypted where wanted, while it is read. One chunk is
 * compressed while the one before it is passed on; with their frames that makes at most two of each.
 */
export class CompressedSource implements SegmentSource {
  /** The most bytes that can come out. */
  readonly size: number;
  readonly sizeIsBound = true;
  readonly #source: SegmentSource;
  readonly #options: CompressedSourceOptions;
  readonly #chunks: ChunkEncryptor | undefined;
  #storedSizes: readonly number[] | undefined;

  constructor(source: SegmentSource, options: CompressedSourceOptions) {
    const { chunkBytes, encryptor, maxBytes } = options;
    const cut = { originalChunkSize: chunkBytes, originalFileSize: source.size };
    this.#source = source;
    this.#options = options;
    this.#chunks = encryptor?.chunks(chunkCount(cut));
    this.size = Math.min(
      maxBytes,
      mostBytes(cut, encryptor === undefined ? 0 : CIPHER_ADDED_BYTES),
    );
    if (source.size === 0) this.#storedSizes = [];
  }

  /**
   * Bytes of each chunk as it came out of the reading that ended last.
   *
   * @throws RemoteStorageError `corrupt` when none came to its end: whoever was to store it did not
   */
  get storedSizes(): readonly number[] {
    if (this.#storedSizes !== undefined) return this.#storedSizes;
    throw new RemoteStorageError(
      'corrupt',
      'The store reported the log as written, but never read it to its end',
    );
  }

  async *read(
    range: ByteRange,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<Uint8Array, void, void> {
    signal?.throwIfAborted();
    yield* rangeOfPieces(this.#everything(signal), range);
  }

  async *#everything(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void, void> {
    const sizes: number[] = [];
    let total = 0;
    for await (const frame of this.#frames(signal)) {
      const size = frame.byteLength + (this.#chunks === undefined ? 0 : CIPHER_ADDED_BYTES);
      total += size;
      if (total > this.#options.maxBytes) throw tooLarge(this.#options.maxBytes);
      yield* this.#stored(frame, sizes.length);
      sizes.push(size);
    }
    this.#storedSizes = sizes;
  }

  async *#frames(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void, void> {
    const { chunkBytes } = this.#options;
    let pending: Promise<Uint8Array> | undefined;
    for await (const chunk of chunksOfSource(this.#source, { chunkBytes, signal })) {
      const frame = compressFrame(chunk);
      // It may fail while nobody waits for it: the reader breaks off, or the one before it fails.
      frame.catch(() => undefined);
      if (pending !== undefined) yield await pending;
      pending = frame;
    }
    if (pending !== undefined) yield await pending;
  }

  *#stored(frame: Uint8Array, index: number): Generator<Uint8Array, void, void> {
    const chunks = this.#chunks;
    const chunk = chunks?.begin(index);
    const pieceBytes = chunk === undefined ? PIECE_BYTES : CIPHER_SLICE_BYTES;
    if (chunks !== undefined) yield chunks.iv(index);
    for (let at = 0; at < frame.byteLength; at += pieceBytes) {
      const piece = frame.subarray(at, at + pieceBytes);
      if (chunk === undefined) {
        yield piece;
        continue;
      }
      const stored = chunk.update(piece);
      yield stored;
      freeBuffer(stored);
    }
    if (chunk !== undefined) yield chunk.end();
    freeBuffer(frame);
  }
}

function mostBytes(cut: LogCut, addedBytes: number): number {
  const { originalChunkSize, originalFileSize } = cut;
  const whole = Math.floor(originalFileSize / originalChunkSize);
  const rest = originalFileSize % originalChunkSize;
  const last = rest === 0 ? 0 : maxFrameBytes(rest) + addedBytes;
  return whole * (maxFrameBytes(originalChunkSize) + addedBytes) + last;
}

function tooLarge(maxBytes: number): RemoteStorageError {
  return new RemoteStorageError(
    'invalid-configuration',
    `Compressed, the segment takes more than the ${maxBytes} bytes that an object can have; lower segment.bytes`,
  );
}
