import type { Clock } from '@logloft/clock';
import { AbortWatch } from './abort-watch.ts';
import { BufferLease } from './buffer-lease.ts';
import { Deadlines } from './deadlines.ts';
import { BufferPoolError } from './errors.ts';
import { BufferExhaustedError } from './exhausted-error.ts';
import {
  type BufferPoolContext,
  type BufferPoolOptions,
  type ResolvedBufferPoolOptions,
  resolveBufferPoolOptions,
} from './options.ts';
import { Ownership } from './ownership.ts';
import { PoolMemory } from './pool-memory.ts';
import { DEFAULT_METRICS_GROUP, PoolMetrics } from './pool-metrics.ts';
import type { BufferPoolStats } from './pool-stats.ts';
import { Waiter } from './waiter.ts';
import { WaiterQueue } from './waiter-queue.ts';

/** How long an allocation waits unless told otherwise, in ms: `max.block.ms` of Kafka's producer. */
export const DEFAULT_MAX_BLOCK_MS = 60_000;

/** How one allocation waits. */
export interface AllocateOptions {
  /**
   * The longest wait in ms: 0 or less fails at once, `Infinity` waits for ever. Waking up for a part
   * of the memory does not extend it. Default {@link DEFAULT_MAX_BLOCK_MS}.
   */
  readonly maxBlockMs?: number | undefined;

  /** Ends the wait: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A bounded amount of buffer memory, handed out in the order of arrival to those who wait for it.
 *
 * The waiter at the head gathers what becomes free until it has enough, so that large requests are
 * not starved by small ones; whoever leaves without a buffer gives back what it gathered, and the
 * next is served from it at once. All accounts change synchronously within the call that causes the
 * change, before any promise continues. The algorithm is that of `BufferPool` in Apache Kafka's
 * producer; {@link BufferPoolOptions.semantics} says where the default differs.
 *
 * Buffers are reused and not wiped: what a former owner wrote may still be in them.
 */
export class BufferPool {
  readonly #options: ResolvedBufferPoolOptions;
  readonly #overtaking: boolean;
  readonly #clock: Clock;
  readonly #memory: PoolMemory;
  readonly #ownership: Ownership | undefined;
  readonly #metrics: PoolMetrics | undefined;
  readonly #queue = new WaiterQueue();
  readonly #deadlines: Deadlines;
  readonly #signals: AbortWatch;
  readonly #giveBack = (buffer: Buffer): void => this.deallocate(buffer);
  #closed = false;
  #waking = false;
  #wakeAgain = false;
  #createdBuffers = 0;
  #reusedBuffers = 0;
  #exhausted = 0;
  #refusedWaiters = 0;

  /** @throws {@link BufferPoolError} `LOGLOFT_POOL_INVALID_OPTIONS` */
  constructor(options: BufferPoolOptions, context: BufferPoolContext) {
    this.#options = resolveBufferPoolOptions(options);
    this.#overtaking = this.#options.semantics === 'kafka';
    this.#clock = context.clock;
    this.#memory = new PoolMemory(this.#options);
    this.#ownership = this.#options.semantics === 'strict' ? new Ownership() : undefined;
    this.#deadlines = new Deadlines(context.clock, (waiter, nowMs) => this.#expire(waiter, nowMs));
    this.#signals = new AbortWatch((waiter, reason) => this.#abort(waiter, reason));
    const { metrics, metricsGroup = DEFAULT_METRICS_GROUP } = context;
    this.#metrics =
      metrics === undefined
        ? undefined
        : new PoolMetrics(metrics, metricsGroup, () => this.stats());
  }

  /**
   * A buffer of `size` bytes (of at least that with `sizeClasses`), as soon as there is memory.
   *
   * @param size bytes, an integer in [0, `totalBytes`]
   * @returns a promise that rejects with the reason of the signal, with a {@link BufferExhaustedError},
   *   or with a {@link BufferPoolError}: `LOGLOFT_POOL_TOO_LARGE`, `…_INVALID_SIZE`, `…_CLOSED` (also
   *   when the pool is closed meanwhile), `…_TOO_MANY_WAITERS`, `…_CREATION_FAILED`,
   *   `…_INVALID_OPTIONS`
   */
  allocate(size: number, options: AllocateOptions = {}): Promise<Buffer> {
    try {
      const maxBlockMs = checkedBlockMs(options.maxBlockMs);
      options.signal?.throwIfAborted();
      const buffer = this.tryAllocate(size);
      if (buffer !== undefined) return Promise.resolve(buffer);
      if (maxBlockMs <= 0) throw this.#exhaustAtOnce(size, maxBlockMs);
      return this.#wait(size, maxBlockMs, options.signal);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * The same at once, or `undefined` when one would have to wait. Counts as nothing in the metrics.
   *
   * @throws {@link BufferPoolError} `LOGLOFT_POOL_TOO_LARGE`, `…_INVALID_SIZE`, `…_CLOSED`, `…_CREATION_FAILED`
   */
  tryAllocate(size: number): Buffer | undefined {
    this.#check(size);
    const waiting = this.#queue.length > 0;
    if (waiting && !this.#overtaking) return undefined;
    const capacity = this.#memory.capacityFor(size);
    const pooled = this.#memory.takePooled(capacity);
    if (pooled !== undefined) {
      this.#ownership?.markGranted(pooled);
      this.#reusedBuffers += 1;
      if (waiting) this.#wakeIfAvailable();
      return pooled;
    }
    if (this.#memory.availableBytes < capacity) return undefined;
    this.#memory.take(capacity);
    if (waiting) this.#wakeIfAvailable();
    return this.#create(capacity);
  }

  /**
   * Like {@link BufferPool.allocate}, as a lease that goes back by `using` or {@link BufferLease.release}.
   */
  async lease(size: number, options: AllocateOptions = {}): Promise<BufferLease> {
    return new BufferLease(await this.allocate(size, options), this.#giveBack);
  }

  /**
   * Takes a buffer back, also after {@link BufferPool.close}. `null` and `undefined` are ignored.
   *
   * @param size bytes that come back; the length of the buffer by default. With `kafka` semantics it
   *   is believed, whatever it is; with `strict` it must be the length.
   * @throws {@link BufferPoolError} with `strict` semantics, before anything changes:
   *   `LOGLOFT_POOL_DOUBLE_RELEASE`, `…_FOREIGN_BUFFER`, `…_SIZE_MISMATCH`
   */
  deallocate(buffer: Buffer | null | undefined, size?: number): void {
    if (buffer === null || buffer === undefined) return;
    const ownership = this.#ownership;
    const bytes =
      ownership === undefined ? believed(buffer, size) : ownership.markReturned(buffer, size);
    this.#memory.giveBuffer(buffer, bytes);
    if (this.#queue.length > 0) this.#wake();
  }

  stats(): BufferPoolStats {
    const { totalBytes, poolableBytes } = this.#options;
    const { availableBytes, unallocatedBytes, freeBuffers } = this.#memory;
    const heldByWaitersBytes = this.#queue.head?.gatheredBytes ?? 0;
    return {
      totalBytes,
      poolableBytes,
      availableBytes,
      unallocatedBytes,
      freeBuffers,
      grantedBytes: totalBytes - availableBytes - heldByWaitersBytes,
      waiters: this.#queue.length,
      heldByWaitersBytes,
      closed: this.#closed,
      createdBuffers: this.#createdBuffers,
      reusedBuffers: this.#reusedBuffers,
      exhausted: this.#exhausted,
      refusedWaiters: this.#refusedWaiters,
    };
  }

  /**
   * Rejects all who wait, in their order, and all who come from now on, with `LOGLOFT_POOL_CLOSED`.
   * Buffers that are out may, and should, still be returned. Calls after the first have no effect.
   */
  close(): Promise<void> {
    this.#closed = true;
    const nowMs = this.#clock.monotonic();
    for (let waiter = this.#queue.head; waiter !== undefined; waiter = this.#queue.head) {
      this.#recordWait(waiter, nowMs);
      this.#leave(waiter);
      waiter.reject(closedError());
    }
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #check(size: number): void {
    const { totalBytes } = this.#options;
    if (size > totalBytes) {
      throw new BufferPoolError(
        'too-large',
        `${size} bytes were asked of a pool of ${totalBytes} bytes, which can never hold them. ` +
          'Ask for less, or raise totalBytes.',
      );
    }
    if (this.#closed) throw closedError();
    if (!Number.isInteger(size) || size < 0) {
      throw new BufferPoolError(
        'invalid-size',
        `The size of a buffer must be an integer in [0, ${totalBytes}]; got ${String(size)}.`,
      );
    }
  }

  #wait(size: number, maxBlockMs: number, signal: AbortSignal | undefined): Promise<Buffer> {
    const { maxWaiters } = this.#options;
    if (this.#queue.length >= maxWaiters) {
      this.#refusedWaiters += 1;
      throw new BufferPoolError(
        'too-many-waiters',
        `${maxWaiters} allocations are waiting already, which is maxWaiters. ` +
          'Slow down whoever allocates, or raise it.',
      );
    }
    return new Promise<Buffer>((resolve, reject) => {
      const request = {
        requestedBytes: size,
        capacityBytes: this.#memory.capacityFor(size),
        maxBlockMs,
        nowMs: this.#clock.monotonic(),
        signal,
      };
      const waiter = new Waiter(request, resolve, reject);
      this.#queue.append(waiter);
      this.#deadlines.add(waiter);
      this.#signals.add(waiter);
    });
  }

  /** What waiting for no time at all comes to: in the queue for an instant, with all that leaving it means. */
  #exhaustAtOnce(size: number, maxBlockMs: number): BufferExhaustedError {
    this.#metrics?.recordWait(0);
    const error = this.#exhaustedError(size, maxBlockMs, this.#queue.length + 1);
    this.#wakeIfAvailable();
    return error;
  }

  #expire(waiter: Waiter, nowMs: number): void {
    this.#recordWait(waiter, nowMs);
    const { requestedBytes, maxBlockMs } = waiter;
    const error = this.#exhaustedError(requestedBytes, maxBlockMs, this.#queue.length);
    this.#leave(waiter);
    waiter.reject(error);
    this.#wakeIfAvailable();
  }

  #exhaustedError(
    requestedBytes: number,
    maxBlockMs: number,
    waiters: number,
  ): BufferExhaustedError {
    this.#exhausted += 1;
    this.#metrics?.recordExhausted();
    const { totalBytes, poolableBytes } = this.#options;
    const { availableBytes } = this.#memory;
    return new BufferExhaustedError({
      requestedBytes,
      maxBlockMs,
      totalBytes,
      availableBytes,
      poolableBytes,
      waiters,
    });
  }

  #abort(waiter: Waiter, reason: unknown): void {
    this.#recordWait(waiter, this.#clock.monotonic());
    this.#leave(waiter);
    waiter.reject(reason);
    this.#wakeIfAvailable();
  }

  /** Takes a waiter out of the queue, and what it gathered back. */
  #leave(waiter: Waiter): void {
    this.#queue.remove(waiter);
    this.#deadlines.remove(waiter);
    this.#signals.remove(waiter);
    this.#memory.giveBytes(waiter.gatheredBytes);
    waiter.gatheredBytes = 0;
  }

  #recordWait(waiter: Waiter, nowMs: number): void {
    this.#metrics?.recordWait(nowMs - waiter.waitingSinceMs);
    waiter.waitingSinceMs = nowMs;
  }

  #wakeIfAvailable(): void {
    if (this.#queue.length > 0 && this.#memory.availableBytes > 0) this.#wake();
  }

  /**
   * Lets the head take what it can, then the next, until one remains short. A `createBuffer` that
   * calls back into the pool only has the loop go round once more, so that nobody is settled before
   * one who arrived earlier.
   */
  #wake(): void {
    this.#wakeAgain = true;
    if (this.#waking) return;
    this.#waking = true;
    try {
      while (this.#wakeAgain) {
        this.#wakeAgain = false;
        let head = this.#queue.head;
        while (head !== undefined && this.#serve(head)) head = this.#queue.head;
      }
    } finally {
      this.#waking = false;
    }
  }

  /** One wake-up of the head. Returns whether the next one is to be woken. */
  #serve(waiter: Waiter): boolean {
    this.#recordWait(waiter, this.#clock.monotonic());
    const { capacityBytes } = waiter;
    // One that has gathered a part breaks free buffers up rather than giving the part back for one.
    const pooled = waiter.gatheredBytes === 0 ? this.#memory.takePooled(capacityBytes) : undefined;
    if (pooled === undefined) {
      waiter.gatheredBytes += this.#memory.take(capacityBytes - waiter.gatheredBytes);
      if (waiter.gatheredBytes < capacityBytes) return false;
    }
    waiter.gatheredBytes = 0;
    this.#leave(waiter);
    if (pooled !== undefined) {
      this.#ownership?.markGranted(pooled);
      this.#reusedBuffers += 1;
      waiter.resolve(pooled);
      return this.#memory.availableBytes > 0;
    }
    try {
      waiter.resolve(this.#create(capacityBytes));
    } catch (error) {
      waiter.reject(error);
    }
    return this.#memory.availableBytes > 0;
  }

  /** Makes a buffer for bytes that were taken. When that fails, gives them back, and wakes the head. */
  #create(capacity: number): Buffer {
    try {
      const buffer = this.#options.createBuffer(capacity);
      if (!Buffer.isBuffer(buffer) || buffer.length !== capacity) {
        throw new TypeError(`createBuffer(${capacity}) did not return a Buffer of that length`);
      }
      this.#ownership?.adopt(buffer);
      this.#createdBuffers += 1;
      return buffer;
    } catch (cause) {
      this.#memory.giveBytes(capacity);
      if (this.#queue.length > 0) this.#wake();
      throw new BufferPoolError(
        'creation-failed',
        `A buffer of ${capacity} bytes could not be created; its memory is back in the pool.`,
        { cause },
      );
    }
  }
}

function closedError(): BufferPoolError {
  return new BufferPoolError('closed', 'The pool is closed. Allocate before closing it.');
}

/** What Kafka's pool does: it takes the caller's word. Only what is no number of bytes is refused. */
function believed(buffer: Buffer, size: number = buffer.length): number {
  if (Number.isSafeInteger(size)) return size;
  throw new BufferPoolError(
    'invalid-size',
    `A buffer was released as ${String(size)} bytes; that must be an integer.`,
  );
}

function checkedBlockMs(maxBlockMs: number = DEFAULT_MAX_BLOCK_MS): number {
  if (typeof maxBlockMs !== 'number' || Number.isNaN(maxBlockMs)) {
    throw new BufferPoolError(
      'invalid-options',
      `maxBlockMs must be a number of ms; got ${String(maxBlockMs)} (${typeof maxBlockMs}).`,
    );
  }
  // Kafka says "for ever" with the largest long; such a deadline needs no timer.
  return maxBlockMs > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : maxBlockMs;
}
