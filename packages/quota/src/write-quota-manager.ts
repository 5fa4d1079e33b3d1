import type { Clock } from '@logloft/clock';
import { MetricsRegistry } from '@logloft/metrics';
import { ByteLimit } from './byte-limit.ts';
import { BytePacer } from './byte-pacer.ts';
import { CopyPermit } from './copy-permit.ts';
import { QuotaClosedError } from './errors.ts';
import {
  checkedPolicy,
  checkedScope,
  type ExhaustedPolicy,
  type WriteQuotaScope,
} from './exhausted-policy.ts';
import { DEFAULT_MAX_WAITERS, integerFrom } from './options.ts';
import { COPY_QUOTA_NAME } from './quota-name.ts';
import { ThrottleTimeMetrics } from './throttle-time-metrics.ts';
import type { WaitOptions } from './waiter-queue.ts';
import {
  type HoldOptions,
  type QuotaPlace,
  type QuotaStatus,
  WindowedQuota,
} from './windowed-quota.ts';

/** How a {@link WriteQuotaManager} is made. */
export interface WriteQuotaManagerOptions extends QuotaPlace {
  readonly clock: Clock;
  /** Where rates and throttle times are shown. Default: a registry of its own. */
  readonly metrics?: MetricsRegistry | undefined;
  /** `remote.log.manager.write.quota.default`. Default: unlimited. */
  readonly limit?: ByteLimit | undefined;
  /** `remote.log.manager.write.quota.window.num`. Default 61. */
  readonly samples?: number | undefined;
  /** `remote.log.manager.write.quota.window.size.seconds`. Default 1. */
  readonly windowSeconds?: number | undefined;
  /** `remote.log.manager.write.quota.scope`. Default `broker`. */
  readonly scope?: WriteQuotaScope | undefined;
  /** `remote.log.manager.write.quota.exhausted`. Default `abort`. */
  readonly exhausted?: ExhaustedPolicy | undefined;
  /** How many copies may wait for one quota or pacer at most. Default 10,000. */
  readonly maxWaiters?: number | undefined;
}

/** A copy that asks for leave. */
export interface CopyRequest extends WaitOptions {
  /** Which writer copies: one of a bounded number, such as the slots of a pool. */
  readonly writer: string;
  /** Bytes it will copy, an integer from 0. */
  readonly bytes: number;
}

interface Writer {
  readonly quota: WindowedQuota;
  /** Where each writer is paced by itself. */
  readonly pacer: BytePacer | undefined;
}

/**
 * The write quota of KIP-956: holds the copying of log segments to remote storage to a limit, and
 * shows the rate of the broker and of each writer as `byte-rate`.
 *
 * Under `abort` and `wait` in the scope `broker`, at most `limit x (samples + 1) x windowSeconds`
 * bytes and one segment are admitted in every span of `samples x windowSeconds`; in the scope
 * `writer` that holds for each writer. Under `pace` the limit itself holds, see {@link BytePacer};
 * a parent then only counts what was settled, since nothing is reserved.
 */
export class WriteQuotaManager implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #metrics: MetricsRegistry;
  readonly #samples: number;
  readonly #windowSeconds: number;
  readonly #scope: WriteQuotaScope;
  readonly #exhausted: ExhaustedPolicy;
  readonly #maxWaiters: number;
  readonly #holds: HoldOptions;
  /** Whether the windows of the writers are children of that of the broker, so that both admit. */
  readonly #hasChildren: boolean;
  readonly #broker: WindowedQuota;
  readonly #brokerPacer: BytePacer | undefined;
  readonly #writers = new Map<string, Writer>();
  readonly #throttleTimes: ThrottleTimeMetrics;
  #limit: ByteLimit;
  #isClosed = false;

  /**
   * @throws InvalidQuotaOptionError when an option is out of range
   * @throws QuotaNameTakenError when another manager shows its rates in the same registry
   */
  constructor(options: WriteQuotaManagerOptions) {
    this.#clock = options.clock;
    this.#metrics = options.metrics ?? new MetricsRegistry({ clock: options.clock });
    this.#limit = options.limit ?? ByteLimit.unlimited;
    this.#samples = integerFrom(1, 'samples', options.samples ?? 61);
    this.#windowSeconds = integerFrom(1, 'windowSeconds', options.windowSeconds ?? 1);
    this.#scope = checkedScope(options.scope ?? 'broker');
    this.#exhausted = checkedPolicy(options.exhausted ?? 'abort');
    this.#maxWaiters = integerFrom(0, 'maxWaiters', options.maxWaiters ?? DEFAULT_MAX_WAITERS);
    this.#hasChildren = this.#scope === 'writer' && this.#exhausted !== 'pace';
    const { parent, priority, weight } = options;
    this.#holds = { maxHoldMs: options.maxHoldMs, onHoldExpired: options.onHoldExpired };
    this.#broker = new WindowedQuota({
      ...this.#windowOptions('broker'),
      ...this.#holds,
      parent,
      priority,
      weight,
      name: COPY_QUOTA_NAME,
    });
    this.#brokerPacer = this.#makePacer('broker');
    this.#throttleTimes = new ThrottleTimeMetrics(this.#metrics, 'copies');
  }

  get limit(): ByteLimit {
    return this.#limit;
  }

  get scope(): WriteQuotaScope {
    return this.#scope;
  }

  get exhausted(): ExhaustedPolicy {
    return this.#exhausted;
  }

  /** Ms that the whole window covers: samples x window seconds. */
  get spanMs(): number {
    return this.#samples * this.#windowSeconds * 1000;
  }

  /**
   * Asks for leave to copy a segment. The bytes count from now on, whatever the outcome of other
   * copies, until the permit is settled or released.
   *
   * @returns undefined when the quota is exhausted and the policy is `abort`: stop copying
   * @throws InvalidQuotaOptionError when `bytes` is not an integer from 0
   * @throws QuotaQueueFullError under `wait`, when as many wait as may
   * @throws QuotaTimeoutError under `wait`, when `timeoutMs` have passed
   * @throws QuotaClosedError after `close`, also while waiting
   * @throws the reason of `signal` when it aborts first
   */
  async admit(request: CopyRequest): Promise<CopyPermit | undefined> {
    const { signal, timeoutMs } = request;
    signal?.throwIfAborted();
    const estimate = integerFrom(0, 'bytes', request.bytes);
    const writer = this.#writer(request.writer);
    if (this.#exhausted === 'pace') {
      const pacer = writer.pacer ?? this.#brokerPacer;
      const counted = [this.#broker, writer.quota];
      return new CopyPermit({ estimate, reservation: undefined, pacer, counted });
    }
    const binding = this.#hasChildren ? writer.quota : this.#broker;
    const counted = this.#hasChildren ? [] : [writer.quota];
    let reservation = binding.tryReserve(estimate);
    if (reservation === undefined) {
      this.#throttleTimes.record(binding.throttleTimeMs());
      if (this.#exhausted === 'abort') return undefined;
      reservation = await binding.reserve(estimate, { signal, timeoutMs });
    }
    return new CopyPermit({ estimate, reservation, pacer: undefined, counted });
  }

  /** Counts bytes that were copied without a permit. */
  record(writer: string, bytes: number): void {
    this.#writer(writer).quota.record(bytes);
    if (!this.#hasChildren) this.#broker.record(bytes);
  }

  /** Whether a copy of this writer would be refused or would have to wait. Under `pace` it never is. */
  isExceeded(writer: string): boolean {
    if (this.#exhausted === 'pace') return false;
    return this.#scope === 'broker'
      ? this.#broker.isExceeded()
      : this.#writer(writer).quota.isExceeded();
  }

  /** Changes the limit at once, also for copies that wait or are paced. */
  updateLimit(limit: ByteLimit): void {
    this.#limit = limit;
    if (this.#binds('broker')) this.#broker.updateLimit(limit);
    this.#brokerPacer?.updateLimit(limit);
    for (const { quota, pacer } of this.#writers.values()) {
      if (this.#binds('writer')) quota.updateLimit(limit);
      pacer?.updateLimit(limit);
    }
  }

  /** How the window of the whole broker stands. Its limit is 2^63 where it does not bind. */
  brokerStatus(): QuotaStatus {
    return this.#broker.status();
  }

  /** How the windows of the writers stand, by writer. Their limit is 2^63 where they do not bind. */
  writerStatuses(): ReadonlyMap<string, QuotaStatus> {
    return new Map([...this.#writers].map(([name, { quota }]) => [name, quota.status()]));
  }

  /** Rejects copies that wait and takes the rates out of the registry. May be called again. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#throttleTimes.close();
    const writers = [...this.#writers.values()];
    await Promise.all([
      this.#broker.close(),
      this.#brokerPacer?.close(),
      ...writers.flatMap(({ quota, pacer }) => [quota.close(), pacer?.close()]),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #writer(name: string): Writer {
    const known = this.#writers.get(name);
    if (known !== undefined) return known;
    if (this.#isClosed) throw new QuotaClosedError();
    const writer = {
      quota: new WindowedQuota({
        ...this.#windowOptions('writer'),
        parent: this.#hasChildren ? this.#broker : undefined,
        ...this.#holds,
        name: {
          ...COPY_QUOTA_NAME,
          sensor: `${COPY_QUOTA_NAME.sensor}-${name}`,
          tags: [['writer', name]],
        },
      }),
      pacer: this.#makePacer('writer'),
    };
    this.#writers.set(name, writer);
    return writer;
  }

  #windowOptions(of: WriteQuotaScope): {
    readonly clock: Clock;
    readonly metrics: MetricsRegistry;
    readonly samples: number;
    readonly windowSeconds: number;
    readonly maxWaiters: number;
    readonly limit: ByteLimit;
  } {
    return {
      clock: this.#clock,
      metrics: this.#metrics,
      samples: this.#samples,
      windowSeconds: this.#windowSeconds,
      maxWaiters: this.#maxWaiters,
      limit: this.#binds(of) ? this.#limit : ByteLimit.unlimited,
    };
  }

  /** Whether the limit is put on this window; where bytes are paced, windows only count. */
  #binds(scope: WriteQuotaScope): boolean {
    return this.#scope === scope && this.#exhausted !== 'pace';
  }

  #makePacer(scope: WriteQuotaScope): BytePacer | undefined {
    if (this.#scope !== scope || this.#exhausted !== 'pace') return undefined;
    return new BytePacer({
      clock: this.#clock,
      limit: this.#limit,
      maxWaiters: this.#maxWaiters,
    });
  }
}
