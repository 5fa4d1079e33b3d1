import type { ByteRange } from '../byte-range.ts';
import type { ChunkPlace, ChunkPlaces } from '../layout/chunk-places.ts';

/** A segment's log in a store, as a reader needs to know it. */
export interface SegmentLog {
  /** Key of the log object. */
  readonly key: string;
  readonly places: ChunkPlaces;
  /**
   * Asks the store for bytes of the log object, of all that there are. What it throws reaches the
   * reader, so it says what is wrong.
   */
  readonly open: (range: ByteRange, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
  /**
   * Makes a chunk of what is stored of it: decrypts, decompresses. Returns its argument, or memory that is
   * nobody else's: it is taken away again.
   *
   * @param stored does not change until the promise settles
   */
  readonly decode: (stored: Uint8Array, place: ChunkPlace) => Promise<Uint8Array>;
}
