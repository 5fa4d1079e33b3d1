import type { Clock } from '@logloft/clock';
import { AbortWatch } from './abort-watch.ts';
import { type AllocateOptions, checkedBlockMs, type HolderOptions } from './allocate-options.ts';
import { BufferLease } from './buffer-lease.ts';
import { Deadlines } from './deadlines.ts';
import { BufferPoolError } from './errors.ts';
import { BufferExhaustedError } from './exhausted-error.ts';
import { type AllocationOrigin, HolderLedger, type UnreleasedReport } from './holder-ledger.ts';
import {
  type BufferPoolContext,
  type BufferPoolOptions,
  type ResolvedBufferPoolOptions,
  resolveBufferPoolOptions,
} from './options.ts';
import { believedBytes, Ownership } from './ownership.ts';
import { PoolMemory } from './pool-memory.ts';
import { DEFAULT_METRICS_GROUP, PoolMetrics } from './pool-metrics.ts';
import { type BufferPoolStats, checkedShare, type StatsOptions } from './pool-stats.ts';
import { checkSize, closedError, tooManyWaitersError } from './refusals.ts';
import { SizeHistogram, sizeHoldingShare } from './size-histogram.ts';
import { Waiter } from './waiter.ts';
import { WaiterQueue } from './waiter-queue.ts';

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
  readonly #holders: HolderLedger | undefined;
  readonly #onUnreleased: ((report: UnreleasedReport) => void) | undefined;
  readonly #requestedSizes = new SizeHistogram();
  readonly #queue = new WaiterQueue<Waiter>();
  readonly #deadlines: Deadlines<Waiter>;
  readonly #signals: AbortWatch<Waiter>;
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
    this.#holders = this.#options.diagnostics ? new HolderLedger() : undefined;
    this.#onUnreleased = context.onUnreleased;
    const { metrics, metricsGroup = DEFAULT_METRICS_GROUP } = context;
    this.#metrics =
      metrics === undefined
        ? undefined
        : new PoolMetrics(metrics, metricsGroup, {
            totalBytes: () => this.#options.totalBytes,
            availableBytes: () => this.#memory.availableBytes,
            waiters: () => this.#queue.length,
          });
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
      const origin = this.#holders?.trace(size, options.label, this.allocate);
      const buffer = this.#takeNow(size, origin);
      if (buffer !== undefined) return Promise.resolve(buffer);
      if (maxBlockMs <= 0) throw this.#exhaustAtOnce(size, maxBlockMs);
      return this.#wait(size, maxBlockMs, options.signal, origin);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * The same at once, or `undefined` when one would have to wait. Counts as nothing in the metrics.
   *
   * @throws {@link BufferPoolError} `LOGLOFT_POOL_TOO_LARGE`, `…_INVALID_SIZE`, `…_CLOSED`, `…_CREATION_FAILED`
   */
  tryAllocate(size: number, options?: HolderOptions): Buffer | undefined {
    return this.#takeNow(size, this.#holders?.trace(size, options?.label, this.tryAllocate));
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
      ownership === undefined ? believedBytes(buffer, size) : ownership.markReturned(buffer, size);
    this.#holders?.noteReturned(buffer);
    this.#memory.giveBuffer(buffer, bytes);
    if (this.#queue.length > 0) this.#wake();
  }

  /** Allocations that wait now; the same as in {@link BufferPool.stats}, at the cost of a field. */
  get waiters(): number {
    return this.#queue.length;
  }

  /**
   * The pool at this moment, and what was asked of it so far.
   *
   * @throws {@link BufferPoolError} `LOGLOFT_POOL_INVALID_OPTIONS`
   */
  stats(options: StatsOptions = {}): BufferPoolStats {
    const servedShare = checkedShare(options.servedShare);
    const requestedSizes = this.#requestedSizes.buckets();
    const granted = this.#createdBuffers + this.#reusedBuffers;
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
      waiters: this.waiters,
      heldByWaitersBytes,
      closed: this.#closed,
      createdBuffers: this.#createdBuffers,
      reusedBuffers: this.#reusedBuffers,
      exhausted: this.#exhausted,
      refusedWaiters: this.#refusedWaiters,
      reusedShare: granted === 0 ? 0 : this.#reusedBuffers / granted,
      requestedSizes,
      suggestedPoolableBytes: sizeHoldingShare(requestedSizes, servedShare),
    };
  }

  /**
   * Who holds what for how long: every buffer that is out, with the label and the stack of its
   * allocation. Also after {@link BufferPool.close}.
   *
   * @throws {@link BufferPoolError} `LOGLOFT_POOL_DIAGNOSTICS_OFF` without the option `diagnostics`
   */
  unreleased(): UnreleasedReport {
    if (this.#holders !== undefined) return this.#holders.report(this.#clock.monotonic());
    throw new BufferPoolError(
      'diagnostics-off',
      'A pool knows its holders only when it was made with diagnostics: true.',
    );
  }

  /**
   * Rejects all who wait, in their order, and all who come from now on, with `LOGLOFT_POOL_CLOSED`.
   * Buffers that are out may, and should, still be returned. Calls after the first have no effect.
   *
   * @returns a promise that rejects only with what `onUnreleased` throws
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const nowMs = this.#clock.monotonic();
    for (let waiter = this.#queue.head; waiter !== undefined; waiter = this.#queue.head) {
      this.#recordWait(waiter, nowMs);
      this.#leave(waiter);
      waiter.reject(closedError());
    }
    const report = this.#holders?.report(nowMs);
    if (report !== undefined && report.holders.length > 0) this.#onUnreleased?.(report);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #takeNow(size: number, origin: AllocationOrigin | undefined): Buffer | undefined {
    checkSize(size, this.#options.totalBytes, this.#closed);
    const waiting = this.#queue.length > 0;
    if (waiting && !this.#overtaking) return undefined;
    const sizeClass = this.#memory.classFor(size);
    const pooled = this.#memory.takePooled(sizeClass);
    if (pooled !== undefined) {
      this.#noteReused(pooled, origin);
      this.#requestedSizes.record(size);
      if (waiting) this.#wakeIfAvailable();
      return pooled;
    }
    const capacity = this.#memory.capacityOf(sizeClass, size);
    if (this.#memory.availableBytes < capacity) return undefined;
    this.#memory.take(capacity);
    this.#requestedSizes.record(size);
    if (waiting) this.#wakeIfAvailable();
    return this.#create(capacity, origin);
  }

  #wait(
    size: number,
    maxBlockMs: number,
    signal: AbortSignal | undefined,
    origin: AllocationOrigin | undefined,
  ): Promise<Buffer> {
    const { maxWaiters } = this.#options;
    if (this.#queue.length >= maxWaiters) {
      this.#refusedWaiters += 1;
      throw tooManyWaitersError(maxWaiters);
    }
    this.#requestedSizes.record(size);
    return new Promise<Buffer>((resolve, reject) => {
      const request = {
        requestedBytes: size,
        maxBlockMs,
        nowMs: this.#clock.monotonic(),
        signal,
        origin,
      };
      const waiter = new Waiter(request, resolve, reject);
      this.#queue.append(waiter);
      this.#deadlines.add(waiter);
      this.#signals.add(waiter);
    });
  }

  /** What waiting for no time at all comes to: in the queue for an instant, with all that leaving it means. */
  #exhaustAtOnce(size: number, maxBlockMs: number): BufferExhaustedError {
    this.#requestedSizes.record(size);
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
    const sizeClass = this.#memory.classFor(waiter.requestedBytes);
    const capacityBytes = this.#memory.capacityOf(sizeClass, waiter.requestedBytes);
    // One that has gathered a part breaks free buffers up rather than giving the part back for one.
    const pooled = waiter.gatheredBytes === 0 ? this.#memory.takePooled(sizeClass) : undefined;
    if (pooled === undefined) {
      waiter.gatheredBytes += this.#memory.take(capacityBytes - waiter.gatheredBytes);
      if (waiter.gatheredBytes < capacityBytes) return false;
    }
    waiter.gatheredBytes = 0;
    this.#leave(waiter);
    if (pooled !== undefined) {
      this.#noteReused(pooled, waiter.origin);
      waiter.resolve(pooled);
      return this.#memory.availableBytes > 0;
    }
    try {
      waiter.resolve(this.#create(capacityBytes, waiter.origin));
    } catch (error) {
      waiter.reject(error);
    }
    return this.#memory.availableBytes > 0;
  }

  #noteReused(buffer: Buffer, origin: AllocationOrigin | undefined): void {
    this.#ownership?.markGranted(buffer);
    this.#reusedBuffers += 1;
    if (origin !== undefined) this.#noteHolder(buffer, origin);
  }

  #noteHolder(buffer: Buffer, origin: AllocationOrigin): void {
    this.#holders?.noteGranted(buffer, origin, this.#clock.monotonic());
  }

  /** Makes a buffer for bytes that were taken. When that fails, gives them back, and wakes the head. */
  #create(capacity: number, origin: AllocationOrigin | undefined): Buffer {
    try {
      const buffer = this.#options.createBuffer(capacity);
      if (!Buffer.isBuffer(buffer) || buffer.length !== capacity) {
        throw new TypeError(`createBuffer(${capacity}) did not return a Buffer of that length`);
      }
      this.#ownership?.adopt(buffer);
      this.#createdBuffers += 1;
      if (origin !== undefined) this.#noteHolder(buffer, origin);
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
