import type { Clock } from '@logloft/clock';
import { AdmissionNode } from './admission-node.ts';
import type { ByteLimit } from './byte-limit.ts';
import { QuotaClosedError } from './errors.ts';
import {
  boundOf,
  checkedTimeout,
  DEFAULT_MAX_WAITERS,
  integerFrom,
  numberFrom,
} from './options.ts';
import { PaceGate } from './pace-gate.ts';
import type { PacingHook } from './pacing-hook.ts';
import type { ShareOptions } from './share.ts';
import type { WaitOptions } from './waiter-queue.ts';

/**
 * How far behind its schedule the flow may be and still catch up, and how long the greatest slice
 * lasts that keeps the promise of {@link BytePacer}. Together they are the 10 % over the limit in
 * 100 ms; timers of 1 ms granularity and a short block of the event loop fit in.
 */
const CATCH_UP_MS = 5;
const SLICE_MS = 5;

/** What a child of a {@link BytePacer} is made with. */
export interface ChildPacerOptions extends ShareOptions {
  /** Bytes per second. Default: unlimited. */
  readonly limit?: ByteLimit | number | undefined;
  /** How many callers may wait at most. Default 10,000. */
  readonly maxWaiters?: number | undefined;
  /**
   * Ms of the limit that may pass at once: at the start, and after as long a pause. A number from 0.
   * Default: nothing at the start and 5 after a pause, which is the most with which the promise of
   * an even flow holds.
   */
  readonly burstMs?: number | undefined;
}

/** How a {@link BytePacer} is made. */
export interface BytePacerOptions extends ChildPacerOptions {
  readonly clock: Clock;
  /** The pacer of whose bytes these are a part, with the same clock. Default: none. */
  readonly parent?: BytePacer | undefined;
}

/**
 * Lets bytes flow evenly at a bound: the pacing hook of remote storage calls.
 *
 * While nobody takes more than {@link BytePacer.sliceBytes} at a time, no 100 ms see more than 110 %
 * of the limit, whoever shares the pacer. A greater piece passes whole, and what follows waits until
 * it is paid for. Time in which nothing flows is not saved up.
 *
 * Children keep the limit of their parent together, and share it by priority and weight.
 */
export class BytePacer implements PacingHook, AsyncDisposable {
  readonly #clock: Clock;
  readonly #gate: PaceGate;
  readonly #node: AdmissionNode<void>;
  readonly #parent: BytePacer | undefined;
  readonly #children = new Set<BytePacer>();
  #isClosed = false;

  /**
   * @throws InvalidQuotaOptionError when an option is out of range
   * @throws QuotaClosedError when the parent is closed
   */
  constructor(options: BytePacerOptions) {
    const { clock, parent, burstMs } = options;
    if (parent?.isClosed === true) throw new QuotaClosedError();
    this.#clock = clock;
    this.#parent = parent;
    const bound = boundOf(options.limit ?? Number.POSITIVE_INFINITY);
    this.#gate = new PaceGate(clock, bound, numberFrom(0, 'burstMs', burstMs ?? CATCH_UP_MS));
    if (burstMs !== undefined) this.#gate.fill();
    this.#node = new AdmissionNode({
      clock,
      gate: this.#gate,
      makeGrant: () => undefined,
      maxWaiters: integerFrom(0, 'maxWaiters', options.maxWaiters ?? DEFAULT_MAX_WAITERS),
      parent: parent === undefined ? undefined : parent.#node,
      share: options,
    });
    if (parent !== undefined) parent.#children.add(this);
  }

  /** The bound, in bytes per second; 2^63 when unlimited. */
  get limit(): number {
    return this.#gate.bound;
  }

  /**
   * The greatest number of bytes to take at a time for an even flow at the present limit, its own or
   * that of an ancestor; from 1.
   */
  get sliceBytes(): number {
    const bytes = Math.floor((this.#gate.bound * SLICE_MS) / 1000);
    const own = Math.min(Math.max(bytes, 1), Number.MAX_SAFE_INTEGER);
    return this.#parent === undefined ? own : Math.min(own, this.#parent.sliceBytes);
  }

  /** How many callers wait, of its own and of its children. */
  get waiting(): number {
    return this.#node.waiting;
  }

  /** How many children it has that are not closed. */
  get children(): number {
    return this.#children.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * A pacer whose bytes count for this one too.
   *
   * @throws InvalidQuotaOptionError when an option is out of range
   * @throws QuotaClosedError after `close`
   */
  child(options: ChildPacerOptions = {}): BytePacer {
    return new BytePacer({ ...options, clock: this.#clock, parent: this });
  }

  /**
   * Resolves when `bytes` more may flow, in the order of the calls.
   *
   * @param bytes an integer from 0; 0 never waits
   * @throws InvalidQuotaOptionError when `bytes` or the time-out is no such number
   * @throws QuotaQueueFullError when as many wait as may
   * @throws QuotaTimeoutError when `timeoutMs` have passed; nothing is then taken
   * @throws QuotaClosedError after `close`, also while waiting
   * @throws the reason of `signal` when it aborts first; nothing is then taken
   */
  take(bytes: number, options: WaitOptions = {}): Promise<void> {
    // Not an async function: whoever is let through first must also go on first.
    try {
      options.signal?.throwIfAborted();
      integerFrom(0, 'bytes', bytes);
      checkedTimeout(options.timeoutMs);
      if (this.#isClosed) throw new QuotaClosedError();
      if (bytes === 0 || this.#node.tryPass(bytes)) return Promise.resolve();
      return this.#node.wait(bytes, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Changes the limit at once, for those who wait too. What has passed already is still paid for,
   * at the new rate.
   *
   * @throws InvalidQuotaOptionError when the limit is negative or NaN
   */
  updateLimit(limit: ByteLimit | number): void {
    this.#gate.setBound(boundOf(limit));
    this.#node.admitWaiting();
  }

  /** Rejects those who wait, and closes its children. May be called again. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
    const closing = [...this.#children].map((child) => child.close());
    this.#node.failAll(() => new QuotaClosedError());
    await Promise.all(closing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
