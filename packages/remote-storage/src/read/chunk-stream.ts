import type { Clock } from '@logloft/clock';
import type { ChunkBytes } from '../cache/chunk-bytes.ts';
import type { ChunkCache, ChunkId } from '../cache/chunk-cache.ts';
import { withDeadline } from '../deadline.ts';
import { isRemoteStorageError, RemoteStorageError } from '../errors.ts';
import { giveSlab, SLAB_BYTES, takeSlab } from '../slab-pool.ts';
import type { ChunkLoader } from './chunk-loader.ts';
import type { ChunkTicket } from './chunk-ticket.ts';
import type { ReadAhead, ReadCursor } from './read-ahead.ts';
import type { ReadCounters } from './read-counters.ts';
import type { SegmentLog } from './segment-log.ts';

// Below this a buffer of the right size is cheaper than to hold a slab.
const SMALL_BYTES = 16 * 1024;

/** What all streams of a reader share. */
export interface ChunkStreamContext {
  readonly clock: Clock;
  readonly loader: ChunkLoader;
  readonly cache: ChunkCache | undefined;
  readonly readAhead: ReadAhead;
  readonly counters: ReadCounters;
  /** Ms without a byte that a chunk may take. */
  readonly timeoutMs: number;
  /** Largest chunk in bytes, stored or not: what is free for it even when the cache is full. */
  readonly maxChunkBytes: number;
}

/** Bytes of a segment's log, at least one, all of which exist. */
export interface LogRange {
  readonly start: number;
  readonly length: number;
}

interface HeldChunk {
  readonly bytes: ChunkBytes;
  /** Where in the log it begins. */
  readonly start: number;
}

/**
 * Gives a range of a log out of its chunks, a piece at a time. Pieces are copies: a chunk goes back to
 * its memory when it was read, whoever still looks at a piece of it.
 */
export class ChunkStream {
  readonly #context: ChunkStreamContext;
  readonly #log: SegmentLog;
  readonly #end: number;
  readonly #lastChunk: number;
  readonly #signal: AbortSignal | undefined;
  readonly #cursor: ReadCursor;
  readonly #tickets = new Map<number, ChunkTicket>();
  // Chunks that came damaged, and are loaded once more: the transfer may have done it.
  readonly #reloaded = new Set<number>();
  #position: number;
  #chunk: HeldChunk | undefined;
  #piece: Buffer | undefined;
  #failed = false;
  #closed = false;
  // A cache that has not answered once is not asked again by this reader.
  #isCacheSilent = false;

  constructor(
    context: ChunkStreamContext,
    log: SegmentLog,
    range: LogRange,
    signal: AbortSignal | undefined,
  ) {
    this.#context = context;
    this.#log = log;
    this.#position = range.start;
    this.#end = range.start + range.length;
    this.#lastChunk = log.places.holding(this.#end - 1);
    this.#signal = signal;
    this.#cursor = context.readAhead.begin(log.key, log.places.holding(range.start));
  }

  /** Waits until the first piece is there. @throws as {@link ChunkStream.next} */
  async open(): Promise<void> {
    try {
      await this.#advance();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * @throws RemoteStorageError whatever the store or the decoding failed with, `timeout` when nothing
   *   comes, `invalid-configuration` for a chunk that there can never be memory for; the reason of the
   *   signal
   */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#position === this.#end) return { done: true, value: undefined };
    const chunk = await this.#advance();
    if (chunk === undefined) {
      // The reader left while it was waited for; a read that was stopped must not look whole.
      this.#signal?.throwIfAborted();
      return { done: true, value: undefined };
    }
    const piece = this.#takePiece();
    const { bytes } = chunk.bytes;
    const from = this.#position - chunk.start;
    const until = Math.min(bytes.byteLength, this.#end - chunk.start, from + piece.byteLength);
    const given = piece.subarray(0, until - from);
    given.set(bytes.subarray(from, until));
    this.#position += given.byteLength;
    this.#context.counters.deliveredBytes += given.byteLength;
    if (this.#position === chunk.start + bytes.byteLength) this.#releaseChunk();
    return { done: false, value: given };
  }

  /** Gives everything back. Calls after the first have no effect. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#position < this.#end && !this.#failed) this.#context.counters.cancelled += 1;
    this.#releaseChunk();
    for (const ticket of this.#tickets.values()) ticket.cancel();
    this.#tickets.clear();
    const piece = this.#piece;
    this.#piece = undefined;
    // Whoever is stopped by a signal may still be at work on the last piece: then it stays theirs.
    if (piece?.byteLength === SLAB_BYTES && !this.#signal?.aborted) giveSlab(piece);
  }

  #takePiece(): Buffer {
    const length = this.#end - this.#position;
    this.#piece ??= length <= SMALL_BYTES ? Buffer.allocUnsafe(length) : takeSlab();
    return this.#piece;
  }

  async #advance(): Promise<HeldChunk | undefined> {
    if (this.#chunk !== undefined || this.#closed) return this.#chunk;
    const index = this.#log.places.holding(this.#position);
    const bytes = await this.#obtain(index);
    if (this.#closed) {
      bytes?.release();
      return undefined;
    }
    if (bytes === undefined) return undefined;
    this.#chunk = { bytes, start: this.#log.places.at(index).originalStart };
    this.#lookAhead(index);
    return this.#chunk;
  }

  async #obtain(index: number): Promise<ChunkBytes | undefined> {
    const { clock, timeoutMs } = this.#context;
    const id: ChunkId = { object: this.#log.key, index, place: this.#log.places.at(index) };
    while (!this.#closed) {
      const ticket = this.#tickets.get(index);
      if (ticket === undefined) {
        const kept = await this.#fromCache(id);
        if (kept !== undefined) return kept;
        // It may have come while the cache was asked, or the reader may have left.
        if (!this.#closed && !this.#isCached(id)) this.#claim(index);
        continue;
      }
      try {
        return await ticket.wait({ clock, timeoutMs, signal: this.#signal });
      } catch (error) {
        this.#note(error, index);
      } finally {
        ticket.cancel();
        this.#tickets.delete(index);
      }
    }
    return undefined;
  }

  // Throws it, unless one more attempt is due.
  #note(error: unknown, index: number): void {
    if (this.#closed) return;
    const kind = isRemoteStorageError(error) ? error.kind : undefined;
    if (kind === 'timeout') this.#context.counters.timeouts += 1;
    if (kind !== 'corrupt' || this.#reloaded.has(index)) {
      this.#failed = !this.#signal?.aborted;
      throw error;
    }
    this.#reloaded.add(index);
  }

  async #fromCache(id: ChunkId): Promise<ChunkBytes | undefined> {
    const { cache, clock, timeoutMs } = this.#context;
    if (this.#isCacheSilent) return undefined;
    const found = cache?.get(id);
    if (!(found instanceof Promise)) return found;
    const discard = (late: ChunkBytes | undefined): void => late?.release();
    const inTime = withDeadline(
      { clock, ms: timeoutMs, action: 'Reading the cache', signal: this.#signal, discard },
      () => found,
    );
    return await inTime.catch((error: unknown) => {
      this.#signal?.throwIfAborted();
      // A disk that does not answer is no reason not to read from the store.
      if (!isRemoteStorageError(error) || error.kind !== 'timeout') throw error;
      this.#isCacheSilent = true;
      return undefined;
    });
  }

  #isCached(id: ChunkId): boolean {
    return !this.#isCacheSilent && this.#context.cache?.has(id) === true;
  }

  // Up to the next that is claimed already: after a damaged chunk, those behind it may be.
  #claim(first: number): void {
    this.#assertFits(first);
    const claimed = [...this.#tickets.keys()].filter((index) => index > first);
    const last = Math.min(this.#lastChunk, ...claimed.map((index) => index - 1));
    for (const ticket of this.#context.loader.claim(this.#log, { first, last })) {
      this.#tickets.set(ticket.index, ticket);
    }
  }

  #assertFits(index: number): void {
    const { maxChunkBytes } = this.#context;
    const { storedBytes, originalBytes } = this.#log.places.at(index);
    const bytes = Math.max(storedBytes, originalBytes);
    if (bytes <= maxChunkBytes) return;
    const { key } = this.#log;
    throw new RemoteStorageError(
      'invalid-configuration',
      `A chunk of the object ${JSON.stringify(key)} needs ${bytes} bytes of memory, and there are ` +
        `${maxChunkBytes}; raise fetch.memory.size`,
      { key },
    );
  }

  // The next request begins while this chunk is read, so that its latency is hidden.
  #lookAhead(index: number): void {
    const { cache, loader, readAhead } = this.#context;
    const { key, places } = this.#log;
    const next = index + 1;
    if (next <= this.#lastChunk) {
      const id = { object: key, index: next, place: places.at(next) };
      if (!this.#tickets.has(next) && !this.#isCached(id)) this.#claim(next);
    }
    if (cache === undefined) return;
    const wanted = { chunk: index, wantedTo: this.#lastChunk };
    const span = readAhead.advance(this.#cursor, places, wanted);
    const load = span && loader.ahead(this.#log, span);
    if (load !== undefined) this.#cursor.note(load);
  }

  #releaseChunk(): void {
    this.#chunk?.bytes.release();
    this.#chunk = undefined;
  }
}
