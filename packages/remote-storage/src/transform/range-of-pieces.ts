import type { ByteRange } from '../byte-range.ts';

/** Cuts a range (both ends inclusive) out of bytes that can only be made from the beginning on. */
export async function* rangeOfPieces(
  pieces: AsyncIterable<Uint8Array>,
  { start, end = Number.MAX_SAFE_INTEGER }: ByteRange,
): AsyncGenerator<Uint8Array, void, void> {
  let at = 0;
  for await (const piece of pieces) {
    const wanted = piece.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    at += piece.byteLength;
    if (wanted.byteLength > 0) yield wanted;
    if (at > end) return;
  }
}
