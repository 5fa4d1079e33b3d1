import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { BufferPool } from '@logloft/bufferpool';
import type { Clock } from '@logloft/clock';
import { withDeadline } from '../../deadline.ts';
import type { PluginLogger } from '../../plugin.ts';
import { ChunkBytes } from '../chunk-bytes.ts';
import { type ChunkCache, type ChunkCacheStats, type ChunkId, chunkKey } from '../chunk-cache.ts';
import { RecentlyEvicted } from '../recently-evicted.ts';
import { type CacheFiles, diskFiles } from './cache-files.ts';
import {
  CHUNK_HEADER_BYTES,
  chunkFileName,
  encodeChunkHeader,
  objectDigest,
  placeDigest,
  tempFileName,
} from './chunk-file.ts';
import { readChunkHeader, recoverChunks } from './recover-chunks.ts';

/** Bounds and place of a {@link DiskChunkCache}. */
export interface DiskChunkCacheOptions {
  /** Directory of its own, made where it is missing. One cache a directory. */
  readonly directory: string;
  /** Most bytes of files, those being written included. */
  readonly maxBytes: number;
  /** Ms after its last use until a chunk is dropped. */
  readonly retentionMs: number;
  /** Most bytes that wait to be written. Beyond, chunks are not taken in. Default 16 MiB. */
  readonly maxPendingBytes?: number | undefined;
}

/** What a {@link DiskChunkCache} needs. */
export interface DiskChunkCacheContext {
  readonly clock: Clock;
  readonly logger: PluginLogger;
  /** Memory for chunks that are read. */
  readonly memory: BufferPool;
  /** Default: those of the machine. */
  readonly files?: CacheFiles | undefined;
}

interface Entry {
  readonly name: string;
  readonly object: string;
  readonly index: number;
  readonly place: string;
  readonly fileBytes: number;
  usedMs: number;
  /** The time that its file has. */
  touchedMs: number;
  /** The chunk itself until its file is there. */
  pending: ChunkBytes | undefined;
}

const WARN_EVERY_MS = 60_000;
const CLOSE_MS = 10_000;

// How often the time of a file is set to that of its last use, from which the next start knows the order.
const TOUCH_EVERY_MS = 60_000;

/**
 * Chunks in files, one each, that outlive the process. They are plain: decrypted and decompressed, so
 * the directory deserves the protection that the log's own has. A file is verified whenever it is read,
 * and whatever goes wrong with the disk only makes chunks come from the store again.
 */
export class DiskChunkCache implements ChunkCache {
  readonly maxBytes: number;
  readonly #options: DiskChunkCacheOptions;
  readonly #context: DiskChunkCacheContext;
  readonly #files: CacheFiles;
  readonly #ready: Promise<void>;
  // In order of use, the longest unused first.
  readonly #entries = new Map<string, Entry>();
  readonly #digests = new Map<string, string>();
  readonly #evicted = new RecentlyEvicted();
  readonly #work = new Set<Promise<void>>();
  #sequence = 0;
  #bytes = 0;
  #pendingBytes = 0;
  #warnedMs: number | undefined;
  #isReady = false;
  #closed = false;
  readonly #counts = {
    hits: 0,
    misses: 0,
    evictions: 0,
    evictedBytes: 0,
    bypassed: 0,
    thrashed: 0,
    damaged: 0,
    failures: 0,
  };

  constructor(options: DiskChunkCacheOptions, context: DiskChunkCacheContext) {
    this.maxBytes = options.maxBytes;
    this.#options = options;
    this.#context = context;
    this.#files = context.files ?? diskFiles;
    this.#ready = this.#recover();
  }

  has(id: ChunkId): boolean {
    const entry = this.#entries.get(this.#keyOf(id));
    return entry !== undefined && entry.place === placeDigest(id);
  }

  async get(id: ChunkId): Promise<ChunkBytes | undefined> {
    if (!this.#isReady) await this.#ready;
    const key = this.#keyOf(id);
    const entry = this.#entries.get(key);
    const reading = entry === undefined ? undefined : this.#read(key, entry, id);
    if (reading !== undefined) this.#track(reading.then(() => undefined));
    const chunk = await reading;
    if (chunk !== undefined) {
      this.#counts.hits += 1;
      return chunk;
    }
    this.#counts.misses += 1;
    if (this.#evicted.takes(key)) this.#counts.thrashed += 1;
    return undefined;
  }

  put(id: ChunkId, chunk: ChunkBytes): void {
    const fileBytes = CHUNK_HEADER_BYTES + chunk.byteLength;
    const { maxPendingBytes = 16 * 1024 * 1024 } = this.#options;
    const isTooMuch = this.#pendingBytes + fileBytes > maxPendingBytes && this.#pendingBytes > 0;
    if (this.#closed || !this.#isReady || isTooMuch || fileBytes > this.maxBytes) {
      this.#counts.bypassed += 1;
      return;
    }
    const key = this.#keyOf(id);
    const object = this.#digestOf(id.object);
    this.#drop(key);
    this.#expire();
    if (!this.#makeRoom(fileBytes)) {
      this.#counts.bypassed += 1;
      return;
    }
    const nowMs = this.#context.clock.now();
    this.#sequence += 1;
    const entry: Entry = {
      name: chunkFileName({ object, index: id.index }, this.#sequence),
      object,
      index: id.index,
      place: placeDigest(id),
      fileBytes,
      usedMs: nowMs,
      touchedMs: nowMs,
      pending: chunk.retain(),
    };
    this.#entries.set(key, entry);
    this.#bytes += fileBytes;
    this.#pendingBytes += fileBytes;
    this.#track(this.#write(key, entry, id, chunk));
  }

  forget(object: string): void {
    const digest = this.#digestOf(object);
    for (const [key, entry] of this.#entries) {
      if (entry.object === digest) this.#drop(key);
    }
    this.#digests.delete(object);
  }

  stats(): ChunkCacheStats {
    return { entries: this.#entries.size, bytes: this.#bytes, ...this.#counts };
  }

  /** Settles when what was being written is there, or the disk has not answered for 10 s. */
  async close(): Promise<void> {
    this.#closed = true;
    const { clock } = this.#context;
    const atRest = async (): Promise<void> => {
      await this.#ready;
      while (this.#work.size > 0) await Promise.all(this.#work);
    };
    await withDeadline({ clock, ms: CLOSE_MS, action: 'Closing the chunk cache' }, atRest).catch(
      (error: unknown) => this.#failed('The chunk cache could not be closed in order', error),
    );
    this.#entries.clear();
    this.#evicted.clear();
  }

  async #recover(): Promise<void> {
    const { directory } = this.#options;
    const { logger, clock } = this.#context;
    try {
      const found = await recoverChunks({ directory, files: this.#files, logger });
      for (const chunk of found.chunks) {
        const key = chunkKey(chunk.object, chunk.index);
        // A crash may have come between the writing of one and the removal of the one before.
        this.#drop(key);
        this.#entries.set(key, { ...chunk, touchedMs: chunk.usedMs, pending: undefined });
        this.#bytes += chunk.fileBytes;
      }
      this.#counts.damaged += found.removed;
      this.#sequence = Math.floor(clock.now());
      this.#expire();
      this.#makeRoom(0);
      this.#isReady = true;
    } catch (error) {
      this.#failed('The chunk cache cannot use its directory, and is off', error);
    }
  }

  async #read(key: string, entry: Entry, id: ChunkId): Promise<ChunkBytes | undefined> {
    const nowMs = this.#context.clock.now();
    if (entry.pending === undefined && nowMs - entry.usedMs >= this.#options.retentionMs) {
      this.#evict(key);
      return undefined;
    }
    if (entry.place !== placeDigest(id)) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.usedMs = nowMs;
    if (entry.pending !== undefined) return entry.pending.retain();
    try {
      const chunk = await this.#readFile(entry, nowMs);
      if (chunk !== undefined) return chunk;
      this.#counts.damaged += 1;
    } catch (error) {
      this.#failed('A chunk could not be read from the cache', error);
    }
    // Only what was found at fault: it may have been written anew meanwhile.
    if (this.#entries.get(key) === entry) this.#drop(key);
    return undefined;
  }

  async #readFile(entry: Entry, nowMs: number): Promise<ChunkBytes | undefined> {
    const { memory } = this.#context;
    const file = await this.#files.open(this.#pathOf(entry), 'r');
    try {
      const length = entry.fileBytes - CHUNK_HEADER_BYTES;
      const header = await readChunkHeader(file);
      if (header?.object !== entry.object || header.place !== entry.place) return undefined;
      if (header.length !== length) return undefined;
      const buffer = await memory.allocate(length, { maxBlockMs: Number.POSITIVE_INFINITY });
      const chunk = new ChunkBytes(buffer, length, (given) => memory.deallocate(given));
      const isRight = await readWhole(file, buffer.subarray(0, length))
        .then(() => crc32(chunk.bytes) === header.crc)
        .catch((error: unknown) => {
          chunk.release();
          throw error;
        });
      if (!isRight) {
        chunk.release();
        return undefined;
      }
      if (nowMs - entry.touchedMs >= TOUCH_EVERY_MS) {
        entry.touchedMs = nowMs;
        await file.utimes(nowMs / 1_000, nowMs / 1_000).catch(() => undefined);
      }
      return chunk;
    } finally {
      await file.close();
    }
  }

  async #write(key: string, entry: Entry, id: ChunkId, chunk: ChunkBytes): Promise<void> {
    const path = this.#pathOf(entry);
    const temp = tempFileName(path);
    const isWanted = (): boolean => this.#entries.get(key) === entry;
    try {
      const file = await this.#files.open(temp, 'wx');
      try {
        await writeWhole(file, encodeChunkHeader(id, chunk.bytes));
        await writeWhole(file, chunk.bytes);
        await file.utimes(entry.touchedMs / 1_000, entry.touchedMs / 1_000);
      } finally {
        await file.close();
      }
      if (isWanted()) await this.#files.rename(temp, path);
      // It may have been forgotten meanwhile.
      if (!isWanted()) await Promise.all([this.#remove(temp), this.#remove(path)]);
    } catch (error) {
      this.#failed('A chunk could not be written to the cache', error);
      if (isWanted()) this.#drop(key);
      await this.#files.remove(temp).catch(() => undefined);
    } finally {
      entry.pending = undefined;
      this.#pendingBytes -= entry.fileBytes;
      chunk.release();
    }
  }

  // What is still being written stays: its bytes could not be had back before they are there.
  #makeRoom(bytes: number): boolean {
    for (const [key, { pending }] of this.#entries) {
      if (this.#bytes + bytes <= this.maxBytes) return true;
      if (pending === undefined) this.#evict(key);
    }
    return this.#bytes + bytes <= this.maxBytes;
  }

  #expire(): void {
    const nowMs = this.#context.clock.now();
    for (const [key, { usedMs, pending }] of this.#entries) {
      if (pending !== undefined || nowMs - usedMs < this.#options.retentionMs) return;
      this.#evict(key);
    }
  }

  #evict(key: string): void {
    this.#counts.evictions += 1;
    this.#counts.evictedBytes += this.#entries.get(key)?.fileBytes ?? 0;
    this.#drop(key);
    this.#evicted.note(key);
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.fileBytes;
    // One that is still being written finds out for itself.
    if (entry.pending === undefined) this.#track(this.#remove(this.#pathOf(entry)));
  }

  async #remove(path: string): Promise<void> {
    try {
      await this.#files.remove(path);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
        this.#failed('A chunk could not be removed from the cache', error);
      }
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  // Once a minute is enough to be noticed.
  #failed(message: string, error: unknown): void {
    this.#counts.failures += 1;
    const nowMs = this.#context.clock.monotonic();
    if (this.#warnedMs !== undefined && nowMs - this.#warnedMs < WARN_EVERY_MS) return;
    this.#warnedMs = nowMs;
    const { directory } = this.#options;
    const { failures } = this.#counts;
    this.#context.logger.warn(message, { directory, failures, error });
  }

  #keyOf({ object, index }: ChunkId): string {
    return chunkKey(this.#digestOf(object), index);
  }

  // Asked for with every piece of work on a chunk, and always for the same few segments.
  #digestOf(object: string): string {
    const known = this.#digests.get(object);
    if (known !== undefined) return known;
    const digest = objectDigest(object);
    if (this.#digests.size >= 1_024) this.#digests.clear();
    this.#digests.set(object, digest);
    return digest;
  }

  #pathOf(entry: Entry): string {
    return join(this.#options.directory, entry.name);
  }
}

async function readWhole(
  file: Awaited<ReturnType<CacheFiles['open']>>,
  buffer: Buffer,
): Promise<void> {
  let at = 0;
  while (at < buffer.byteLength) {
    const { bytesRead } = await file.read(
      buffer,
      at,
      buffer.byteLength - at,
      CHUNK_HEADER_BYTES + at,
    );
    if (bytesRead === 0) throw new RangeError('the file is shorter than its header says');
    at += bytesRead;
  }
}

async function writeWhole(
  file: Awaited<ReturnType<CacheFiles['open']>>,
  bytes: Uint8Array,
): Promise<void> {
  let at = 0;
  while (at < bytes.byteLength) {
    at += (await file.write(bytes, at, bytes.byteLength - at)).bytesWritten;
  }
}
