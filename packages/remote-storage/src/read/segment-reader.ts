import type { BufferPool } from '@logloft/bufferpool';
import type { Clock } from '@logloft/clock';
import type { ChunkCache } from '../cache/chunk-cache.ts';
import type { CallOptions } from '../call-options.ts';
import { pacedSlices } from '../paced-slices.ts';
import { ReleasingStream } from '../releasing-stream.ts';
import { ChunkLoader } from './chunk-loader.ts';
import { ChunkStream, type LogRange } from './chunk-stream.ts';
import { ReadAhead } from './read-ahead.ts';
import { newReadCounters, type ReadCounters } from './read-counters.ts';
import { RequestLanes } from './request-lanes.ts';
import type { SegmentLog } from './segment-log.ts';

/** How a {@link SegmentReader} reads. All bounds hold for all of its streams together. */
export interface SegmentReaderOptions {
  readonly clock: Clock;
  /** Where chunks are while they are loaded, read and cached. */
  readonly memory: BufferPool;
  /** Absent: nothing is kept, and nothing read ahead. */
  readonly cache?: ChunkCache | undefined;
  /** Most stored bytes of one request. Default 16 MiB. */
  readonly coalesceBytes?: number | undefined;
  /** Stored bytes below which a request is made longer when there is a cache. Default 0. */
  readonly readUnitBytes?: number | undefined;
  /** Largest window of the read-ahead in bytes of the log. Default 16 MiB. */
  readonly maxWindowBytes?: number | undefined;
  /** Most bytes still to come of loads that go on unasked. Default 16 MiB. */
  readonly maxAbandonedBytes?: number | undefined;
  /** Ms without a byte until waiting for a chunk is a `timeout`. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Largest chunk in bytes that may be read. Default: all of the memory. */
  readonly maxChunkBytes?: number | undefined;
  /** Most requests at one time. Default 16, a quarter of them for read-ahead. */
  readonly maxRequests?: number | undefined;
}

const MIB = 1024 * 1024;

/**
 * Reads ranges of segments' logs in whole chunks: from a cache where they are there, and otherwise
 * neighbouring ones by one request, which all who want the same chunks share.
 */
export class SegmentReader {
  readonly #options: SegmentReaderOptions;
  readonly #counters = newReadCounters();
  readonly #loader: ChunkLoader;
  readonly #readAhead: ReadAhead;

  constructor(options: SegmentReaderOptions) {
    this.#options = options;
    const { clock, memory, cache, maxRequests = 16, coalesceBytes = 16 * MIB } = options;
    const maxAhead = Math.min(maxRequests - 1, Math.ceil(maxRequests / 4));
    const lanes = new RequestLanes({ maxRequests, maxAhead });
    const context = { clock, memory, lanes, counters: this.#counters };
    const { readUnitBytes = 0, maxAbandonedBytes = 16 * MIB } = options;
    const bounds = { coalesceBytes, readUnitBytes, maxAbandonedBytes };
    this.#loader = new ChunkLoader(context, bounds, cache);
    // What is read ahead must not push out what it was read for.
    const room = cache === undefined ? 0 : Math.floor(cache.maxBytes / 2);
    const maxWindowBytes = Math.min(options.maxWindowBytes ?? 16 * MIB, coalesceBytes, room);
    this.#readAhead = new ReadAhead({ maxWindowBytes });
  }

  /** What was done so far. */
  get counters(): Readonly<ReadCounters> {
    return this.#counters;
  }

  /** Stored bytes still to come of loads that nobody waits for. */
  get abandonedBytes(): number {
    return this.#loader.abandonedBytes;
  }

  /**
   * Reads a range. Returns when its first piece is there; a piece is valid until the next is asked for.
   *
   * @throws as {@link ChunkStream.next}
   */
  async read(
    log: SegmentLog,
    range: LogRange,
    options: CallOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    const { signal, pacer, onProgress } = options;
    signal?.throwIfAborted();
    const { clock, cache, timeoutMs = 10_000 } = this.#options;
    const loader = this.#loader;
    const readAhead = this.#readAhead;
    const { maxChunkBytes = Number.POSITIVE_INFINITY } = this.#options;
    const counters = this.#counters;
    const shared = { clock, cache, timeoutMs, maxChunkBytes, loader, readAhead, counters };
    const chunks = new ChunkStream(shared, log, range, signal);
    await chunks.open();
    const stream = new ReleasingStream<Uint8Array>({
      signal,
      next: () => chunks.next(),
      release: () => chunks.close(),
    });
    if (pacer === undefined && onProgress === undefined) return stream;
    return pacedStream(stream, options);
  }

  /** Drops what is kept, and being loaded, of a log object that was deleted or is written anew. */
  forget(object: string): void {
    this.#loader.forget(object);
    this.#readAhead.forget(object);
    this.#options.cache?.forget(object);
  }

  /** Ends all loads. Cache and memory are their owner's to close. */
  async close(): Promise<void> {
    await this.#loader.close();
  }
}

function pacedStream(
  stream: ReleasingStream<Uint8Array>,
  options: CallOptions,
): AsyncIterable<Uint8Array> {
  const slices = pacedSlices(stream, options);
  return new ReleasingStream<Uint8Array>({
    signal: options.signal,
    next: async () => {
      const result = await slices.next();
      return result.done ? { done: true, value: undefined } : result;
    },
    // A generator that was never started would not pass this on.
    release: async () => {
      await stream.return();
    },
  });
}
