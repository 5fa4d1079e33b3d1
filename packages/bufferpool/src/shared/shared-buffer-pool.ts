import { isMainThread } from 'node:worker_threads';
import type { Clock } from '@logloft/clock';
import { AbortWatch } from '../abort-watch.ts';
import { type AllocateOptions, checkedBlockMs } from '../allocate-options.ts';
import { BufferLease } from '../buffer-lease.ts';
import { Deadlines } from '../deadlines.ts';
import { BufferPoolError } from '../errors.ts';
import { BufferExhaustedError } from '../exhausted-error.ts';
import { DEFAULT_METRICS_GROUP, PoolMetrics } from '../pool-metrics.ts';
import { checkSize, closedError, tooManyWaitersError } from '../refusals.ts';
import { WaiterQueue } from '../waiter-queue.ts';
import { always, BUSY, LockGate } from './lock-gate.ts';
import { MailboxWatch } from './mailbox-watch.ts';
import { PageBuffers } from './page-buffers.ts';
import { SharedCore } from './shared-core.ts';
import { NO_SLOT, SharedLayout } from './shared-layout.ts';
import {
  resolveShape,
  type SharedBufferPoolContext,
  type SharedBufferPoolOptions,
} from './shared-options.ts';
import type { SharedBufferPoolStats } from './shared-stats.ts';
import { SharedWaiter, type SharedWaiterRequest } from './shared-waiter.ts';
import { SlotSleeper } from './slot-sleeper.ts';
import { SLOT_STATE } from './ticket-queue.ts';

/** A place at a shared pool for one thread, and only one. Hand it over in `workerData` or by `postMessage`. */
export interface SharedPoolSeat {
  readonly memory: SharedArrayBuffer;
  /** Who holds what is known by this id; {@link SharedBufferPool.reclaim} takes it. */
  readonly ownerId: number;
}

/**
 * A bounded amount of memory in one `SharedArrayBuffer`, from which several threads draw, each served
 * in the order of arrival over all threads.
 *
 * Memory is given in whole pages of `poolableBytes`, one row of pages a buffer. While anybody waits,
 * whatever becomes free is kept for the one who waits longest, so a large request is served at the
 * latest when the others have returned theirs. A buffer is returned by the thread that allocated it;
 * what a thread held that died is taken back by {@link SharedBufferPool.reclaim}.
 *
 * Buffers are reused and not wiped: what a former owner wrote may still be in them, and since memory is
 * shared, one that is used after its release spoils the work of another thread.
 */
export class SharedBufferPool {
  /** The id of this thread at the pool. */
  readonly ownerId: number;
  readonly #isMaker: boolean;
  readonly #layout: SharedLayout;
  readonly #core: SharedCore;
  readonly #gate: LockGate;
  readonly #clock: Clock;
  readonly #buffers: PageBuffers;
  readonly #metrics: PoolMetrics | undefined;
  readonly #waiters = new WaiterQueue<SharedWaiter>();
  readonly #deadlines: Deadlines<SharedWaiter>;
  readonly #signals: AbortWatch<SharedWaiter>;
  readonly #mailbox: MailboxWatch;
  readonly #sleeper: SlotSleeper;
  readonly #giveBack = (buffer: Buffer): void => this.deallocate(buffer);
  #hasLeft = false;

  /** Makes a pool, whose maker this thread is. @throws {@link BufferPoolError} `LOGLOFT_POOL_INVALID_OPTIONS` */
  static create(
    options: SharedBufferPoolOptions,
    context: SharedBufferPoolContext,
  ): SharedBufferPool {
    const layout = SharedLayout.create(resolveShape(options));
    return new SharedBufferPool(layout, new SharedCore(layout).seat(), true, context);
  }

  /**
   * Takes a seat that {@link SharedBufferPool.seat} made, usually in another thread.
   *
   * @throws {@link BufferPoolError} `LOGLOFT_POOL_INVALID_OPTIONS` when it is none, or was given up
   */
  static join(seat: SharedPoolSeat, context: SharedBufferPoolContext): SharedBufferPool {
    const layout = SharedLayout.open(seat.memory);
    if (!new SharedCore(layout).isSeated(seat.ownerId)) {
      throw new BufferPoolError(
        'invalid-options',
        `The seat of owner ${seat.ownerId} was given up or reclaimed. Make a new one for each thread.`,
      );
    }
    return new SharedBufferPool(layout, seat.ownerId, false, context);
  }

  private constructor(
    layout: SharedLayout,
    ownerId: number,
    isMaker: boolean,
    context: SharedBufferPoolContext,
  ) {
    this.#layout = layout;
    this.ownerId = ownerId;
    this.#isMaker = isMaker;
    this.#core = new SharedCore(layout);
    this.#gate = new LockGate(layout, ownerId);
    this.#clock = context.clock;
    this.#sleeper = new SlotSleeper(this.#core, this.#gate, context.clock);
    this.#buffers = new PageBuffers(layout);
    this.#deadlines = new Deadlines(context.clock, (waiter) =>
      this.#withdraw(waiter, () => this.#exhaustedError(waiter.requestedBytes, waiter.maxBlockMs)),
    );
    this.#signals = new AbortWatch((waiter, reason) => this.#withdraw(waiter, () => reason));
    const seatIndex = ownerId % layout.shape.maxThreads;
    this.#mailbox = new MailboxWatch(layout.mailboxes, seatIndex, () => this.#collect());
    const { metrics, metricsGroup = DEFAULT_METRICS_GROUP } = context;
    this.#metrics =
      metrics === undefined
        ? undefined
        : new PoolMetrics(metrics, metricsGroup, {
            totalBytes: () => this.#totalBytes,
            availableBytes: () => this.#availableBytes,
            waiters: () => this.waiters,
          });
  }

  /** Allocations that wait now, over all threads. */
  get waiters(): number {
    return this.#core.queue.length;
  }

  /**
   * A place for one more thread. Make it before the thread starts, so that its id is known however
   * the thread ends.
   *
   * @throws {@link BufferPoolError} `LOGLOFT_POOL_NO_SEAT` when `maxThreads` take part already
   */
  seat(): SharedPoolSeat {
    const ownerId = this.#gate.tryInside(() => this.#core.seat(), 1000);
    if (ownerId !== BUSY && ownerId !== 0) return { memory: this.#layout.memory, ownerId };
    throw new BufferPoolError(
      'no-seat',
      `${this.#layout.shape.maxThreads} threads take part already, which is maxThreads. Close the ` +
        'pool in those that are done, reclaim those that died, or raise it.',
    );
  }

  /**
   * A buffer of `size` bytes over shared memory, as soon as there are enough free pages in a row and
   * all who came before were served. Keeps the thread alive meanwhile.
   *
   * @param size bytes, an integer in [0, `totalBytes`]
   * @returns a promise that rejects with the reason of the signal, with a {@link BufferExhaustedError},
   *   or with a {@link BufferPoolError}: `LOGLOFT_POOL_TOO_LARGE`, `…_INVALID_SIZE`, `…_CLOSED` (also
   *   when the pool is closed meanwhile), `…_TOO_MANY_WAITERS`, `…_INVALID_OPTIONS`
   */
  async allocate(size: number, options: AllocateOptions = {}): Promise<Buffer> {
    const maxBlockMs = checkedBlockMs(options.maxBlockMs);
    const { signal } = options;
    signal?.throwIfAborted();
    checkSize(size, this.#totalBytes, this.#isClosed);
    const startedMs = this.#clock.monotonic();
    const isWorthIt = (): boolean =>
      signal?.aborted !== true && this.#clock.monotonic() - startedMs < maxBlockMs;
    const attempt = (): Attempt => {
      signal?.throwIfAborted();
      const placed = this.#place(size, maxBlockMs, false);
      if (placed.first >= 0) return { buffer: this.#buffers.grant(placed.first, size) };
      // Still inside the lock, so that the waiters of this thread are in the order of their tickets.
      const request = { slot: placed.slot, requestedBytes: size, maxBlockMs, signal };
      return { wait: this.#wait({ ...request, nowMs: startedMs }) };
    };
    let result = this.#gate.tryInside(attempt);
    if (result === BUSY) result = await this.#gate.inside(attempt, isWorthIt);
    if (result !== BUSY) return result.buffer ?? result.wait;
    signal?.throwIfAborted();
    throw this.#exhaustedError(size, maxBlockMs);
  }

  /**
   * The same at once, or `undefined` when one would have to wait.
   *
   * @throws {@link BufferPoolError} `LOGLOFT_POOL_TOO_LARGE`, `…_INVALID_SIZE`, `…_CLOSED`
   */
  tryAllocate(size: number): Buffer | undefined {
    checkSize(size, this.#totalBytes, this.#isClosed);
    const pages = this.#buffers.pagesFor(size);
    const first = this.#gate.tryInside(() => this.#core.take(this.ownerId, pages));
    return first === BUSY || first < 0 ? undefined : this.#buffers.grant(first, size);
  }

  /**
   * The same as {@link SharedBufferPool.allocate}, but the thread sleeps until it has the buffer. It
   * serves nothing else meanwhile, not even its own waiting allocations. Only in worker threads.
   *
   * @throws as `allocate` rejects, and {@link BufferPoolError} `LOGLOFT_POOL_WOULD_BLOCK` on the main thread
   */
  allocateSync(size: number, options: Pick<AllocateOptions, 'maxBlockMs'> = {}): Buffer {
    const maxBlockMs = checkedBlockMs(options.maxBlockMs);
    if (isMainThread) {
      throw new BufferPoolError(
        'would-block',
        'allocateSync puts the thread to sleep, and the main thread must not. Use allocate there.',
      );
    }
    checkSize(size, this.#totalBytes, this.#isClosed);
    const startedMs = this.#clock.monotonic();
    const placed = this.#gate.tryInside(() => this.#place(size, maxBlockMs, true), maxBlockMs);
    if (placed === BUSY) throw this.#exhaustedError(size, maxBlockMs);
    if (placed.first >= 0) return this.#buffers.grant(placed.first, size);
    const first = this.#sleeper.sleepUntilServed(placed.slot, startedMs + maxBlockMs);
    this.#metrics?.recordWait(this.#clock.monotonic() - startedMs);
    if (first === undefined) throw this.#exhaustedError(size, maxBlockMs);
    return this.#buffers.grant(first, size);
  }

  /** Like {@link SharedBufferPool.allocate}, as a lease that goes back by `using` or {@link BufferLease.release}. */
  async lease(size: number, options: AllocateOptions = {}): Promise<BufferLease> {
    return new BufferLease(await this.allocate(size, options), this.#giveBack);
  }

  /**
   * Takes a buffer back that this thread allocated, also after {@link SharedBufferPool.close}. `null`
   * and `undefined` are ignored.
   *
   * @param size must be the length of the buffer, which is the default
   * @throws {@link BufferPoolError} before anything changes: `LOGLOFT_POOL_DOUBLE_RELEASE`,
   *   `…_FOREIGN_BUFFER`, `…_SIZE_MISMATCH`
   */
  deallocate(buffer: Buffer | null | undefined, size?: number): void {
    if (buffer === null || buffer === undefined) return;
    const first = this.#buffers.takeBack(buffer, size);
    const pages = this.#buffers.pagesFor(buffer.length);
    this.#gate.run(() => {
      this.#core.give(this.ownerId, first, pages);
      if (this.#hasLeft) this.#core.leaveSeat(this.ownerId);
    });
    this.#collect();
  }

  /**
   * Takes back everything that an owner holds or waits for whose thread has ended, whether by itself,
   * by an error or by `terminate()`. Call it when the worker's `exit` event has come, and never before:
   * its memory is given to others at once.
   *
   * @returns the bytes that came back, in whole pages
   * @throws {@link BufferPoolError} `LOGLOFT_POOL_INVALID_OPTIONS` for the caller's own id (by rejection)
   */
  async reclaim(ownerId: number): Promise<number> {
    if (ownerId === this.ownerId) {
      throw new BufferPoolError(
        'invalid-options',
        'A thread cannot reclaim its own memory: it is alive. Deallocate, and close the pool.',
      );
    }
    const action = (): number => this.#core.reclaim(ownerId);
    let pages = this.#gate.tryInsteadOf(ownerId, action);
    if (pages === BUSY) pages = await this.#gate.inside(action, always);
    this.#collect();
    return pages === BUSY ? 0 : pages * this.#layout.shape.pageBytes;
  }

  /** The pool at this moment, over all threads. */
  stats(): SharedBufferPoolStats {
    const stats = this.#gate.tryInside(() => this.#read());
    // While somebody stays inside, the figures may be in the middle of a change.
    return stats === BUSY ? this.#read() : stats;
  }

  /**
   * On the thread that made the pool: rejects all who wait on any thread, and all who come from now
   * on, with `LOGLOFT_POOL_CLOSED`. On others: does so for this thread alone, and gives its seat up once
   * all it holds has come back. Buffers that are out may, and should, still be returned. Calls after the
   * first have no effect.
   */
  async close(): Promise<void> {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#gate.alive.end();
    if (this.#isMaker) {
      await this.#gate.inside(() => this.#core.close(), always);
      this.#collect();
      return;
    }
    for (let waiter = this.#waiters.head; waiter !== undefined; waiter = this.#waiters.head) {
      this.#withdraw(waiter, closedError);
    }
    await this.#gate.inside(() => this.#core.leaveSeat(this.ownerId), always);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #totalBytes(): number {
    return this.#layout.shape.pages * this.#layout.shape.pageBytes;
  }

  get #availableBytes(): number {
    return this.#core.pages.freePages * this.#layout.shape.pageBytes;
  }

  get #isClosed(): boolean {
    return this.#hasLeft || this.#core.isClosed;
  }

  /** Inside the lock: pages now, or a place in the queue. */
  #place(size: number, maxBlockMs: number, sleeps: boolean): Placed {
    if (this.#isClosed) throw closedError();
    const pages = this.#buffers.pagesFor(size);
    const first = this.#core.take(this.ownerId, pages);
    if (first >= 0) return { first, slot: NO_SLOT };
    if (maxBlockMs <= 0) {
      this.#metrics?.recordWait(0);
      throw this.#exhaustedError(size, maxBlockMs);
    }
    const slot = this.#core.queue.append(this.ownerId, pages, sleeps);
    if (slot === NO_SLOT) throw tooManyWaitersError(this.#layout.shape.maxWaiters);
    return { first, slot };
  }

  #wait(request: SharedWaiterRequest): Promise<Buffer> {
    return new Promise<Buffer>((resolve, reject) => {
      const waiter = new SharedWaiter(request, resolve, reject);
      this.#waiters.append(waiter);
      this.#deadlines.add(waiter);
      this.#signals.add(waiter);
      this.#gate.alive.hold();
      this.#mailbox.start();
    });
  }

  /** Settles the waiters of this thread that were served or refused. Returns whether any still waits. */
  #collect(): boolean {
    for (let waiter = this.#waiters.head; waiter !== undefined; waiter = this.#waiters.head) {
      const { queue } = this.#core;
      const state = queue.stateOf(waiter.slot);
      if (state !== SLOT_STATE.granted && state !== SLOT_STATE.refused) return true;
      const first = queue.firstPageOf(waiter.slot);
      queue.vacate(waiter.slot);
      this.#leave(waiter);
      if (state === SLOT_STATE.refused) waiter.reject(closedError());
      else waiter.resolve(this.#buffers.grant(first, waiter.requestedBytes));
    }
    return false;
  }

  /** Ends a wait early, unless it was served meanwhile: then the grant counts. */
  #withdraw(waiter: SharedWaiter, reason: () => unknown): void {
    this.#leave(waiter);
    this.#gate.run(() => {
      const first = this.#core.cancel(waiter.slot);
      if (first >= 0) waiter.resolve(this.#buffers.grant(first, waiter.requestedBytes));
      else waiter.reject(reason());
    });
  }

  #leave(waiter: SharedWaiter): void {
    this.#waiters.remove(waiter);
    this.#deadlines.remove(waiter);
    this.#signals.remove(waiter);
    this.#gate.alive.release();
    this.#metrics?.recordWait(this.#clock.monotonic() - waiter.startedMs);
  }

  #exhaustedError(requestedBytes: number, maxBlockMs: number): BufferExhaustedError {
    this.#metrics?.recordExhausted();
    return new BufferExhaustedError({
      requestedBytes,
      maxBlockMs,
      totalBytes: this.#totalBytes,
      availableBytes: this.#availableBytes,
      poolableBytes: this.#layout.shape.pageBytes,
      waiters: this.waiters,
    });
  }

  #read(): SharedBufferPoolStats {
    const { pageBytes } = this.#layout.shape;
    const held = this.#core.pages.held();
    return {
      totalBytes: this.#totalBytes,
      poolableBytes: pageBytes,
      availableBytes: this.#availableBytes,
      grantedBytes: held.reduce((sum, { pages }) => sum + pages, 0) * pageBytes,
      largestFreeBytes: this.#core.pages.longestRow() * pageBytes,
      waiters: this.waiters,
      closed: this.#isClosed,
      holders: held.map(({ ownerId, pages }) => ({ ownerId, heldBytes: pages * pageBytes })),
    };
  }
}

/** Where an allocation stands: it has its pages, or a slot in the queue. */
interface Placed {
  /** The first page, or -1. */
  readonly first: number;
  readonly slot: number;
}

/** What an asynchronous allocation came to: its buffer, or the wait for it. */
type Attempt =
  | { readonly buffer: Buffer; readonly wait?: never }
  | { readonly buffer?: never; readonly wait: Promise<Buffer> };
