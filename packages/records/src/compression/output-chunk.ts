/** Where the expected length is too small, output must not come in a million pieces. */
const MIN_CHUNK_BYTES = 16 * 1024;

/**
 * Bytes of the pieces in which `node:zlib` takes memory for its output. With an expected length that
 * is right there is one piece, and no copy to join several.
 *
 * @param expectedBytes what the data says of itself, at most the limit
 * @param possibleBytes what the data can become at best, so that a lie takes no memory
 */
export function outputChunkBytes(expectedBytes: number, possibleBytes: number): number {
  // One byte more than needed: a piece that is full makes zlib take another one.
  return Math.max(MIN_CHUNK_BYTES, Math.min(expectedBytes, possibleBytes) + 1);
}
