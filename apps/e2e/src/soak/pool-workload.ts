import type { BufferLease } from '@logloft/bufferpool';
import type { SoakContext, Workload } from './workload.ts';

/** The part of a pool that is soaked: that of a `BufferPool` and of a `SharedBufferPool`. */
export interface SoakedPool {
  readonly waiters: number;
  allocate(size: number, options: PoolWait): Promise<Buffer>;
  tryAllocate(size: number): Buffer | undefined;
  lease(size: number, options: PoolWait): Promise<BufferLease>;
  deallocate(buffer: Buffer): void;
  stats(): {
    readonly totalBytes: number;
    readonly poolableBytes: number;
    readonly availableBytes: number;
    readonly grantedBytes: number;
  };
  close(): Promise<void>;
}

interface PoolWait {
  readonly maxBlockMs: number;
  readonly signal: AbortSignal | undefined;
}

interface Held {
  readonly buffer: Buffer;
  readonly lease: BufferLease | undefined;
  /** Stands at both ends of the buffer: if it changes, somebody else has the same memory. */
  readonly tag: number;
}

const MAX_BLOCK_MS = 4000;
const REOPEN_ONE_IN = 8000;

/** Allocations and releases of mixed sizes, with waits that end in every way. */
export class PoolWorkload implements Workload {
  readonly name: string;
  readonly #context: SoakContext;
  readonly #make: () => SoakedPool;
  /** Memory is counted in these: a byte, or a page. */
  readonly #unitBytes: number;
  readonly #totalBytes: number;
  readonly #poolableBytes: number;
  #pool: SoakedPool;
  #held: Held[] = [];
  #heldBytes = 0;
  #retired: SoakedPool[] = [];
  #tag = 0;
  #granted = 0;
  #reopened = 0;

  constructor(
    name: string,
    context: SoakContext,
    pool: { readonly make: () => SoakedPool; readonly countsPages: boolean },
  ) {
    this.name = name;
    this.#context = context;
    this.#make = pool.make;
    this.#pool = pool.make();
    const { totalBytes, poolableBytes } = this.#pool.stats();
    this.#totalBytes = totalBytes;
    this.#poolableBytes = poolableBytes;
    this.#unitBytes = pool.countsPages ? poolableBytes : 1;
  }

  step(): void {
    const { chance } = this.#context;
    const choice = chance.below(64);
    if (choice < 20) this.#tryAllocate();
    else if (choice < 34) this.#allocate();
    else if (choice < 38) this.#lease();
    else if (choice < 63) this.#release();
    else if (chance.oneIn(REOPEN_ONE_IN / 64)) this.#reopen();
    else this.#context.signals.abortOne();
  }

  audit(): void {
    const { availableBytes, grantedBytes, totalBytes } = this.#pool.stats();
    if (availableBytes < 0 || availableBytes > totalBytes || grantedBytes !== this.#heldBytes) {
      this.#note(`${availableBytes} B available, ${grantedBytes} granted, ${this.#heldBytes} held`);
    }
    for (const pool of this.#retired) {
      const missing = totalBytes - pool.stats().availableBytes;
      if (missing !== 0) this.#note(`${missing} B missing in a closed pool`);
      if (pool.waiters !== 0) this.#note(`${pool.waiters} wait at a closed pool`);
    }
    this.#retired = [];
  }

  giveBack(): void {
    while (this.#held.length > 0) this.#release();
  }

  get outstandingBytes(): number {
    return this.#totalBytes - this.#pool.stats().availableBytes;
  }

  describe(): string {
    return `${this.name} granted ${this.#granted} and was made anew ${this.#reopened} times`;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  #tryAllocate(): void {
    const buffer = this.#pool.tryAllocate(this.#size());
    if (buffer !== undefined) this.#hold(this.#pool, buffer, undefined);
  }

  #allocate(): void {
    const pool = this.#pool;
    const wait = pool.allocate(this.#size(), this.#wait());
    this.#context.waits.watch(wait, (buffer) => this.#hold(pool, buffer, undefined));
  }

  #lease(): void {
    const pool = this.#pool;
    const wait = pool.lease(this.#size(), this.#wait());
    this.#context.waits.watch(wait, (lease) => this.#hold(pool, lease.buffer, lease));
  }

  /** Half of the sizes are the poolable one; few are large, and need what several others hold. */
  #size(): number {
    const { chance } = this.#context;
    const choice = chance.below(16);
    if (choice < 8) return this.#poolableBytes;
    if (choice < 15) return 8 + chance.below(2 * this.#poolableBytes);
    return this.#poolableBytes + chance.below(this.#totalBytes - this.#poolableBytes);
  }

  #wait(): PoolWait {
    const { chance, signals } = this.#context;
    return {
      maxBlockMs: chance.oneIn(8) ? Number.POSITIVE_INFINITY : chance.below(MAX_BLOCK_MS),
      signal: signals.signal(),
    };
  }

  #hold(pool: SoakedPool, buffer: Buffer, lease: BufferLease | undefined): void {
    this.#granted += 1;
    if (pool !== this.#pool) {
      // It was granted just before its pool was closed.
      if (lease === undefined) pool.deallocate(buffer);
      else lease.release();
      return;
    }
    this.#tag = (this.#tag + 1) >>> 0;
    buffer.writeUInt32LE(this.#tag, 0);
    buffer.writeUInt32LE(this.#tag, buffer.length - 4);
    this.#held.push({ buffer, lease, tag: this.#tag });
    this.#heldBytes += this.#countedBytes(buffer);
    if (this.#heldBytes > this.#totalBytes) {
      this.#note(`${this.#heldBytes} B are out, of ${this.#totalBytes}`);
    }
  }

  #release(): void {
    const held = this.#context.chance.takeFrom(this.#held);
    if (held !== undefined) this.#end(this.#pool, held);
  }

  #end(pool: SoakedPool, { buffer, lease, tag }: Held): void {
    const isOurs = buffer.readUInt32LE(0) === tag && buffer.readUInt32LE(buffer.length - 4) === tag;
    if (!isOurs) this.#note('a buffer was overwritten while it was held');
    this.#heldBytes -= this.#countedBytes(buffer);
    if (lease === undefined) pool.deallocate(buffer);
    else lease.release();
  }

  /** Closes the pool while others wait, gives back what was out, and goes on with a new one. */
  #reopen(): void {
    const pool = this.#pool;
    const held = this.#held;
    this.#held = [];
    this.#pool = this.#make();
    this.#reopened += 1;
    void pool.close();
    for (const one of held) this.#end(pool, one);
    this.#retired.push(pool);
  }

  #countedBytes(buffer: Buffer): number {
    return Math.ceil(buffer.length / this.#unitBytes) * this.#unitBytes;
  }

  #note(text: string): void {
    this.#context.findings.note('memory', `${this.name}: ${text}`);
  }
}
