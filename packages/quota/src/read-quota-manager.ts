import type { Clock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { ByteLimit } from './byte-limit.ts';
import { FETCH_QUOTA_NAME } from './quota-name.ts';
import type { Reservation } from './reservation.ts';
import { ThrottleTimeMetrics } from './throttle-time-metrics.ts';
import { type QuotaPlace, type QuotaStatus, WindowedQuota } from './windowed-quota.ts';

/** How a {@link ReadQuotaManager} is made. */
export interface ReadQuotaManagerOptions extends QuotaPlace {
  readonly clock: Clock;
  /** Where the rate and throttle times are shown. Default: a registry of its own. */
  readonly metrics?: MetricsRegistry | undefined;
  /** `remote.log.manager.read.quota.default`. Default: unlimited. */
  readonly limit?: ByteLimit | undefined;
  /** `remote.log.manager.read.quota.window.num`. Default 11. */
  readonly samples?: number | undefined;
  /** `remote.log.manager.read.quota.window.size.seconds`. Default 1. */
  readonly windowSeconds?: number | undefined;
}

/**
 * The read quota of KIP-956: one window for all reads of the broker from remote storage. Nothing
 * ever waits for it: a read that is not admitted is answered empty, and the client asks again.
 */
export class ReadQuotaManager implements AsyncDisposable {
  readonly #quota: WindowedQuota;
  readonly #throttleTimes: ThrottleTimeMetrics;
  #limit: ByteLimit;

  /**
   * @throws InvalidQuotaOptionError when an option is out of range
   * @throws QuotaNameTakenError when another manager shows its rate in the same registry
   */
  constructor(options: ReadQuotaManagerOptions) {
    const metrics = options.metrics ?? new MetricsRegistry({ clock: options.clock });
    this.#limit = options.limit ?? ByteLimit.unlimited;
    this.#quota = new WindowedQuota({
      clock: options.clock,
      metrics,
      name: FETCH_QUOTA_NAME,
      limit: this.#limit,
      samples: options.samples ?? 11,
      windowSeconds: options.windowSeconds ?? 1,
      parent: options.parent,
      priority: options.priority,
      weight: options.weight,
      maxHoldMs: options.maxHoldMs,
      onHoldExpired: options.onHoldExpired,
    });
    this.#throttleTimes = new ThrottleTimeMetrics(metrics, 'fetches');
  }

  get limit(): ByteLimit {
    return this.#limit;
  }

  /**
   * Asks for leave to read, at once or not at all. The estimate counts until it is settled with the
   * bytes that were read, so that reads side by side do not pass the same gap.
   *
   * @param estimate bytes that will be read, an integer from 0. With 0 it only asks, as Kafka does.
   * @returns undefined when the quota is exhausted: answer without data and without error
   * @throws InvalidQuotaOptionError when the estimate is no such number
   * @throws QuotaClosedError after `close`
   */
  tryAdmit(estimate: number): Reservation | undefined {
    const reservation = this.#quota.tryReserve(estimate);
    if (reservation === undefined) this.#throttleTimes.record(this.#quota.throttleTimeMs());
    return reservation;
  }

  /** Whether reads are refused now. */
  isExceeded(): boolean {
    return this.#quota.isExceeded();
  }

  /** Counts bytes that were read without a reservation. */
  record(bytes: number): void {
    this.#quota.record(bytes);
  }

  /** Changes the limit at once. */
  updateLimit(limit: ByteLimit): void {
    this.#limit = limit;
    this.#quota.updateLimit(limit);
  }

  /** How the window stands. */
  status(): QuotaStatus {
    return this.#quota.status();
  }

  /** Takes the metrics out of the registry. May be called again. */
  async close(): Promise<void> {
    this.#throttleTimes.close();
    await this.#quota.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
