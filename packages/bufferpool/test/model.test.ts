import { ManualClock, type RandomSource, randomBelow, seededRandom } from '@logloft/clock';
import { expect, test } from 'vitest';
import { BufferPool, type BufferPoolOptions, isBufferPoolError } from '../src/index.ts';
import { type ModelEvent, PoolModel } from './pool-model.ts';

const OPERATIONS = 100_000;

interface Run {
  readonly seed: number;
  readonly totalBytes: number;
  readonly poolableBytes: number;
  readonly sizeClasses?: readonly number[];
}

const RUNS: readonly Run[] = [
  { seed: 1, totalBytes: 1000, poolableBytes: 64 },
  { seed: 2, totalBytes: 100, poolableBytes: 7 },
  { seed: 3, totalBytes: 5000, poolableBytes: 64, sizeClasses: [256, 1024] },
];

test.each(RUNS)(
  'seed $seed: 100,000 random operations conserve memory and settle every waiter once, in the order of the model',
  async (run) => {
    const session = new Session(run);
    for (let operation = 0; operation < OPERATIONS; operation += 1) {
      await session.step(operation);
    }
    await session.finish();
  },
  60_000,
);

/** The pool and its model, driven by one sequence of operations. */
class Session {
  readonly #run: Run;
  readonly #random: RandomSource;
  readonly #clock = new ManualClock();
  readonly #pool: BufferPool;
  readonly #model: PoolModel;
  readonly #buffers = new Map<number, Buffer>();
  readonly #aborts = new Map<number, AbortController>();
  readonly #settled = new Set<number>();
  #returned: Buffer | undefined;
  #events: ModelEvent[] = [];
  #nextId = 0;

  constructor(run: Run) {
    this.#run = run;
    this.#random = seededRandom(run.seed);
    const { totalBytes, poolableBytes, sizeClasses } = run;
    const poolFails = failures(run.seed);
    const options: BufferPoolOptions = {
      totalBytes,
      poolableBytes,
      sizeClasses,
      createBuffer: (size) => {
        if (poolFails()) throw new Error('simulated');
        return Buffer.allocUnsafeSlow(size);
      },
    };
    this.#pool = new BufferPool(options, { clock: this.#clock });
    const sizes = [poolableBytes, ...(sizeClasses ?? [])];
    this.#model = new PoolModel(totalBytes, sizes, failures(run.seed));
  }

  async step(operation: number): Promise<void> {
    const what = this.#perform();
    await settle();
    this.#compare(`seed ${this.#run.seed}, operation ${operation}: ${what}`);
  }

  async finish(): Promise<void> {
    for (const abort of this.#aborts.values()) abort.abort('end');
    for (const waiter of [...this.#model.waiters]) this.#model.abort(waiter.id);
    await settle();
    for (const id of [...this.#buffers.keys()]) this.#release(id);
    await settle();
    this.#compare(`seed ${this.#run.seed}, at the end`);
    const { availableBytes, grantedBytes, waiters } = this.#pool.stats();
    expect({ availableBytes, grantedBytes, waiters }).toEqual({
      availableBytes: this.#run.totalBytes,
      grantedBytes: 0,
      waiters: 0,
    });
    expect(this.#clock.pendingTimers).toBe(0);
  }

  #perform(): string {
    const dice = randomBelow(this.#random, 100);
    if (dice < 35) return this.#allocate();
    if (dice < 45) return this.#tryAllocate();
    if (dice < 80) return this.#releaseAny();
    if (dice < 88) return this.#abortAny();
    if (dice < 92) return this.#releaseWrongly();
    const ms = randomBelow(this.#random, 20);
    this.#clock.advance(ms);
    this.#model.moveTo(this.#clock.monotonic());
    return `advance ${ms}`;
  }

  #allocate(): string {
    const id = this.#nextId++;
    const size = this.#anySize();
    const maxBlockMs = this.#pick([0, 1, 5, 30, 100, Number.POSITIVE_INFINITY]);
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    this.#pool.allocate(size, { maxBlockMs, signal: abort.signal }).then(
      (buffer) => this.#granted(id, size, buffer),
      (reason: unknown) => this.#failed(id, reason),
    );
    const now = this.#clock.monotonic();
    this.#model.allocate(id, size, now + maxBlockMs, now);
    return `allocate ${id}, ${size} bytes, ${maxBlockMs} ms`;
  }

  #tryAllocate(): string {
    const id = this.#nextId++;
    const size = this.#anySize();
    try {
      const buffer = this.#pool.tryAllocate(size);
      if (buffer !== undefined) this.#granted(id, size, buffer);
    } catch (reason) {
      this.#failed(id, reason);
    }
    this.#model.tryAllocate(id, size);
    return `tryAllocate ${id}, ${size} bytes`;
  }

  #releaseAny(): string {
    const ids = [...this.#buffers.keys()];
    const id = ids[randomBelow(this.#random, Math.max(1, ids.length))];
    if (id !== undefined) this.#release(id);
    return `release ${id}`;
  }

  #release(id: number): void {
    const buffer = this.#buffers.get(id);
    this.#buffers.delete(id);
    this.#returned = buffer;
    this.#pool.deallocate(buffer);
    this.#model.release(id);
  }

  #abortAny(): string {
    const { waiters } = this.#model;
    const waiter = waiters[randomBelow(this.#random, Math.max(1, waiters.length))];
    if (waiter === undefined) return 'abort nobody';
    this.#aborts.get(waiter.id)?.abort('aborted');
    this.#model.abort(waiter.id);
    return `abort ${waiter.id}`;
  }

  /** Mistakes of a caller, which must change nothing. */
  #releaseWrongly(): string {
    const again = this.#returned;
    const isOutAgain = again === undefined || [...this.#buffers.values()].includes(again);
    if (!isOutAgain) expect(() => this.#pool.deallocate(again)).toThrow(/released/);
    expect(() => this.#pool.deallocate(Buffer.alloc(this.#run.poolableBytes))).toThrow(/released/);
    return 'release wrongly';
  }

  #granted(id: number, size: number, buffer: Buffer): void {
    expect(buffer.length).toBeGreaterThanOrEqual(size);
    this.#noteSettled(id);
    this.#buffers.set(id, buffer);
    this.#events.push(`grant ${id}`);
  }

  #failed(id: number, reason: unknown): void {
    this.#noteSettled(id);
    const kind = isBufferPoolError(reason) ? reason.kind : 'aborted';
    if (kind === 'exhausted' || kind === 'creation-failed' || kind === 'aborted') {
      this.#events.push(`${kind} ${id}`);
      return;
    }
    throw reason;
  }

  #noteSettled(id: number): void {
    if (this.#settled.has(id)) throw new Error(`allocation ${id} was settled twice`);
    this.#settled.add(id);
    this.#aborts.delete(id);
  }

  #compare(message: string): void {
    const model = this.#model;
    const stats = this.#pool.stats();
    let granted = 0;
    for (const buffer of this.#buffers.values()) granted += buffer.length;
    const isSame =
      String(this.#events) === String(model.events) &&
      stats.availableBytes === model.available &&
      stats.unallocatedBytes === model.unallocated &&
      stats.freeBuffers === model.freeBuffers &&
      stats.waiters === model.waiters.length &&
      stats.heldByWaitersBytes === model.held &&
      stats.grantedBytes === granted;
    const isWithinBounds = stats.availableBytes >= 0 && stats.grantedBytes >= 0 && model.isBalanced;
    // Plain conditions, since an expectation per operation would take minutes; this one reports.
    if (!isSame || !isWithinBounds) {
      expect({ events: this.#events, ...stats, grantedBytes: granted }, message).toMatchObject({
        events: model.events,
        availableBytes: model.available,
        unallocatedBytes: model.unallocated,
        freeBuffers: model.freeBuffers,
        waiters: model.waiters.length,
        heldByWaitersBytes: model.held,
      });
      expect.fail(`${message}: memory is not conserved: ${JSON.stringify(stats)}`);
    }
    this.#events = [];
    model.events = [];
  }

  #anySize(): number {
    const { poolableBytes, totalBytes } = this.#run;
    const dice = randomBelow(this.#random, 10);
    if (dice < 5) return poolableBytes;
    if (dice === 5) return randomBelow(this.#random, totalBytes + 1);
    return randomBelow(this.#random, poolableBytes * 3 + 1);
  }

  #pick(values: readonly number[]): number {
    return values[randomBelow(this.#random, values.length)] ?? 0;
  }
}

/** One in thirty buffers cannot be made; the pool and the model ask separate, equal sequences. */
function failures(seed: number): () => boolean {
  const random = seededRandom(seed ^ 0x5eed);
  return () => randomBelow(random, 30) === 0;
}

async function settle(): Promise<void> {
  await Promise.resolve();
  await Promise.resolve();
}
