import type { ChunkPlaces } from '../layout/chunk-places.ts';
import type { AheadLoad, ChunkSpan } from './chunk-loader.ts';

/** Bounds of {@link ReadAhead}. */
export interface ReadAheadOptions {
  /** Largest window in bytes of the log; 0 reads nothing ahead. */
  readonly maxWindowBytes: number;
  /** Most segments remembered, the longest unread forgotten first. Default 1,024. */
  readonly maxSegments?: number | undefined;
  /** Most readers of one segment told from each other. Default 4. */
  readonly maxCursors?: number | undefined;
}

/** Where somebody reads in a segment. */
export class ReadCursor {
  /** Number of the chunk that was read last. */
  chunk: number;
  /** The furthest so far. */
  furthest: number;
  /** Window in chunks; 0 until the reader was seen to go forward. */
  windowChunks = 0;
  /** First chunk that has not been asked for ahead. */
  nextAhead = 0;
  /** The latest loads on its behalf. */
  #loads: readonly AheadLoad[] = [];

  constructor(chunk: number) {
    this.chunk = chunk;
    this.furthest = chunk;
  }

  /** Remembers a load, so that it can be dropped. Those before the one before have ended by now. */
  note(load: AheadLoad): void {
    this.#loads = [...this.#loads.slice(-1), load];
  }

  /** Drops what was loaded for somebody who has gone elsewhere, and begins anew. */
  drop(): void {
    for (const load of this.#loads) load.drop();
    this.#loads = [];
    this.nextAhead = 0;
    this.windowChunks = 0;
  }
}

/**
 * Notices who reads a segment forward, and says what to load before it is asked for: at first one chunk,
 * then twice as many with each chunk that is read, up to the largest window.
 */
export class ReadAhead {
  readonly #maxWindowBytes: number;
  readonly #maxSegments: number;
  readonly #maxCursors: number;
  // Segments and cursors in order of use, the longest unused first.
  readonly #segments = new Map<string, ReadCursor[]>();

  constructor({ maxWindowBytes, maxSegments = 1_024, maxCursors = 4 }: ReadAheadOptions) {
    this.#maxWindowBytes = maxWindowBytes;
    this.#maxSegments = maxSegments;
    this.#maxCursors = maxCursors;
  }

  /** Segments remembered. */
  get segments(): number {
    return this.#segments.size;
  }

  /**
   * A read begins at a chunk. One that goes on where another ended (or in the chunk beside it, since
   * ranges overlap a little) continues its cursor. One that does not is a jump of whoever read
   * last: what was loaded ahead for him is dropped.
   */
  begin(object: string, chunk: number): ReadCursor {
    const cursors = this.#segments.get(object) ?? [];
    this.#segments.delete(object);
    this.#segments.set(object, cursors);
    this.#forgetOldest();
    const found = cursors.findLastIndex((cursor) => Math.abs(cursor.chunk - chunk) <= 1);
    const known = cursors[found];
    if (known !== undefined) {
      cursors.splice(found, 1);
      cursors.push(known);
      return known;
    }
    cursors.at(-1)?.drop();
    const cursor = new ReadCursor(chunk);
    cursors.push(cursor);
    if (cursors.length > this.#maxCursors) cursors.shift()?.drop();
    return cursor;
  }

  /**
   * A chunk is read. Says which chunks to load now.
   *
   * @param wantedTo number of the last chunk that the reader has asked for itself
   */
  advance(
    cursor: ReadCursor,
    places: ChunkPlaces,
    { chunk, wantedTo }: { readonly chunk: number; readonly wantedTo: number },
  ): ChunkSpan | undefined {
    const maxChunks = Math.floor(this.#maxWindowBytes / Math.max(1, places.at(0).originalBytes));
    if (chunk > cursor.furthest) {
      cursor.furthest = chunk;
      cursor.windowChunks = Math.min(maxChunks, Math.max(1, cursor.windowChunks * 2));
    }
    cursor.chunk = chunk;
    if (cursor.windowChunks === 0) return undefined;
    const first = Math.max(chunk + 1, wantedTo + 1, cursor.nextAhead);
    const last = Math.min(places.count - 1, Math.max(chunk, wantedTo) + cursor.windowChunks);
    // Half a window is still to be read: the next request may as well be a longer one.
    const buffered = first - 1 - Math.max(chunk, wantedTo);
    if (last < first || buffered > cursor.windowChunks / 2) return undefined;
    cursor.nextAhead = last + 1;
    return { first, last };
  }

  /** Forgets who read a segment. */
  forget(object: string): void {
    for (const cursor of this.#segments.get(object) ?? []) cursor.drop();
    this.#segments.delete(object);
  }

  #forgetOldest(): void {
    if (this.#segments.size <= this.#maxSegments) return;
    for (const oldest of this.#segments.keys()) {
      this.forget(oldest);
      return;
    }
  }
}
