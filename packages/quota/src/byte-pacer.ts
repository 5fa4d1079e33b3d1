import { type Clock, MAX_TIMER_MS, type Timer } from '@logloft/clock';
import { ByteLimit } from './byte-limit.ts';
import { QuotaClosedError, QuotaQueueFullError } from './errors.ts';
import { boundOf, DEFAULT_MAX_WAITERS, integerFrom } from './options.ts';
import { WaiterQueue } from './waiter-queue.ts';

/**
 * How far behind its schedule the flow may be and still catch up, and how long the greatest slice
 * lasts that keeps the promise of {@link BytePacer}. Together they are the 10 % over the limit in
 * 100 ms; timers of 1 ms granularity and a short block of the event loop fit in.
 */
const CATCH_UP_MS = 5;
const SLICE_MS = 5;

/** How a {@link BytePacer} is made. */
export interface BytePacerOptions {
  readonly clock: Clock;
  /** Bytes per second. Default: unlimited. */
  readonly limit?: ByteLimit | number | undefined;
  /** How many callers may wait at most. Default 10,000. */
  readonly maxWaiters?: number | undefined;
}

/**
 * Lets bytes flow evenly at a bound: the pacing hook of remote storage calls.
 *
 * While nobody takes more than {@link BytePacer.sliceBytes} at a time, no 100 ms see more than 110 %
 * of the limit, whoever shares the pacer. A greater piece passes whole, and what follows waits until
 * it is paid for. Time in which nothing flows is not saved up.
 */
export class BytePacer implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #maxWaiters: number;
  readonly #queue = new WaiterQueue<void>();
  #bound = 0;
  // Bytes that passed and are not yet covered by the time since; below 0 when behind schedule.
  #debtBytes = 0;
  #paidAtMs = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  /** @throws InvalidQuotaOptionError when an option is out of range */
  constructor(options: BytePacerOptions) {
    this.#clock = options.clock;
    this.#bound = boundOf(options.limit ?? Number.POSITIVE_INFINITY);
    this.#maxWaiters = integerFrom(0, 'maxWaiters', options.maxWaiters ?? DEFAULT_MAX_WAITERS);
    this.#paidAtMs = options.clock.monotonic();
  }

  /** The bound, in bytes per second; 2^63 when unlimited. */
  get limit(): number {
    return this.#bound;
  }

  /** The greatest number of bytes to take at a time for an even flow at the present limit; from 1. */
  get sliceBytes(): number {
    const bytes = Math.floor((this.#bound * SLICE_MS) / 1000);
    return Math.min(Math.max(bytes, 1), Number.MAX_SAFE_INTEGER);
  }

  /** How many callers wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Resolves when `bytes` more may flow, in the order of the calls.
   *
   * @param bytes an integer from 0; 0 never waits
   * @throws InvalidQuotaOptionError when `bytes` is no such number
   * @throws QuotaQueueFullError when as many wait as may
   * @throws QuotaClosedError after `close`, also while waiting
   * @throws the reason of `signal` when it aborts first; nothing is then taken
   */
  async take(
    bytes: number,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    const { signal } = options;
    signal?.throwIfAborted();
    integerFrom(0, 'bytes', bytes);
    if (this.#isClosed) throw new QuotaClosedError();
    if (bytes === 0) return;
    this.#payDebt();
    if (this.#queue.size === 0 && this.#mayPass()) {
      this.#debtBytes += bytes;
      return;
    }
    if (this.#queue.size >= this.#maxWaiters) throw new QuotaQueueFullError(this.#maxWaiters);
    const granted = this.#queue.join(bytes, signal, () => this.#setTimer());
    if (this.#timer === undefined) this.#setTimer();
    await granted;
  }

  /**
   * Changes the limit at once, for those who wait too. What has passed already is still paid for,
   * at the new rate.
   *
   * @throws InvalidQuotaOptionError when the limit is negative or NaN
   */
  updateLimit(limit: ByteLimit | number): void {
    const bound = boundOf(limit);
    this.#payDebt();
    this.#bound = bound;
    this.#payDebt();
    this.#admitWaiting();
  }

  /** Rejects those who wait. May be called again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#queue.failAll(() => new QuotaClosedError());
    this.#setTimer();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #mayPass(): boolean {
    return this.#debtBytes <= 0 || this.#bound === ByteLimit.unlimited.bytesPerSecond;
  }

  #payDebt(): void {
    const nowMs = this.#clock.monotonic();
    const paid = this.#debtBytes - (this.#bound * (nowMs - this.#paidAtMs)) / 1000;
    const mostCredit = (this.#bound * CATCH_UP_MS) / 1000;
    this.#debtBytes = Math.max(paid, -mostCredit);
    this.#paidAtMs = nowMs;
  }

  #admitWaiting(): void {
    this.#payDebt();
    for (let bytes = this.#queue.headBytes; bytes !== undefined; bytes = this.#queue.headBytes) {
      if (!this.#mayPass()) break;
      this.#debtBytes += bytes;
      this.#queue.grantHead();
    }
    this.#setTimer();
  }

  #setTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    // At 0 bytes per second nothing but a new limit can end the waiting.
    if (this.#queue.size === 0 || this.#bound === 0) return;
    const ms = Math.ceil((this.#debtBytes / this.#bound) * 1000);
    this.#timer = this.#clock.setTimer(Math.min(Math.max(ms, 1), MAX_TIMER_MS), () => {
      this.#timer = undefined;
      this.#admitWaiting();
    });
  }
}
