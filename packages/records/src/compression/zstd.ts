import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { COMPRESSION } from '../constants.ts';
import type { CompressionCodec, CompressOptions } from './codec.ts';
import { exceedsLimit, fromZlib, malformed } from './decompression-errors.ts';
import { outputChunkBytes } from './output-chunk.ts';
import { zstdContentBytes } from './zstd-frame.ts';

/** Readers should support windows of 8 MiB (RFC 8878, 3.1.1.1.2), however small the limit is. */
const LEAST_WINDOW_LOG = 23;
const GREATEST_WINDOW_LOG = 27;
/** A run of 128 KiB takes four bytes. */
const MAX_EXPANSION = 32_768;

/** RFC 8878, through `node:zlib`. */
export const zstd: CompressionCodec = Object.freeze({
  id: COMPRESSION.zstd,
  name: 'zstd',
  canCompress: () => true,
  assertCanCompress: () => undefined,

  compress(data: Uint8Array, options: CompressOptions = {}): Buffer {
    if (options.level === undefined) return zstdCompressSync(data);
    return zstdCompressSync(data, {
      params: { [constants.ZSTD_c_compressionLevel]: options.level },
    });
  },

  decompress(data: Uint8Array, maxBytes: number): Buffer {
    // Node decodes one frame a call; a stream that was flushed in parts may be several.
    const first = decompressFrame(data, maxBytes);
    if (first.consumedBytes >= data.length) return first.content;
    const contents = [first.content];
    let length = first.content.length;
    let at = first.consumedBytes;
    while (at < data.length) {
      const { content, consumedBytes } = decompressFrame(data.subarray(at), maxBytes - length);
      if (consumedBytes <= 0) throw malformed('zstd', `a frame of no bytes at byte ${at}`);
      contents.push(content);
      length += content.length;
      at += consumedBytes;
    }
    return Buffer.concat(contents, length);
  },
});

interface Frame {
  readonly content: Buffer;
  readonly consumedBytes: number;
}

function decompressFrame(data: Uint8Array, maxBytes: number): Frame {
  const declared = zstdContentBytes(data);
  if (declared !== undefined && declared > maxBytes) throw exceedsLimit('zstd', maxBytes);
  let frame: Frame;
  const windowLog = Math.ceil(Math.log2(Math.max(1, maxBytes)));
  try {
    // With `info` the answer is the content and the engine, which the types do not say.
    const answer = zstdDecompressSync(data, {
      chunkSize: outputChunkBytes(declared, data.length * MAX_EXPANSION),
      maxOutputLength: Math.max(1, maxBytes),
      info: true,
      params: {
        // The decoder takes memory for the window that a frame asks for.
        [constants.ZSTD_d_windowLogMax]: Math.min(
          GREATEST_WINDOW_LOG,
          Math.max(LEAST_WINDOW_LOG, windowLog),
        ),
      },
    }) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    frame = { content: answer.buffer, consumedBytes: answer.engine.bytesWritten };
  } catch (cause) {
    throw fromZlib('zstd', maxBytes, cause);
  }
  // A bound of 0 is 1 to zlib.
  if (frame.content.length > maxBytes) throw exceedsLimit('zstd', maxBytes);
  return frame;
}
