import { BufferPool } from '@logloft/bufferpool';
import { ManualClock, type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { MemoryChunkCache } from '../../src/cache/memory-chunk-cache.ts';
import {
  type ByteRange,
  collectBytes,
  RemoteResourceNotFoundError,
  RemoteStorageError,
} from '../../src/index.ts';
import type { ChunkPlace, ChunkPlaces } from '../../src/layout/chunk-places.ts';
import type { LogRange } from '../../src/read/chunk-stream.ts';
import type { SegmentLog } from '../../src/read/segment-log.ts';
import { SegmentReader, type SegmentReaderOptions } from '../../src/read/segment-reader.ts';

export const CHUNK = 1_000;

/** What happens to one request. */
export interface Trouble {
  /** Ms until it is answered. */
  readonly waitMs?: number;
  /** Bytes after which something happens. */
  readonly afterBytes?: number;
  readonly kind?: 'fail' | 'cut' | 'hang' | 'short' | 'garble';
  /** Ms after which a request that hangs fails, as one that is watched does. Default: never. */
  readonly hangMs?: number;
}

/** A request that the store got. */
export interface Asked {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** Logs in a store that answers by a clock moved by hand, and as it is told. */
class LogStore {
  readonly clock: ManualClock;
  readonly asked: Asked[] = [];
  readonly objects: Map<string, Uint8Array> = new Map();
  trouble: (asked: Asked) => Trouble | undefined = () => undefined;
  /** Requests that have neither ended nor been given up. */
  open = 0;
  /** Most at one time so far. */
  mostOpen = 0;

  constructor(clock: ManualClock) {
    this.clock = clock;
  }

  async get(
    key: string,
    range: ByteRange,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { start, end = 0 } = range;
    const asked = { key, start, end };
    this.asked.push(asked);
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    const trouble = this.trouble(asked);
    try {
      if (trouble?.waitMs !== undefined) await this.#wait(trouble.waitMs, signal);
      const object = this.objects.get(key);
      if (object === undefined) throw new RemoteResourceNotFoundError('gone', { key });
      if (trouble?.kind === 'fail') throw new RemoteStorageError('unavailable', 'failed', { key });
      if (trouble?.kind === 'hang' && trouble.afterBytes === undefined) {
        await this.#hang(trouble, signal);
      }
      return this.#pieces(object.subarray(start, end + 1), trouble, signal);
    } catch (error) {
      this.open -= 1;
      throw error;
    }
  }

  #pieces(bytes: Uint8Array, trouble: Trouble | undefined, signal: AbortSignal) {
    const given = this.#give(bytes, trouble, signal);
    let over = false;
    const end = (): void => {
      if (!over) this.open -= 1;
      over = true;
    };
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          try {
            const result = await given.next();
            if (result.done) end();
            return result;
          } catch (error) {
            end();
            throw error;
          }
        },
        return: async () => {
          end();
          return await given.return();
        },
      }),
    };
  }

  async *#give(
    bytes: Uint8Array,
    trouble: Trouble | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void> {
    const slab = new Uint8Array(300);
    const { afterBytes = Number.POSITIVE_INFINITY, kind } = trouble ?? {};
    let isGarbled = false;
    for (let at = 0; at < bytes.byteLength; ) {
      signal.throwIfAborted();
      const isTroubled = at >= afterBytes;
      if (isTroubled && kind === 'short') return;
      if (isTroubled) await this.#act(trouble, signal);
      const piece = bytes.subarray(at, at + Math.min(300, Math.max(1, afterBytes - at)));
      slab.fill(0xee);
      slab.set(piece);
      // One byte alone: the check byte of a chunk notices that for certain.
      if (isTroubled && kind === 'garble' && !isGarbled) {
        slab[0] = (slab[0] ?? 0) ^ 0xff;
        isGarbled = true;
      }
      at += piece.byteLength;
      yield slab.subarray(0, piece.byteLength);
    }
  }

  async #act(trouble: Trouble | undefined, signal: AbortSignal): Promise<void> {
    if (trouble?.kind === 'cut') throw new RemoteStorageError('unavailable', 'cut');
    if (trouble?.kind === 'hang') await this.#hang(trouble, signal);
  }

  async #hang({ hangMs }: Trouble, signal: AbortSignal): Promise<never> {
    await this.#wait(hangMs, signal);
    throw new RemoteStorageError('timeout', 'hung');
  }

  #wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = ms === undefined ? undefined : this.clock.setTimer(ms, () => done(resolve));
      const onAbort = (): void => done(() => reject(signal.reason));
      const done = (settle: () => void): void => {
        timer?.cancel();
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

/** Chunks whose stored form is a check byte, the bytes turned over, and some that mean nothing. */
export function storedLog(
  log: Uint8Array,
  options: { readonly chunkBytes?: number; readonly padding?: (index: number) => number } = {},
): { stored: Uint8Array; places: ChunkPlaces; decode: SegmentLog['decode'] } {
  const { chunkBytes = CHUNK, padding = () => 0 } = options;
  const places: ChunkPlace[] = [];
  const parts: Uint8Array[] = [];
  let storedStart = 0;
  for (let start = 0; start < log.byteLength; start += chunkBytes) {
    const plain = log.subarray(start, start + chunkBytes);
    const part = new Uint8Array(1 + plain.byteLength + padding(places.length));
    part[0] = checkOf(plain);
    for (const [at, byte] of plain.entries()) part[1 + at] = byte ^ 0x55;
    places.push({
      originalStart: start,
      originalBytes: plain.byteLength,
      storedStart,
      storedBytes: part.byteLength,
    });
    parts.push(part);
    storedStart += part.byteLength;
  }
  return {
    stored: Uint8Array.from(Buffer.concat(parts)),
    places: placesOf(places, log.byteLength, storedStart),
    decode: async (stored, { originalBytes }) => {
      const plain = stored.slice(1, 1 + originalBytes).map((byte) => byte ^ 0x55);
      if (stored[0] !== checkOf(plain)) throw new RemoteStorageError('corrupt', 'check byte');
      return plain;
    },
  };
}

/** Chunks stored as they are. */
export function plainLog(
  log: Uint8Array,
  chunkBytes: number = CHUNK,
): { stored: Uint8Array; places: ChunkPlaces; decode: SegmentLog['decode'] } {
  const places = Array.from({ length: Math.ceil(log.byteLength / chunkBytes) }, (_, index) => {
    const start = index * chunkBytes;
    const bytes = Math.min(chunkBytes, log.byteLength - start);
    return { originalStart: start, originalBytes: bytes, storedStart: start, storedBytes: bytes };
  });
  return {
    stored: log,
    places: placesOf(places, log.byteLength, log.byteLength),
    decode: async (stored) => stored,
  };
}

function placesOf(
  places: readonly ChunkPlace[],
  originalBytes: number,
  storedBytes: number,
): ChunkPlaces {
  const chunkBytes = places[0]?.originalBytes ?? 1;
  return {
    count: places.length,
    originalBytes,
    storedBytes,
    at: (index) => {
      const place = places[index];
      if (place === undefined) throw new RangeError(`no chunk ${index}`);
      return place;
    },
    holding: (offset) => Math.floor(offset / chunkBytes),
  };
}

function checkOf(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => (sum * 31 + byte) & 0xff, 7);
}

/** A reader over a store with one log, or more. */
export function readerOf(
  options: Partial<Omit<SegmentReaderOptions, 'clock'>> & {
    readonly clock?: ManualClock;
    readonly memoryBytes?: number;
  } = {},
) {
  const { memoryBytes = 64 * CHUNK, ...rest } = options;
  const clock = rest.clock ?? new ManualClock();
  const store = new LogStore(clock);
  const memory =
    rest.memory ?? new BufferPool({ totalBytes: memoryBytes, poolableBytes: CHUNK }, { clock });
  const reader = new SegmentReader({ clock, memory, coalesceBytes: 16 * CHUNK, ...rest });
  const add = (key: string, what: ReturnType<typeof storedLog>): SegmentLog => {
    store.objects.set(key, what.stored);
    const { places, decode } = what;
    return { key, places, decode, open: (range, signal) => store.get(key, range, signal) };
  };
  return { clock, store, memory, reader, add };
}

/** The same with a cache in memory, and nothing read ahead unless asked for. */
export function cachedReader(
  options: Parameters<typeof readerOf>[0] & { readonly cacheChunks?: number } = {},
) {
  const { cacheChunks = 100, ...rest } = options;
  const clock = new ManualClock();
  const cache = new MemoryChunkCache({
    clock,
    maxBytes: cacheChunks * (CHUNK + 1),
    retentionMs: Number.POSITIVE_INFINITY,
  });
  return { ...readerOf({ maxWindowBytes: 0, ...rest, clock, cache }), cache };
}

/** Reads a range whole. */
export async function bytesOf(
  { reader }: { readonly reader: SegmentReader },
  log: SegmentLog,
  range: LogRange,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  return await collectBytes(await reader.read(log, range, { signal }), range.length);
}

/** A range of a log, at random. */
export function rangeIn(random: RandomSource, bytes: number): { start: number; length: number } {
  const start = randomBelow(random, bytes);
  return { start, length: 1 + randomBelow(random, bytes - start) };
}

/** Bytes that depend on the seed alone. */
export function seededBytes(seed: number, length: number): Uint8Array {
  return seededRandom(seed).fill(new Uint8Array(length));
}
