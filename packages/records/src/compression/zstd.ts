import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { COMPRESSION } from '../constants.ts';
import type { CompressionCodec, CompressOptions } from './codec.ts';
import { exceedsLimit, fromZlib, malformed } from './decompression-errors.ts';
import { outputChunkBytes } from './output-chunk.ts';
import { measureZstdFrame, type ZstdFrame } from './zstd-frame.ts';

/** Readers should support windows of 8 MiB (RFC 8878, 3.1.1.1.2), however small the limit is. */
const LEAST_WINDOW_LOG = 23;
const GREATEST_WINDOW_LOG = 27;

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
    if (data.length === 0) throw malformed('zstd', 'no bytes');
    // Node decodes one frame a call; a stream that was written in parts may be several.
    const contents: Buffer[] = [];
    let length = 0;
    let at = 0;
    while (at < data.length) {
      const frame = measureZstdFrame(data, at);
      if (!frame.isSkippable) {
        const content = decompressFrame(data.subarray(at, frame.end), frame, maxBytes - length);
        contents.push(content);
        length += content.length;
      }
      at = frame.end;
    }
    const [only] = contents;
    return contents.length === 1 && only !== undefined ? only : Buffer.concat(contents, length);
  },
});

function decompressFrame(data: Uint8Array, frame: ZstdFrame, maxBytes: number): Buffer {
  const { declaredBytes, possibleBytes } = frame;
  if ((declaredBytes ?? 0) > maxBytes) throw exceedsLimit('zstd', maxBytes);
  const expectedBytes = Math.min(declaredBytes ?? possibleBytes, maxBytes);
  const windowLog = Math.ceil(Math.log2(Math.max(1, maxBytes)));
  let content: Buffer;
  try {
    content = zstdDecompressSync(data, {
      chunkSize: outputChunkBytes(expectedBytes, possibleBytes),
      maxOutputLength: Math.max(1, maxBytes),
      params: {
        // The decoder takes memory for the window that a frame asks for.
        [constants.ZSTD_d_windowLogMax]: Math.min(
          GREATEST_WINDOW_LOG,
          Math.max(LEAST_WINDOW_LOG, windowLog),
        ),
      },
    });
  } catch (cause) {
    throw fromZlib('zstd', maxBytes, cause);
  }
  // A bound of 0 is 1 to zlib.
  if (content.length > maxBytes) throw exceedsLimit('zstd', maxBytes);
  return content;
}
