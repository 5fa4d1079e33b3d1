import { ByteLimit, type ExhaustedPolicy, type WriteQuotaScope } from '@logloft/quota';
import { RemoteLogError } from './errors.ts';
import { type NumberProperty, REMOTE_LOG_MANAGER_PROPERTIES } from './properties.ts';
import type { RetryPolicy } from './scheduling/retry-delay.ts';

/** Settings of a remote log manager. Names in code font are Kafka's properties. */
export interface RemoteLogManagerOptions {
  /** `remote.log.manager.task.interval.ms`: ms between runs of a task. Default 30,000. */
  readonly taskIntervalMs?: number | undefined;
  /** `remote.log.manager.copier.thread.pool.size`: copies at once, over all partitions. Default 10. */
  readonly copierThreads?: number | undefined;
  /** `remote.log.manager.expiration.thread.pool.size`: partitions that delete at once. Default 10. */
  readonly expirationThreads?: number | undefined;
  /** `remote.log.reader.threads`: remote reads at once. Default 10. */
  readonly readerThreads?: number | undefined;
  /** `remote.log.reader.max.pending.tasks`: remote reads that may wait. Default 100. */
  readonly readerMaxPendingTasks?: number | undefined;
  /**
   * `remote.log.index.file.cache.total.size.bytes`: most bytes of indexes kept. Default 64 MiB, since
   * they are kept in memory; Kafka's default, 1 GiB, is for files.
   */
  readonly indexCacheBytes?: number | undefined;
  /** `remote.log.metadata.custom.metadata.max.bytes`. Default 128. */
  readonly customMetadataMaxBytes?: number | undefined;
  /** `remote.log.manager.task.retry.backoff.ms`: ms after a first failed run, doubled after each. Default 500. */
  readonly retryBackoffMs?: number | undefined;
  /** `remote.log.manager.task.retry.backoff.max.ms`: the most, in ms. Default 30,000. */
  readonly retryBackoffMaxMs?: number | undefined;
  /** `remote.log.manager.task.retry.jitter`: 0 to 0.5 of the delay, up or down. Default 0.2. */
  readonly retryJitter?: number | undefined;
  /** Ms without progress after which a copy is given up. Default 300,000. */
  readonly copyStallTimeoutMs?: number | undefined;
  /** Ms after which a deletion of a segment is given up. Default 60,000. */
  readonly deleteTimeoutMs?: number | undefined;
  /** Ms without progress after which a read of the store is given up. Default 30,000. */
  readonly fetchTimeoutMs?: number | undefined;
  /** Ms after which an unfinished copy of another broker counts as left over. Default 3,600,000. */
  readonly danglingGraceMs?: number | undefined;
  /** `remote.log.manager.write.quota.default`: bytes per second. Default unlimited. */
  readonly writeLimit?: ByteLimit | undefined;
  /** `remote.log.manager.write.quota.window.num`. Default 61. */
  readonly writeWindowNum?: number | undefined;
  /** `remote.log.manager.write.quota.window.size.seconds`. Default 1. */
  readonly writeWindowSeconds?: number | undefined;
  /** `remote.log.manager.write.quota.scope`. Default `broker`. */
  readonly writeScope?: WriteQuotaScope | undefined;
  /** `remote.log.manager.write.quota.exhausted`. Default `abort`. */
  readonly writeExhausted?: ExhaustedPolicy | undefined;
  /** `remote.log.manager.read.quota.default`: bytes per second. Default unlimited. */
  readonly readLimit?: ByteLimit | undefined;
  /** `remote.log.manager.read.quota.window.num`. Default 11. */
  readonly readWindowNum?: number | undefined;
  /** `remote.log.manager.read.quota.window.size.seconds`. Default 1. */
  readonly readWindowSeconds?: number | undefined;
}

/** Options with all defaults filled in. */
export type ResolvedOptions = {
  readonly [K in keyof RemoteLogManagerOptions]-?: Exclude<RemoteLogManagerOptions[K], undefined>;
} & { readonly retry: RetryPolicy };

/**
 * Checks options and fills in the defaults.
 *
 * @throws RemoteLogError `LOGLOFT_RLM_INVALID_OPTION` naming the option, its range and what was given
 */
export function resolveOptions(options: RemoteLogManagerOptions): ResolvedOptions {
  const numbers = new Map<string, number>();
  for (const property of REMOTE_LOG_MANAGER_PROPERTIES) {
    if (property.type !== 'int' && property.type !== 'long' && property.type !== 'double') continue;
    const given = options[property.option] ?? property.default;
    numbers.set(property.option, checkedNumber(property, given));
  }
  const number = (option: NumberProperty['option']): number => numbers.get(option) ?? Number.NaN;
  return {
    taskIntervalMs: number('taskIntervalMs'),
    copierThreads: number('copierThreads'),
    expirationThreads: number('expirationThreads'),
    readerThreads: number('readerThreads'),
    readerMaxPendingTasks: number('readerMaxPendingTasks'),
    indexCacheBytes: number('indexCacheBytes'),
    customMetadataMaxBytes: number('customMetadataMaxBytes'),
    retryBackoffMs: number('retryBackoffMs'),
    retryBackoffMaxMs: number('retryBackoffMaxMs'),
    retryJitter: number('retryJitter'),
    copyStallTimeoutMs: number('copyStallTimeoutMs'),
    deleteTimeoutMs: number('deleteTimeoutMs'),
    fetchTimeoutMs: number('fetchTimeoutMs'),
    danglingGraceMs: number('danglingGraceMs'),
    writeLimit: options.writeLimit ?? ByteLimit.unlimited,
    writeWindowNum: number('writeWindowNum'),
    writeWindowSeconds: number('writeWindowSeconds'),
    writeScope: options.writeScope ?? 'broker',
    writeExhausted: options.writeExhausted ?? 'abort',
    readLimit: options.readLimit ?? ByteLimit.unlimited,
    readWindowNum: number('readWindowNum'),
    readWindowSeconds: number('readWindowSeconds'),
    retry: {
      intervalMs: number('taskIntervalMs'),
      backoffMs: number('retryBackoffMs'),
      backoffMaxMs: number('retryBackoffMaxMs'),
      jitter: number('retryJitter'),
    },
  };
}

/** @throws RemoteLogError `LOGLOFT_RLM_INVALID_OPTION` */
export function checkedNumber(property: NumberProperty, value: number): number {
  const { min, max = Number.MAX_SAFE_INTEGER, type, name, option } = property;
  const whole = type === 'double' || Number.isSafeInteger(value);
  if (whole && value >= min && value <= max) return value;
  throw new RemoteLogError(
    'LOGLOFT_RLM_INVALID_OPTION',
    `${name} (${option}) has to be ${type === 'double' ? 'a number' : 'an integer'} from ${min} to ${max}, got ${value}`,
  );
}
