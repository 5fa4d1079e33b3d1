import { BufferPool } from '@logloft/bufferpool';
import { ManualClock, seededRandom } from '@logloft/clock';
import { ChunkBytes } from '../../src/cache/chunk-bytes.ts';
import type { ChunkCache, ChunkId } from '../../src/cache/chunk-cache.ts';

export const CHUNK = 1_000;

/** The chunk of that number, as it is cut from a plain log. */
export function idOf(object: string, index: number): ChunkId {
  const start = index * CHUNK;
  const place = {
    originalStart: start,
    originalBytes: CHUNK,
    storedStart: start,
    storedBytes: CHUNK,
  };
  return { object, index, place };
}

/** What a chunk holds: depends on which it is. */
export function contentOf({ object, index }: ChunkId): Uint8Array {
  const seed = [...object].reduce((sum, char) => sum * 31 + (char.codePointAt(0) ?? 0), index);
  return seededRandom(seed).fill(new Uint8Array(CHUNK));
}

/** Memory for chunks, and a clock. */
export function chunkSetUp(totalChunks = 1_000) {
  const clock = new ManualClock();
  const memory = new BufferPool(
    { totalBytes: totalChunks * CHUNK, poolableBytes: CHUNK },
    { clock },
  );
  const giveBack = (buffer: Buffer): void => memory.deallocate(buffer);
  const make = (id: ChunkId): ChunkBytes => {
    const buffer = memory.tryAllocate(CHUNK);
    if (buffer === undefined) throw new RangeError('no memory');
    buffer.set(contentOf(id));
    return new ChunkBytes(buffer, CHUNK, giveBack);
  };
  /** Puts a chunk, as a loader does: and lets go of it. */
  const put = (cache: ChunkCache, id: ChunkId): void => {
    const chunk = make(id);
    cache.put(id, chunk);
    chunk.release();
  };
  /** Whether the cache gives the chunk, and gives it right. */
  const isKept = async (cache: ChunkCache, id: ChunkId): Promise<boolean> => {
    const chunk = await cache.get(id);
    if (chunk === undefined) return false;
    const isRight = Buffer.from(contentOf(id)).equals(chunk.bytes);
    chunk.release();
    if (!isRight) throw new RangeError(`wrong bytes of ${id.object} ${id.index}`);
    return true;
  };
  return { clock, memory, make, put, isKept };
}
