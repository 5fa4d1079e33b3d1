import type { BufferPool } from '@logloft/bufferpool';
import type { Clock } from '@logloft/clock';
import { ChunkBytes } from '../cache/chunk-bytes.ts';
import { RemoteStorageError } from '../errors.ts';
import { openExactly } from '../layout/log-stream.ts';
import { memoryFailure } from '../memory-failure.ts';
import { freeBuffer } from '../transform/free-buffer.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { PieceCutter } from './piece-cutter.ts';
import type { ReadCounters } from './read-counters.ts';
import type { LanePriority, RequestLanes } from './request-lanes.ts';
import type { SegmentLog } from './segment-log.ts';

/** What all runs of a reader share. */
export interface ChunkRunContext {
  readonly clock: Clock;
  readonly lanes: RequestLanes;
  readonly memory: BufferPool;
  readonly counters: ReadCounters;
}

/** One request for neighbouring chunks. */
export interface ChunkRunOptions {
  readonly log: SegmentLog;
  readonly first: number;
  /** Number of the last chunk, which is part of it. */
  readonly last: number;
  readonly priority: LanePriority;
  /** Gets each chunk once, held for the callee, or what it failed with. In order, but for failures. */
  readonly onChunk: (index: number, outcome: ChunkBytes | { readonly failure: unknown }) => void;
  /** Told that there is no memory for what nobody waits for; the callee ends the run. */
  readonly onStarved: () => void;
}

/**
 * Reads neighbouring chunks by one request, cuts the answer into chunks while it comes, and decodes
 * one while the next arrives.
 */
export class ChunkRun {
  /** Resolves when everything it held has been given back. Never rejects. */
  readonly ended: Promise<void>;
  readonly #context: ChunkRunContext;
  readonly #options: ChunkRunOptions;
  readonly #abort = new AbortController();
  readonly #lane: ReturnType<RequestLanes['join']>;
  readonly #beganMs: number;
  #priority: LanePriority;
  #next: number;
  #leftBytes: number;
  #movedMs: number;

  constructor(context: ChunkRunContext, options: ChunkRunOptions) {
    this.#context = context;
    this.#options = options;
    this.#priority = options.priority;
    this.#next = options.first;
    this.#leftBytes = storedBytesOf(options);
    this.#beganMs = context.clock.monotonic();
    this.#movedMs = this.#beganMs;
    this.#lane = context.lanes.join(options.priority);
    this.ended = this.#run();
  }

  /** Bytes of the store that have not come yet. */
  get leftBytes(): number {
    return this.#leftBytes;
  }

  /** When bytes last moved, in monotonic ms. */
  get movedMs(): number {
    return this.#movedMs;
  }

  /** Whether nobody waits for it. */
  get isAhead(): boolean {
    return this.#priority === 'ahead';
  }

  /** Says that a reader waits for it. */
  promote(): void {
    this.#priority = 'direct';
    this.#lane.promote();
  }

  /** Ends it. What has not come fails with the reason. */
  abort(reason: unknown): void {
    this.#abort.abort(reason);
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    let decoding: Promise<void> = Promise.resolve();
    try {
      await unlessAborted(this.#lane.entered, signal);
      const cutter = new PieceCutter(await this.#open(signal), (bytes) => this.#moved(bytes));
      try {
        while (this.#next <= this.#options.last) {
          const buffer = await this.#receive(cutter, this.#next);
          const index = this.#next;
          this.#next += 1;
          await decoding;
          decoding = this.#decode(index, buffer);
        }
      } finally {
        await cutter.close();
      }
    } catch (error) {
      await decoding;
      this.#failRest(signal.aborted ? signal.reason : error);
    } finally {
      await decoding;
      this.#lane.leave();
    }
  }

  async #open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { log, first } = this.#options;
    const { counters } = this.#context;
    if (this.isAhead) counters.aheadRequests += 1;
    else counters.directRequests += 1;
    const length = this.#leftBytes;
    if (length === 0) return nothing();
    const start = log.places.at(first).storedStart;
    const range = { key: log.key, start, length };
    return await openExactly(range, (left) => log.open(left, signal), signal);
  }

  async #receive(cutter: PieceCutter, index: number): Promise<Buffer> {
    const { log } = this.#options;
    const { storedBytes, originalBytes } = log.places.at(index);
    const buffer = await this.#takeMemory(Math.max(storedBytes, originalBytes));
    try {
      await cutter.fill(buffer.subarray(0, storedBytes));
      return buffer;
    } catch (error) {
      this.#context.memory.deallocate(buffer);
      throw error;
    }
  }

  // What may be wanted later does not wait for memory: then somebody else needs it now.
  async #takeMemory(bytes: number): Promise<Buffer> {
    const { memory } = this.#context;
    const { signal } = this.#abort;
    try {
      const buffer = memory.tryAllocate(bytes);
      if (buffer !== undefined) return buffer;
      if (!this.isAhead) {
        return await memory.allocate(bytes, { signal, maxBlockMs: Number.POSITIVE_INFINITY });
      }
    } catch (error) {
      throw memoryFailure(error, 'A chunk of a segment (fetch.memory.size)');
    }
    this.#options.onStarved();
    signal.throwIfAborted();
    throw new RemoteStorageError('unavailable', 'There is no memory for read-ahead');
  }

  async #decode(index: number, buffer: Buffer): Promise<void> {
    const { memory, counters, clock } = this.#context;
    const { log, onChunk } = this.#options;
    const place = log.places.at(index);
    const giveBack = (given: Buffer): void => memory.deallocate(given);
    try {
      const stored = buffer.subarray(0, place.storedBytes);
      const plain = await log.decode(stored, place);
      if (plain.byteLength !== place.originalBytes) throw wrongLength(log.key, index, plain);
      if (plain !== stored) {
        buffer.set(plain);
        freeBuffer(plain);
      }
      counters.loads += 1;
      counters.loadMs += clock.monotonic() - this.#beganMs;
    } catch (error) {
      memory.deallocate(buffer);
      counters.loadFailures += 1;
      onChunk(index, { failure: error });
      return;
    }
    onChunk(index, new ChunkBytes(buffer, place.originalBytes, giveBack));
  }

  #failRest(failure: unknown): void {
    const { last, onChunk } = this.#options;
    const { counters } = this.#context;
    if (!this.#abort.signal.aborted) counters.loadFailures += last - this.#next + 1;
    for (let index = this.#next; index <= last; index += 1) onChunk(index, { failure });
  }

  #moved(bytes: number): void {
    this.#context.counters.storeBytes += bytes;
    this.#leftBytes -= bytes;
    this.#movedMs = this.#context.clock.monotonic();
  }
}

function storedBytesOf({ log, first, last }: ChunkRunOptions): number {
  const end = log.places.at(last);
  return end.storedStart + end.storedBytes - log.places.at(first).storedStart;
}

async function* nothing(): AsyncGenerator<Uint8Array, void, void> {
  // A chunk that is stored as no bytes needs no request.
}

function wrongLength(key: string, index: number, plain: Uint8Array): RemoteStorageError {
  return new RemoteStorageError(
    'corrupt',
    `Chunk ${index} of the object ${JSON.stringify(key)} has ${plain.byteLength} bytes, not those that its manifest tells`,
    { key },
  );
}
