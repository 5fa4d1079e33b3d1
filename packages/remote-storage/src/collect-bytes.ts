import { RemoteStorageError } from './errors.ts';

/**
 * Gathers pieces into one array, for parts that are known to be small.
 *
 * @param maxBytes more than this is refused before it is taken
 * @throws RemoteStorageError `corrupt` when there are more bytes than that
 */
export async function collectBytes(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let total = 0;
  for await (const piece of pieces) {
    total += piece.byteLength;
    if (total > maxBytes) {
      throw new RemoteStorageError('corrupt', `Expected at most ${maxBytes} bytes, got ${total}`);
    }
    // The piece is its owner's again as soon as the next one is asked for.
    kept.push(Uint8Array.from(piece));
  }
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of kept) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
