import type { CompressionName } from '../constants.ts';

/** How data is compressed. */
export interface CompressOptions {
  /** Level of gzip (0 to 9) or zstd (-131072 to 22). Default: the codec's own, 6 and 3. */
  readonly level?: number | undefined;
  /**
   * `xerial` (default): chunks of 32 KiB in the framing that Java clients write. `raw`: one block,
   * as librdkafka writes it. Every client reads both.
   */
  readonly snappyFraming?: 'xerial' | 'raw' | undefined;
}

/** One of the compression formats of record batches. */
export interface CompressionCodec {
  /** The id in the attributes of a batch. */
  readonly id: number;
  readonly name: CompressionName;

  /** Whether {@link compress} works here, that is, whether its optional package is installed. */
  canCompress(): boolean;

  /** @throws UnsupportedCompressionError when {@link canCompress} answers false */
  assertCanCompress(): void;

  /**
   * Compresses `data` at once.
   *
   * @throws UnsupportedCompressionError when the codec's optional package is not installed
   */
  compress(data: Uint8Array, options?: CompressOptions): Buffer;

  /**
   * Decompresses `data` at once. Works for every codec without any optional package.
   *
   * @param maxBytes most bytes that may come out. No more are taken for them, but for gzip and zstd
   *   of several frames, or with a wrong length: the pieces of these are joined at the end, which
   *   takes twice the bytes for a moment
   * @throws DecompressionLimitError when more would come out
   * @throws CorruptBatchError with reason `compressed-data` when it is not in the codec's format
   */
  decompress(data: Uint8Array, maxBytes: number): Buffer;
}
