import { type ByteRange, clipByteRange } from '../byte-range.ts';
import { chunkCount } from '../layout/log-cut.ts';
import type { SegmentSource } from '../log-segment-data.ts';
import { sourceSlices } from '../paced-slices.ts';
import { freeBuffer } from './free-buffer.ts';
import { rangeOfPieces } from './range-of-pieces.ts';
import { CIPHER_ADDED_BYTES, CIPHER_SLICE_BYTES } from './segment-cipher.ts';
import type { SegmentEncryptor } from './segment-encryptor.ts';

/**
 * A source, encrypted while it is read, chunk by chunk. No chunk is held whole: a piece is as long as
 * the source's, and at most 256 KiB. A source of no bytes stays one of no bytes.
 *
 * @param chunkBytes of each chunk but the last; more than the source has makes one chunk of it
 */
export function encryptedSource(
  source: SegmentSource,
  encryptor: SegmentEncryptor,
  chunkBytes: number,
): SegmentSource {
  const cut = { originalChunkSize: Math.max(1, chunkBytes), originalFileSize: source.size };
  const count = chunkCount(cut);
  const chunks = encryptor.chunks(count);
  const size = source.size + count * CIPHER_ADDED_BYTES;

  async function* everything(
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array, void, void> {
    let index = 0;
    let left = Math.min(chunkBytes, source.size);
    let chunk = chunks.begin(0);
    yield chunks.iv(0);
    for await (const piece of sourceSlices(source, { signal })) {
      for (let at = 0; at < piece.byteLength; ) {
        if (left === 0) {
          index += 1;
          left = Math.min(chunkBytes, source.size - index * chunkBytes);
          chunk = chunks.begin(index);
          yield chunks.iv(index);
        }
        const end = Math.min(at + Math.min(left, CIPHER_SLICE_BYTES), piece.byteLength);
        const stored = chunk.update(piece.subarray(at, end));
        yield stored;
        freeBuffer(stored);
        left -= end - at;
        at = end;
        if (left === 0) yield chunk.end();
      }
    }
  }

  return {
    size,
    async *read(range: ByteRange, { signal } = {}): AsyncGenerator<Uint8Array, void, void> {
      signal?.throwIfAborted();
      if (size === 0 && range.start === 0) return;
      clipByteRange(range, size);
      yield* rangeOfPieces(everything(signal), range);
    },
  };
}
