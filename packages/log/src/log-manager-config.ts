import { InvalidLogConfigError } from './errors.ts';
import { type LogConfig, type LogConfigInput, resolveLogConfig } from './log-config.ts';

/** Settings of a `LogManager`. What is absent takes its default. */
export interface LogManagerConfigInput {
  /** Settings of logs that say nothing else (the broker's `log.*`). */
  readonly defaults?: LogConfigInput | undefined;
  /** Settings of a topic whose logs are found at the start. */
  readonly configOf?: ((topic: string) => LogConfigInput | undefined) | undefined;
  /** `log.retention.check.interval.ms`. Default 300,000. */
  readonly retentionCheckIntervalMs?: number | undefined;
  /** How often `flush.ms` is looked at. Default 1000. */
  readonly flushCheckIntervalMs?: number | undefined;
  /** `log.flush.offset.checkpoint.interval.ms`: recovery points and log starts. Default 60,000. */
  readonly checkpointIntervalMs?: number | undefined;
  /** `producer.id.expiration.ms`. Default 86,400,000. */
  readonly producerIdExpirationMs?: number | undefined;
  /** Appended bytes, over all logs, that count as being in memory. Default 1 GiB. */
  readonly hotBytes?: number | undefined;
  /** Open files of rolled segments, over all logs. Default 512. */
  readonly maxOpenFiles?: number | undefined;
  /** Bytes of loaded indexes of rolled segments, over all logs. Default 64 MiB. */
  readonly maxIndexBytes?: number | undefined;
}

/** The same, complete. */
export interface LogManagerConfig {
  readonly defaults: LogConfig;
  readonly configOf: (topic: string) => LogConfigInput | undefined;
  readonly retentionCheckIntervalMs: number;
  readonly flushCheckIntervalMs: number;
  readonly checkpointIntervalMs: number;
  readonly producerIdExpirationMs: number;
  readonly hotBytes: number;
  readonly maxOpenFiles: number;
  readonly maxIndexBytes: number;
}

/** @throws InvalidLogConfigError */
export function resolveLogManagerConfig(input: LogManagerConfigInput = {}): LogManagerConfig {
  const config: LogManagerConfig = {
    defaults: resolveLogConfig(input.defaults),
    configOf: input.configOf ?? (() => undefined),
    retentionCheckIntervalMs: input.retentionCheckIntervalMs ?? 300_000,
    flushCheckIntervalMs: input.flushCheckIntervalMs ?? 1000,
    checkpointIntervalMs: input.checkpointIntervalMs ?? 60_000,
    producerIdExpirationMs: input.producerIdExpirationMs ?? 86_400_000,
    hotBytes: input.hotBytes ?? 2 ** 30,
    maxOpenFiles: input.maxOpenFiles ?? 512,
    maxIndexBytes: input.maxIndexBytes ?? 64 * 2 ** 20,
  };
  const { defaults, configOf, hotBytes, ...atLeastOne } = config;
  for (const [name, value] of Object.entries(atLeastOne)) checkAtLeast(name, value, 1);
  checkAtLeast('hotBytes', hotBytes, 0);
  return config;
}

function checkAtLeast(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new InvalidLogConfigError(`${name} must be a whole number from ${least}, got ${value}`);
}
