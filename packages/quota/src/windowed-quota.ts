import { type Clock, MAX_TIMER_MS, type Timer } from '@logloft/clock';
import {
  MetricConfig,
  type MetricName,
  MetricsRegistry,
  QuotaBound,
  type Sensor,
} from '@logloft/metrics';
import type { ByteLimit } from './byte-limit.ts';
import { QuotaClosedError, QuotaNameTakenError, QuotaQueueFullError } from './errors.ts';
import { boundOf, DEFAULT_MAX_WAITERS, integerFrom } from './options.ts';
import type { QuotaName } from './quota-name.ts';
import { Reservation, type ReservationOwner } from './reservation.ts';
import { SteadyRate, steadyNow } from './steady-rate.ts';
import { throttleTimeMs } from './throttle-time.ts';
import { WaiterQueue } from './waiter-queue.ts';

/** Kafka forgets a quota's history when nothing was recorded for that long. */
const IDLE_SECONDS = 3_600;

/** How a {@link WindowedQuota} is made. */
export interface WindowedQuotaOptions {
  readonly clock: Clock;
  /** Where the rate is shown. Default: a registry of its own. */
  readonly metrics?: MetricsRegistry | undefined;
  readonly name: QuotaName;
  /** Bytes per second. Default: unlimited. */
  readonly limit?: ByteLimit | number | undefined;
  /** How many samples make up the window: whole ones and the present one. An integer from 1. */
  readonly samples: number;
  /** Seconds that one sample covers. An integer from 1. */
  readonly windowSeconds: number;
  /** How many callers may wait at most. Default 10,000. */
  readonly maxWaiters?: number | undefined;
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
  /** Callers that wait. */
  readonly waiting: number;
  readonly isExceeded: boolean;
}

/**
 * A bound on the average rate over a sliding window, with Kafka's arithmetic: what matters is
 * whether the quota *has been* exceeded, not whether the next bytes would exceed it. So one caller
 * at a time may overshoot by any amount, and pays with the time until the average is down again.
 *
 * With reservations, in every span of `samples x windowSeconds` at most
 * `limit x (samples + 1) x windowSeconds` bytes and those of one reservation are admitted.
 */
export class WindowedQuota implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #metrics: MetricsRegistry;
  readonly #name: QuotaName;
  readonly #metricName: MetricName;
  readonly #maxWaiters: number;
  readonly #queue = new WaiterQueue<Reservation>();
  readonly #owner: ReservationOwner;
  #config: MetricConfig;
  #bound = 0;
  #rate: SteadyRate;
  #sensor: Sensor | undefined;
  #reservedBytes = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  /**
   * @throws InvalidQuotaOptionError when an option is out of range
   * @throws QuotaNameTakenError when the registry has a sensor of that name
   */
  constructor(options: WindowedQuotaOptions) {
    this.#clock = options.clock;
    this.#bound = boundOf(options.limit ?? Number.POSITIVE_INFINITY);
    this.#maxWaiters = integerFrom(0, 'maxWaiters', options.maxWaiters ?? DEFAULT_MAX_WAITERS);
    this.#config = new MetricConfig({
      samples: integerFrom(1, 'samples', options.samples),
      timeWindowMs: integerFrom(1, 'windowSeconds', options.windowSeconds) * 1000,
      quota: QuotaBound.upper(this.#bound),
    });
    this.#metrics = options.metrics ?? new MetricsRegistry({ clock: options.clock });
    this.#name = options.name;
    const { group, description, tags } = options.name;
    this.#metricName = this.#metrics.metricName({ name: 'byte-rate', group, description, tags });
    this.#owner = { endReservation: (estimate, actual) => this.#end(estimate, actual) };
    this.#rate = new SteadyRate(this.#clock);
    this.#sensor = this.#register(this.#rate);
    if (this.#sensor === undefined) throw new QuotaNameTakenError(options.name.sensor);
  }

  /** The bound, in bytes per second; 2^63 when unlimited. */
  get limit(): number {
    return this.#bound;
  }

  /** Bytes reserved and not yet settled. */
  get reservedBytes(): number {
    return this.#reservedBytes;
  }

  /** How many callers wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Bytes per second in the window, of what was recorded. Looking starts the first window. */
  get byteRate(): number {
    return this.#live().measure(this.#config);
  }

  /** Ms that the rate is averaged over. */
  get windowMs(): number {
    return this.#live().windowSizeMs(this.#config);
  }

  /** Counts bytes that were moved. Never throws and never waits. */
  record(bytes: number): void {
    const rate = this.#live();
    if (this.#sensor === undefined) rate.record(this.#config, bytes);
    else this.#sensor.recordUnchecked(bytes);
  }

  /** Whether the rate, with what is reserved, is above the limit. Exactly at the limit it is not. */
  isExceeded(): boolean {
    return !(this.#demandedRate() <= this.#bound);
  }

  /**
   * Kafka's estimate of the ms until the quota is no longer exceeded; 0 when it is not. A small
   * excess rounds to 0 as well, so ask {@link WindowedQuota.isExceeded} whether there is one.
   */
  throttleTimeMs(): number {
    const rate = this.#demandedRate();
    if (rate <= this.#bound) return 0;
    return throttleTimeMs({ rate, bound: this.#bound, windowMs: this.windowMs });
  }

  /**
   * Changes the limit at once, for those who wait too. What was recorded counts against the new one.
   *
   * @throws InvalidQuotaOptionError when the limit is negative or NaN
   */
  updateLimit(limit: ByteLimit | number): void {
    this.#bound = boundOf(limit);
    this.#config = this.#config.with({ quota: QuotaBound.upper(this.#bound) });
    this.#metrics.metric(this.#metricName)?.updateConfig(this.#config);
    this.#admitWaiting();
  }

  /**
   * Reserves bytes if the quota is not exceeded and nobody waits.
   *
   * @param estimate bytes that will be moved, an integer from 0
   * @throws InvalidQuotaOptionError when the estimate is no such number
   * @throws QuotaClosedError after `close`
   */
  tryReserve(estimate: number): Reservation | undefined {
    integerFrom(0, 'estimate', estimate);
    if (this.#isClosed) throw new QuotaClosedError();
    // Those who wait go first; if one of them has to stay, the quota is exceeded for this caller too.
    this.#admitWaiting();
    if (this.isExceeded()) return undefined;
    return this.#grant(estimate);
  }

  /**
   * Reserves bytes as soon as the quota is not exceeded, in the order of the calls.
   *
   * @param estimate bytes that will be moved, an integer from 0
   * @throws InvalidQuotaOptionError when the estimate is no such number
   * @throws QuotaQueueFullError when as many wait as may
   * @throws QuotaClosedError after `close`, also while waiting
   * @throws the reason of `signal` when it aborts first; nothing is then reserved
   */
  async reserve(
    estimate: number,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Reservation> {
    options.signal?.throwIfAborted();
    const reservation = this.tryReserve(estimate);
    if (reservation !== undefined) return reservation;
    if (this.#queue.size >= this.#maxWaiters) throw new QuotaQueueFullError(this.#maxWaiters);
    const granted = this.#queue.join(estimate, options.signal, () => this.#setTimer());
    if (this.#timer === undefined) this.#setTimer();
    return granted;
  }

  /** How the quota stands. Looking at it starts the first window, as every question does. */
  status(): QuotaStatus {
    return {
      limit: this.#bound,
      byteRate: this.byteRate,
      windowMs: this.windowMs,
      reservedBytes: this.#reservedBytes,
      waiting: this.#queue.size,
      isExceeded: this.isExceeded(),
    };
  }

  /** Rejects those who wait and takes the rate out of the registry. May be called again. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelTimer();
    this.#queue.failAll(() => new QuotaClosedError());
    if (this.#isRegistered()) this.#metrics.removeSensor(this.#name.sensor);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #demandedRate(): number {
    const rate = this.#live();
    const bytes = rate.total(this.#config) + this.#reservedBytes;
    return bytes / (rate.windowSizeMs(this.#config) / 1000);
  }

  #grant(estimate: number): Reservation {
    this.#reservedBytes += estimate;
    return new Reservation(estimate, this.#owner);
  }

  #end(estimate: number, actual: number | undefined): void {
    this.#reservedBytes -= estimate;
    if (actual !== undefined) this.record(actual);
    this.#admitWaiting();
  }

  #admitWaiting(): void {
    if (this.#queue.size === 0) return;
    for (let bytes = this.#queue.headBytes; bytes !== undefined; bytes = this.#queue.headBytes) {
      if (this.isExceeded()) break;
      this.#queue.grantHead(this.#grant(bytes));
    }
    this.#setTimer();
  }

  #setTimer(): void {
    this.#cancelTimer();
    if (this.#queue.size === 0) return;
    this.#timer = this.#clock.setTimer(this.#msUntilChange(), () => {
      this.#timer = undefined;
      this.#admitWaiting();
    });
  }

  /** Ms until the window has grown enough for what is in it, or a sample leaves it. */
  #msUntilChange(): number {
    const rate = this.#live();
    const bytes = rate.total(this.#config) + this.#reservedBytes;
    const enoughMs = rate.oldestStartMs(this.#config) + Math.ceil((bytes * 1000) / this.#bound);
    const change = Math.min(enoughMs, rate.nextExpiryMs(this.#config));
    return Math.min(Math.max(change - steadyNow(this.#clock), 1), MAX_TIMER_MS);
  }

  #cancelTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #isRegistered(): boolean {
    return (
      this.#sensor !== undefined && this.#metrics.getSensor(this.#name.sensor) === this.#sensor
    );
  }

  /** The rate; if its sensor was removed or has expired, it is put into the registry again. */
  #live(): SteadyRate {
    if (this.#isClosed || this.#isRegistered()) return this.#rate;
    const idleMs = steadyNow(this.#clock) - this.#rate.lastRecordMs;
    // Kafka forgets the history with the sensor, but a removal for other reasons lifts no quota.
    if (idleMs > IDLE_SECONDS * 1000) this.#rate = new SteadyRate(this.#clock);
    this.#sensor = this.#register(this.#rate);
    return this.#rate;
  }

  /** The sensor that shows `rate`, or undefined when another one has its name. */
  #register(rate: SteadyRate): Sensor | undefined {
    const { sensor: name } = this.#name;
    if (this.#metrics.getSensor(name) !== undefined) return undefined;
    const sensor = this.#metrics.sensor(name, { expirySeconds: IDLE_SECONDS });
    sensor.add(this.#metricName, rate, this.#config);
    return sensor;
  }
}
