import { gunzipSync, gzipSync } from 'node:zlib';
import { COMPRESSION } from '../constants.ts';
import type { CompressionCodec, CompressOptions } from './codec.ts';
import { exceedsLimit, fromZlib } from './decompression-errors.ts';
import { outputChunkBytes } from './output-chunk.ts';

/** A header of 10 bytes, at least one block, and a trailer of 8. */
const MIN_MEMBER_BYTES = 18;
/** Deflate cannot expand further. */
const MAX_EXPANSION = 1032;

/** RFC 1952, through `node:zlib`. */
export const gzip: CompressionCodec = Object.freeze({
  id: COMPRESSION.gzip,
  name: 'gzip',
  canCompress: () => true,
  assertCanCompress: () => undefined,

  compress(data: Uint8Array, options: CompressOptions = {}): Buffer {
    return options.level === undefined ? gzipSync(data) : gzipSync(data, { level: options.level });
  },

  decompress(data: Uint8Array, maxBytes: number): Buffer {
    // Only a hint: of several members it is the last one's length, and nothing vouches for it.
    const declared = Math.min(declaredBytes(data), maxBytes);
    let content: Buffer;
    try {
      content = gunzipSync(data, {
        chunkSize: outputChunkBytes(declared, data.length * MAX_EXPANSION),
        maxOutputLength: Math.max(1, maxBytes),
      });
    } catch (cause) {
      throw fromZlib('gzip', maxBytes, cause);
    }
    // A bound of 0 is 1 to zlib.
    if (content.length > maxBytes) throw exceedsLimit('gzip', maxBytes);
    return content;
  },
});

/** The last four bytes of a member are the length of its content, modulo 2^32. */
function declaredBytes(data: Uint8Array): number {
  if (data.length < MIN_MEMBER_BYTES) return 0;
  return new DataView(data.buffer, data.byteOffset + data.length - 4, 4).getUint32(0, true);
}
