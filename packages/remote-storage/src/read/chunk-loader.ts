import { ChunkBytes } from '../cache/chunk-bytes.ts';
import { type ChunkCache, type ChunkId, chunkKey } from '../cache/chunk-cache.ts';
import { RemoteStorageError } from '../errors.ts';
import { ChunkRun, type ChunkRunContext } from './chunk-run.ts';
import { ChunkTicket } from './chunk-ticket.ts';
import type { LanePriority } from './request-lanes.ts';
import type { SegmentLog } from './segment-log.ts';

/** Bounds of a {@link ChunkLoader}. */
export interface ChunkLoaderOptions {
  /** Most stored bytes that one request asks for, unless a single chunk has more. */
  readonly coalesceBytes: number;
  /** Stored bytes below which a request is made longer, where there is a cache to keep the rest. */
  readonly readUnitBytes: number;
  /** Most stored bytes still to come of loads that nobody waits for any more. */
  readonly maxAbandonedBytes: number;
}

/** Neighbouring chunks, both ends part of them. */
export interface ChunkSpan {
  readonly first: number;
  readonly last: number;
}

/** Read-ahead that may be taken back. */
export interface AheadLoad {
  /** Ends it, unless a reader has come to wait for it. */
  drop(): void;
}

interface Flight {
  readonly id: ChunkId;
  readonly load: Load;
  readonly tickets: Set<ChunkTicket>;
}

interface Load {
  readonly run: ChunkRun;
  readonly object: string;
  /** The chunks that have not come, by their number. */
  readonly flights: Map<number, Flight>;
  /** Tickets for them that nobody has given up. */
  waiting: number;
  /** What it is counted with among those that nobody waits for. */
  abandonedBytes: number;
  forgotten: boolean;
}

/**
 * Loads chunks so that no chunk is loaded twice at a time, however the ranges of those who want it
 * overlap. A load whose askers have all left goes on into the cache, as long as there are not too many
 * of them; without a cache it ends.
 */
export class ChunkLoader {
  readonly #context: ChunkRunContext;
  readonly #options: ChunkLoaderOptions;
  readonly #cache: ChunkCache | undefined;
  readonly #flights = new Map<string, Flight>();
  readonly #loads = new Set<Load>();
  #abandonedBytes = 0;
  #closed: RemoteStorageError | undefined;

  constructor(
    context: ChunkRunContext,
    options: ChunkLoaderOptions,
    cache: ChunkCache | undefined,
  ) {
    this.#context = context;
    this.#options = options;
    this.#cache = cache;
  }

  /** Stored bytes still to come of loads that nobody waits for. */
  get abandonedBytes(): number {
    return this.#abandonedBytes;
  }

  /**
   * Claims chunks from the first on, as many of the span as one request brings: of a load that is under
   * way already, or of a new one. At least one.
   */
  claim(log: SegmentLog, span: ChunkSpan): ChunkTicket[] {
    this.#assertOpen();
    if (!this.#flights.has(chunkKey(log.key, span.first))) this.#begin(log, span, 'direct');
    const tickets: ChunkTicket[] = [];
    for (let index = span.first; index <= span.last; index += 1) {
      const flight = this.#flights.get(chunkKey(log.key, index));
      if (flight === undefined) break;
      tickets.push(this.#join(flight));
    }
    return tickets;
  }

  /** Loads what is missing of a span by one request, when nothing better is to be done. */
  ahead(log: SegmentLog, { first, last }: ChunkSpan): AheadLoad | undefined {
    if (this.#closed !== undefined) return undefined;
    let start = first;
    while (start <= last && this.#isThere(log, start)) start += 1;
    if (start > last) return undefined;
    const load = this.#begin(log, { first: start, last }, 'ahead');
    return { drop: () => this.#dropAhead(load) };
  }

  /** Lets nobody join, and keeps nothing of, what is being loaded of a log object. */
  forget(object: string): void {
    for (const load of this.#loads) {
      if (load.object !== object) continue;
      load.forgotten = true;
      if (load.waiting === 0) this.#end(load);
    }
    for (const [key, { id }] of this.#flights) {
      if (id.object === object) this.#flights.delete(key);
    }
  }

  /** Ends everything. Settles when all memory has been given back that readers do not hold. */
  async close(): Promise<void> {
    this.#closed ??= new RemoteStorageError('aborted', 'Remote storage is closed; open it anew');
    const loads = [...this.#loads];
    for (const { run } of loads) run.abort(this.#closed);
    await Promise.all(loads.map(({ run }) => run.ended));
  }

  #begin(log: SegmentLog, span: ChunkSpan, priority: LanePriority): Load {
    const { first } = span;
    const last = this.#extent(log, span, priority);
    const load: Load = {
      run: new ChunkRun(this.#context, {
        log,
        first,
        last,
        priority,
        onChunk: (index, outcome) => this.#arrived(load, index, outcome),
        onStarved: () => this.#dropAhead(load),
      }),
      object: log.key,
      flights: new Map(),
      waiting: 0,
      abandonedBytes: 0,
      forgotten: false,
    };
    for (let index = first; index <= last; index += 1) {
      const id = { object: log.key, index, place: log.places.at(index) };
      const flight = { id, load, tickets: new Set<ChunkTicket>() };
      load.flights.set(index, flight);
      this.#flights.set(chunkKey(log.key, index), flight);
    }
    this.#loads.add(load);
    void load.run.ended.then(() => {
      this.#setAbandoned(load, 0);
      this.#loads.delete(load);
    });
    return load;
  }

  // As far as chunks are missing, and one request should go. A short one becomes longer where the store
  // gives the rest for nothing and there is a cache to keep it.
  #extent(log: SegmentLog, { first, last }: ChunkSpan, priority: LanePriority): number {
    const { coalesceBytes, readUnitBytes } = this.#options;
    const start = log.places.at(first).storedStart;
    const bytesTo = (index: number): number => {
      const { storedStart, storedBytes } = log.places.at(index);
      return storedStart + storedBytes - start;
    };
    const unitBytes = priority === 'direct' && this.#cache !== undefined ? readUnitBytes : 0;
    let index = first;
    while (index + 1 < log.places.count && !this.#isThere(log, index + 1)) {
      const bytes = bytesTo(index + 1);
      if (bytes > coalesceBytes || (index + 1 > last && bytes > unitBytes)) break;
      index += 1;
    }
    return index;
  }

  #isThere(log: SegmentLog, index: number): boolean {
    if (this.#flights.has(chunkKey(log.key, index))) return true;
    const id = { object: log.key, index, place: log.places.at(index) };
    return this.#cache?.has(id) ?? false;
  }

  #join(flight: Flight): ChunkTicket {
    const { id, load, tickets } = flight;
    const ticket: ChunkTicket = new ChunkTicket({
      object: id.object,
      index: id.index,
      progressMs: () => load.run.movedMs,
      onLeave: () => {
        if (!tickets.delete(ticket)) return;
        load.waiting -= 1;
        if (load.waiting === 0) this.#abandon(load);
      },
    });
    tickets.add(ticket);
    load.waiting += 1;
    this.#setAbandoned(load, 0);
    load.run.promote();
    return ticket;
  }

  #arrived(load: Load, index: number, outcome: ChunkBytes | { readonly failure: unknown }): void {
    const flight = load.flights.get(index);
    load.flights.delete(index);
    if (flight === undefined) {
      if (outcome instanceof ChunkBytes) outcome.release();
      return;
    }
    const { id, tickets } = flight;
    const key = chunkKey(id.object, index);
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
    load.waiting -= tickets.size;
    for (const ticket of tickets) {
      if (outcome instanceof ChunkBytes) ticket.give(outcome.retain());
      else ticket.fail(outcome.failure);
    }
    tickets.clear();
    if (!(outcome instanceof ChunkBytes)) return;
    if (!load.forgotten && this.#closed === undefined) this.#cache?.put(id, outcome);
    outcome.release();
  }

  #abandon(load: Load): void {
    const { maxAbandonedBytes } = this.#options;
    const bytes = load.run.leftBytes;
    const keeps = this.#cache !== undefined && !load.forgotten;
    if (keeps && this.#abandonedBytes + bytes <= maxAbandonedBytes) this.#setAbandoned(load, bytes);
    else {
      this.#context.counters.endedLoads += 1;
      this.#end(load);
    }
  }

  #setAbandoned(load: Load, bytes: number): void {
    this.#abandonedBytes += bytes - load.abandonedBytes;
    load.abandonedBytes = bytes;
  }

  #dropAhead(load: Load): void {
    if (load.waiting > 0 || !load.run.isAhead || load.flights.size === 0) return;
    this.#context.counters.droppedAhead += 1;
    this.#end(load);
  }

  // Nobody may join what will not come.
  #end(load: Load): void {
    for (const { id } of load.flights.values()) {
      const key = chunkKey(id.object, id.index);
      if (this.#flights.get(key)?.load === load) this.#flights.delete(key);
    }
    load.run.abort(new RemoteStorageError('aborted', 'Nobody waits for this read any more'));
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }
}
