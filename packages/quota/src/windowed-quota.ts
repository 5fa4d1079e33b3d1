import type { Clock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { AdmissionNode } from './admission-node.ts';
import type { ByteLimit } from './byte-limit.ts';
import { QuotaClosedError } from './errors.ts';
import type { ExpiredHold, Hold } from './hold.ts';
import { HoldDeadlines } from './hold-deadlines.ts';
import { boundOf, checkedTimeout, DEFAULT_MAX_WAITERS, integerFrom } from './options.ts';
import type { QuotaName } from './quota-name.ts';
import { QuotaWindow, type WindowDisplay } from './quota-window.ts';
import { Reservation, type ReservationOwner } from './reservation.ts';
import type { ShareOptions } from './share.ts';
import type { WaitOptions } from './waiter-queue.ts';

/** What becomes of reservations that nobody ends. */
export interface HoldOptions {
  /**
   * Ms after which a reservation that nobody has ended is given back, an integer from 1. Default:
   * never.
   */
  readonly maxHoldMs?: number | undefined;
  /** Told of each reservation that is given back so. Default: `process.emitWarning`. */
  readonly onHoldExpired?: ((expired: ExpiredHold) => void) | undefined;
}

/** Where a quota stands under another one. */
export interface QuotaPlace extends ShareOptions, HoldOptions {
  /** The quota of whose bytes these are a part, with the same clock. Default: none. */
  readonly parent?: WindowedQuota | undefined;
}

/** What a child of a {@link WindowedQuota} is made with. */
export interface ChildQuotaOptions extends ShareOptions, HoldOptions {
  /** Where the rate is found among the metrics. Default: it is not shown. */
  readonly name?: QuotaName | undefined;
  /** Bytes per second. Default: unlimited. */
  readonly limit?: ByteLimit | number | undefined;
  /** How many samples make up the window: whole ones and the present one. An integer from 1. Default: as the parent. */
  readonly samples?: number | undefined;
  /** Seconds that one sample covers. An integer from 1. Default: as the parent. */
  readonly windowSeconds?: number | undefined;
  /** How many callers may wait at most. Default 10,000. */
  readonly maxWaiters?: number | undefined;
}

/** How a {@link WindowedQuota} is made. */
export interface WindowedQuotaOptions extends ChildQuotaOptions, QuotaPlace {
  readonly clock: Clock;
  /** Where the rate is shown. Default: a registry of its own. */
  readonly metrics?: MetricsRegistry | undefined;
  /** How many samples make up the window: whole ones and the present one. An integer from 1. */
  readonly samples: number;
  /** Seconds that one sample covers. An integer from 1. */
  readonly windowSeconds: number;
}

/** A quota as it stands. */
export interface QuotaStatus {
  /** Bytes per second; 2^63 when unlimited. */
  readonly limit: number;
  /** Bytes per second in the window, of what was recorded. */
  readonly byteRate: number;
  /** Ms that the rate is averaged over. */
  readonly windowMs: number;
  /** Bytes reserved and not yet settled. */
  readonly reservedBytes: number;
  /** Callers that wait, its own and those of its children. */
  readonly waiting: number;
  /** Whether it, or a quota above it, is exceeded. */
  readonly isExceeded: boolean;
}

/**
 * A bound on the average rate over a sliding window, with Kafka's arithmetic: what matters is
 * whether the quota *has been* exceeded, not whether the next bytes would exceed it. So one caller
 * at a time may overshoot by any amount, and pays with the time until the average is down again.
 *
 * With reservations, in every span of `samples x windowSeconds` at most
 * `limit x (samples + 1) x windowSeconds` bytes and those of one reservation are admitted.
 *
 * What is recorded or reserved in a child counts for all quotas above it, and is admitted when none
 * of them is exceeded. Children that wait get on by priority, then in proportion to their weights.
 */
export class WindowedQuota implements AsyncDisposable {
  readonly #options: WindowedQuotaOptions;
  readonly #clock: Clock;
  readonly #window: QuotaWindow;
  readonly #node: AdmissionNode<Reservation>;
  readonly #owner: ReservationOwner;
  readonly #deadlines: HoldDeadlines | undefined;
  readonly #parent: WindowedQuota | undefined;
  readonly #children = new Set<WindowedQuota>();
  #isClosed = false;

  /**
   * @throws InvalidQuotaOptionError when an option is out of range
   * @throws QuotaNameTakenError when the registry has a sensor of that name
   * @throws QuotaClosedError when the parent is closed
   */
  constructor(options: WindowedQuotaOptions) {
    const { clock, parent, maxHoldMs } = options;
    if (parent?.isClosed === true) throw new QuotaClosedError();
    const maxWaiters = integerFrom(0, 'maxWaiters', options.maxWaiters ?? DEFAULT_MAX_WAITERS);
    if (maxHoldMs !== undefined) integerFrom(1, 'maxHoldMs', maxHoldMs);
    this.#options = options;
    this.#clock = clock;
    this.#parent = parent;
    this.#window = new QuotaWindow({
      clock,
      bound: boundOf(options.limit ?? Number.POSITIVE_INFINITY),
      samples: integerFrom(1, 'samples', options.samples),
      timeWindowMs: integerFrom(1, 'windowSeconds', options.windowSeconds) * 1000,
      display: displayOf(options),
    });
    this.#owner = { endHold: (hold, actual) => this.#endHold(hold, actual) };
    this.#node = new AdmissionNode({
      clock,
      gate: this.#window,
      makeGrant: (estimate) => this.#makeReservation(estimate),
      maxWaiters,
      parent: parent === undefined ? undefined : parent.#node,
      share: options,
    });
    if (maxHoldMs !== undefined) {
      this.#deadlines = new HoldDeadlines(clock, maxHoldMs, (hold) => this.#expire(hold));
    }
    if (parent !== undefined) parent.#children.add(this);
  }

  /** The bound, in bytes per second; 2^63 when unlimited. */
  get limit(): number {
    return this.#window.bound;
  }

  /** Bytes reserved and not yet settled, its own and those of its children. */
  get reservedBytes(): number {
    return this.#window.reservedBytes;
  }

  /** How many callers wait, of its own and of its children. */
  get waiting(): number {
    return this.#node.waiting;
  }

  /** Bytes per second in the window, of what was recorded. Looking starts the first window. */
  get byteRate(): number {
    return this.#window.byteRate;
  }

  /** Ms that the rate is averaged over. */
  get windowMs(): number {
    return this.#window.windowMs;
  }

  /** Whether nothing is reserved, nobody waits, and what was recorded is out of the window. */
  get isIdle(): boolean {
    return (
      this.reservedBytes === 0 && this.waiting === 0 && this.#window.idleMs >= this.#window.spanMs
    );
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * A quota whose bytes count for this one too. It closes with this one.
   *
   * @throws InvalidQuotaOptionError when an option is out of range
   * @throws QuotaNameTakenError when the registry has a sensor of that name
   * @throws QuotaClosedError after `close`
   */
  child(options: ChildQuotaOptions = {}): WindowedQuota {
    const { clock, metrics, maxHoldMs, onHoldExpired } = this.#options;
    const samples = options.samples ?? this.#options.samples;
    const windowSeconds = options.windowSeconds ?? this.#options.windowSeconds;
    const holds = { maxHoldMs, onHoldExpired, ...options };
    return new WindowedQuota({ ...holds, clock, metrics, samples, windowSeconds, parent: this });
  }

  /** Counts bytes that were moved, here and in all quotas above. Never throws and never waits. */
  record(bytes: number): void {
    this.#window.record(bytes);
    this.#parent?.record(bytes);
  }

  /**
   * Whether the rate, with what is reserved, is above the limit, here or in a quota above. Exactly at
   * the limit it is not.
   */
  isExceeded(): boolean {
    return !this.#window.isOpen() || (this.#parent?.isExceeded() ?? false);
  }

  /**
   * Kafka's estimate of the ms until neither the quota nor one above it is exceeded; 0 when none is.
   * A small excess rounds to 0 as well, so ask {@link WindowedQuota.isExceeded} whether there is one.
   */
  throttleTimeMs(): number {
    return Math.max(this.#window.throttleTimeMs(), this.#parent?.throttleTimeMs() ?? 0);
  }

  /**
   * Changes the limit at once, for those who wait too. What was recorded counts against the new one.
   *
   * @throws InvalidQuotaOptionError when the limit is negative or NaN
   */
  updateLimit(limit: ByteLimit | number): void {
    this.#window.setBound(boundOf(limit));
    this.#node.admitWaiting();
  }

  /**
   * Reserves bytes if neither the quota nor one above it is exceeded, and nobody waits who may go.
   *
   * @param estimate bytes that will be moved, an integer from 0
   * @throws InvalidQuotaOptionError when the estimate is no such number
   * @throws QuotaClosedError after `close`
   */
  tryReserve(estimate: number): Reservation | undefined {
    integerFrom(0, 'estimate', estimate);
    if (this.#isClosed) throw new QuotaClosedError();
    return this.#node.tryPass(estimate) ? this.#makeReservation(estimate) : undefined;
  }

  /**
   * Reserves bytes as soon as neither the quota nor one above it is exceeded, in the order of the
   * calls.
   *
   * @param estimate bytes that will be moved, an integer from 0
   * @throws InvalidQuotaOptionError when the estimate or the time-out is no such number
   * @throws QuotaQueueFullError when as many wait as may
   * @throws QuotaTimeoutError when `timeoutMs` have passed; nothing is then reserved
   * @throws QuotaClosedError after `close`, also while waiting
   * @throws the reason of `signal` when it aborts first; nothing is then reserved
   */
  reserve(estimate: number, options: WaitOptions = {}): Promise<Reservation> {
    // Not an async function: whoever is granted first must also go on first.
    try {
      options.signal?.throwIfAborted();
      checkedTimeout(options.timeoutMs);
      const reservation = this.tryReserve(estimate);
      if (reservation !== undefined) return Promise.resolve(reservation);
      return this.#node.wait(estimate, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** How the quota stands. Looking at it starts the first window, as every question does. */
  status(): QuotaStatus {
    return {
      limit: this.limit,
      byteRate: this.byteRate,
      windowMs: this.windowMs,
      reservedBytes: this.reservedBytes,
      waiting: this.waiting,
      isExceeded: this.isExceeded(),
    };
  }

  /** Rejects those who wait, closes its children and takes the rate out of the registry. May be called again. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#parent !== undefined) this.#parent.#children.delete(this);
    const closing = [...this.#children].map((child) => child.close());
    this.#node.failAll(() => new QuotaClosedError());
    this.#window.close();
    await Promise.all(closing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #makeReservation(estimate: number): Reservation {
    const hold: Hold = { estimate, sinceMs: this.#clock.monotonic(), state: 'held' };
    this.#deadlines?.add(hold);
    return new Reservation(hold, this.#owner);
  }

  #endHold(hold: Hold, actual: number | undefined): void {
    const wasHeld = hold.state === 'held';
    hold.state = 'ended';
    this.#deadlines?.delete(hold);
    if (wasHeld) this.#discharge(hold.estimate);
    if (actual !== undefined) this.record(actual);
    this.#node.admitWaiting();
  }

  #expire(hold: Hold): void {
    hold.state = 'expired';
    this.#discharge(hold.estimate);
    this.#node.admitWaiting();
    const { onHoldExpired = warnOfExpiredHold, name } = this.#options;
    const heldMs = this.#clock.monotonic() - hold.sinceMs;
    onHoldExpired({ quota: name?.sensor ?? '', estimate: hold.estimate, heldMs });
  }

  #discharge(bytes: number): void {
    this.#window.discharge(bytes);
    if (this.#parent !== undefined) this.#parent.#discharge(bytes);
  }
}

function displayOf({ name, metrics, clock }: WindowedQuotaOptions): WindowDisplay | undefined {
  if (name === undefined) return undefined;
  return { name, metrics: metrics ?? new MetricsRegistry({ clock }) };
}

function warnOfExpiredHold({ quota, estimate, heldMs }: ExpiredHold): void {
  const of = quota === '' ? '' : ` of '${quota}'`;
  process.emitWarning(
    `A reservation${of} of ${estimate} bytes must be settled or released, but was held for ` +
      `${heldMs} ms and is given back; end it in a finally block, or raise maxHoldMs.`,
    { type: 'LogloftWarning', code: 'LOGLOFT_QUOTA_HOLD_EXPIRED' },
  );
}
