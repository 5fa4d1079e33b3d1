const MIN_CHUNK_BYTES = 64;
/** Where nothing is known of the length. */
const DEFAULT_CHUNK_BYTES = 64 * 1024;

/**
 * Bytes of the pieces in which `node:zlib` takes memory for its output. With a declared length that
 * is right there is one piece, and no copy to join several.
 *
 * @param declaredBytes what the data says of itself, at most the limit; undefined: nothing
 * @param possibleBytes what the data can become at best, so that a lie takes no memory
 */
export function outputChunkBytes(declaredBytes: number | undefined, possibleBytes: number): number {
  if (declaredBytes === undefined) {
    return Math.max(MIN_CHUNK_BYTES, Math.min(DEFAULT_CHUNK_BYTES, possibleBytes));
  }
  // One byte more than needed: a piece that is full makes zlib take another one.
  return Math.max(MIN_CHUNK_BYTES, Math.min(declaredBytes, possibleBytes) + 1);
}
