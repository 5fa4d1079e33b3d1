import type { Clock } from '@logloft/clock';
import type { ByteRange } from '../byte-range.ts';
import { ByteCache } from '../cache/byte-cache.ts';
import { SingleFlight } from '../cache/single-flight.ts';
import { collectBytes } from '../collect-bytes.ts';
import { withDeadline } from '../deadline.ts';
import { isRemoteStorageError } from '../errors.ts';
import { openExactly } from '../layout/log-stream.ts';

// Five requests for the parts of an object cost more than one for all of it, up to about this size.
const MAX_WHOLE_BYTES = 1024 * 1024;

/** How an {@link IndexReader} reads. */
export interface IndexReaderOptions {
  readonly clock: Clock;
  /** Most bytes kept; 0 keeps none. */
  readonly maxBytes: number;
  /** Ms after its last use until an object is dropped. */
  readonly retentionMs: number;
  /** Ms that a read may take. */
  readonly timeoutMs: number;
}

/** One index of a segment, as stored. */
export interface IndexRequest {
  /** Key of the indexes object. */
  readonly object: string;
  /** Bytes of the whole object. */
  readonly objectBytes: number;
  readonly place: { readonly position: number; readonly size: number };
  /** Asks the store for bytes of the object. What it throws reaches the reader. */
  readonly open: (
    range: ByteRange,
    signal: AbortSignal | undefined,
  ) => Promise<AsyncIterable<Uint8Array>>;
}

/** What an {@link IndexReader} did so far, and holds now. */
export interface IndexReaderStats {
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  readonly evictedBytes: number;
  /** Requests to the store. */
  readonly requests: number;
}

/**
 * Reads indexes: the object that holds all of a segment's whole, unless it is large, and once for all
 * who want any of them.
 */
export class IndexReader {
  readonly #options: IndexReaderOptions;
  readonly #cache: ByteCache;
  readonly #loads = new SingleFlight<Uint8Array>();
  #hits = 0;
  #misses = 0;
  #requests = 0;

  constructor(options: IndexReaderOptions) {
    this.#options = options;
    this.#cache = new ByteCache(options);
  }

  /**
   * The bytes of an index, for the caller to keep.
   *
   * @throws what the store failed with; RemoteStorageError `timeout` when it takes too long, after
   *   which the read goes on for the next to ask; the reason of the signal
   */
  async read(request: IndexRequest, signal?: AbortSignal): Promise<Uint8Array> {
    const { object, objectBytes, place } = request;
    const { clock, timeoutMs: ms } = this.#options;
    const deadline = { clock, ms, action: 'Reading the indexes', key: object, signal };
    return await withDeadline(deadline, async (inner) => {
      if (objectBytes > MAX_WHOLE_BYTES) return await this.#load(request, place, inner);
      try {
        const whole = await this.#whole(request, inner);
        return whole.slice(place.position, place.position + place.size);
      } catch (error) {
        // Another part of the object may be the one that is damaged.
        if (!isRemoteStorageError(error) || error.kind !== 'corrupt') throw error;
        return await this.#load(request, place, inner);
      }
    });
  }

  /** Drops what is kept, and being loaded, of an object that was deleted or is written anew. */
  forget(object: string): void {
    this.#cache.forget(object);
    this.#loads.forget(object);
  }

  stats(): IndexReaderStats {
    const { size: entries, bytes, evictions, evictedBytes } = this.#cache;
    return {
      entries,
      bytes,
      evictions,
      evictedBytes,
      hits: this.#hits,
      misses: this.#misses,
      requests: this.#requests,
    };
  }

  async #whole(request: IndexRequest, signal: AbortSignal): Promise<Uint8Array> {
    const { object, objectBytes } = request;
    const kept = this.#cache.get(object);
    if (kept !== undefined) {
      this.#hits += 1;
      return kept;
    }
    this.#misses += 1;
    const all = { position: 0, size: objectBytes };
    return await this.#loads.run(
      object,
      async (flight) => {
        const bytes = await this.#load(request, all, undefined);
        if (!flight.forgotten) this.#cache.put(object, bytes);
        return bytes;
      },
      signal,
    );
  }

  async #load(
    { object, open }: IndexRequest,
    { position, size }: IndexRequest['place'],
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const range = { key: object, start: position, length: size };
    const asked = (left: ByteRange): Promise<AsyncIterable<Uint8Array>> => {
      this.#requests += 1;
      return open(left, signal);
    };
    return await collectBytes(await openExactly(range, asked, signal), size);
  }
}
