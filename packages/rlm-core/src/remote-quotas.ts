import type { Clock } from '@logloft/clock';
import type { MetricsRegistry } from '@logloft/metrics';
import { heldByteRate, ReadQuotaManager, WriteQuotaManager } from '@logloft/quota';
import type { PluginLogger } from '@logloft/remote-storage';
import type { ResolvedOptions } from './options.ts';
import type { PartitionLogView } from './partition-log-view.ts';
import type { RemoteQuotaStatus } from './remote-log-status.ts';

/** What {@link RemoteQuotas} work with. */
export interface RemoteQuotasContext {
  readonly clock: Clock;
  readonly logger: PluginLogger;
  readonly metrics: MetricsRegistry;
}

/** The quotas of a broker on its remote store (KIP-956), and what is said about them. */
export class RemoteQuotas {
  readonly write: WriteQuotaManager;
  readonly read: ReadQuotaManager;
  readonly #options: ResolvedOptions;
  readonly #logger: PluginLogger;

  /** @throws what the quotas say of their options */
  constructor(options: ResolvedOptions, { clock, logger, metrics }: RemoteQuotasContext) {
    this.#options = options;
    this.#logger = logger;
    this.write = new WriteQuotaManager({
      clock,
      metrics,
      limit: options.writeLimit,
      samples: options.writeWindowNum,
      windowSeconds: options.writeWindowSeconds,
      scope: options.writeScope,
      exhausted: options.writeExhausted,
    });
    this.read = new ReadQuotaManager({
      clock,
      metrics,
      limit: options.readLimit,
      samples: options.readWindowNum,
      windowSeconds: options.readWindowSeconds,
    });
  }

  /** Whether the read quota has room now. Each refusal counts in the throttle times. */
  get readsAllowed(): boolean {
    const permit = this.read.tryAdmit(0);
    permit?.release();
    return permit !== undefined;
  }

  /** How both stand, for a broker with these logs. */
  status(logs: readonly PartitionLogView[]): RemoteQuotaStatus {
    return {
      write: this.write.brokerStatus(),
      writers: this.write.writerStatuses(),
      read: this.read.status(),
      heldWriteRate: this.#heldWriteRate(logs),
    };
  }

  /** Says at the start what copying is held to. */
  logWriteLimit(): void {
    const { limit, scope, exhausted } = this.write;
    this.#logger.info(
      limit.isUnlimited
        ? 'Copying to the remote tier has no limit: a backlog is copied as fast as disk, processor and network allow (remote.log.manager.write.quota.default)'
        : 'Copying to the remote tier is limited',
      { bytesPerSecond: limit.toString(), scope, exhausted },
    );
  }

  /** Warns when segments are so large that more than the limit passes on the average. */
  warnOfUnholdableLimit(logs: readonly PartitionLogView[]): void {
    const { limit } = this.write;
    const heldRate = this.#heldWriteRate(logs);
    if (heldRate <= limit.bytesPerSecond) return;
    this.#logger.warn(
      'The write quota cannot be held on the average: segments are larger than what it allows in its whole window. Take more or longer samples, smaller segments, or remote.log.manager.write.quota.exhausted=pace',
      { limit: limit.toString(), heldBytesPerSecond: Math.ceil(heldRate) },
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.write.close(), this.read.close()]);
  }

  /** Bytes per second that the write quota really holds with the largest segments of these logs. */
  #heldWriteRate(logs: readonly PartitionLogView[]): number {
    const { writeWindowNum: samples, writeWindowSeconds: windowSeconds } = this.#options;
    const limit = this.write.limit.bytesPerSecond;
    if (this.write.exhausted === 'pace') return limit;
    const segmentBytes = Math.max(0, ...logs.map(({ config }) => config.segmentBytes));
    return heldByteRate({ limit, segmentBytes, samples, windowSeconds });
  }
}
