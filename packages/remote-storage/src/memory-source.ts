import { type ByteRange, clipByteRange } from './byte-range.ts';
import type { SegmentSource } from './log-segment-data.ts';

const PIECE_BYTES = 1024 * 1024;

/**
 * Bytes that are in memory already, as a source. They are not copied: leave them alone while the
 * source is in use. A source of no bytes yields nothing.
 */
export function memorySource(bytes: Uint8Array): SegmentSource {
  return {
    size: bytes.byteLength,
    async *read(range: ByteRange, options = {}): AsyncGenerator<Uint8Array, void, void> {
      options.signal?.throwIfAborted();
      if (bytes.byteLength === 0 && range.start === 0) return;
      const { start, length } = clipByteRange(range, bytes.byteLength);
      for (let at = 0; at < length; at += PIECE_BYTES) {
        options.signal?.throwIfAborted();
        const from = start + at;
        yield bytes.subarray(from, Math.min(from + PIECE_BYTES, start + length));
      }
    },
  };
}
