import { InvalidLogConfigError } from './errors.ts';

/** Settings of one partition log; each names Kafka's topic property. All can change live. */
export interface LogConfig {
  /** `segment.bytes`: most bytes of a segment file; 14 to 2^31 - 1. Default 1 GiB. */
  readonly segmentBytes: number;
  /** `segment.ms`: greatest span of record time in a segment, from 1 ms on. Default 7 days. */
  readonly segmentMs: number;
  /** `segment.jitter.ms`: upper bound of a random cut of `segment.ms`. Default 0. */
  readonly segmentJitterMs: number;
  /** `segment.index.bytes`: most bytes of an index file, from 24 on. Default 10 MiB. */
  readonly segmentIndexBytes: number;
  /** `index.interval.bytes`: bytes of log between two index entries, from 0 on. Default 4096. */
  readonly indexIntervalBytes: number;
  /** `retention.ms`: -1 is without limit. Default 7 days. */
  readonly retentionMs: number;
  /** `retention.bytes`: -1 (default) is without limit. */
  readonly retentionBytes: number;
  /** `local.retention.ms`: -2 (default) takes `retention.ms`, -1 is without limit. */
  readonly localRetentionMs: number;
  /** `local.retention.bytes`: -2 (default) takes `retention.bytes`, -1 is without limit. */
  readonly localRetentionBytes: number;
  /** Whether `cleanup.policy` contains `delete`: without it no data expires. Default true. */
  readonly cleanupDelete: boolean;
  /** Whether `cleanup.policy` contains `compact`: offsets may then be missing. Default false. */
  readonly cleanupCompact: boolean;
  /** `remote.storage.enable`. Default false. */
  readonly remoteStorageEnable: boolean;
  /** `remote.log.copy.disable`: what is remote stays, nothing more is copied. Default false. */
  readonly remoteLogCopyDisable: boolean;
  /** `file.delete.delay.ms`: how long a removed file stays as `*.deleted`. Default 60,000. */
  readonly fileDeleteDelayMs: number;
  /**
   * `flush.messages`: offsets between two flushes; 1 is the group commit, where an append is
   * acknowledged after its `fdatasync`. Default `Infinity`.
   */
  readonly flushMessages: number;
  /** `flush.ms`: ms that data may stay unflushed. Default `Infinity`: left to the system. */
  readonly flushMs: number;
  /** `message.timestamp.type`. Default `CreateTime`. */
  readonly messageTimestampType: 'CreateTime' | 'LogAppendTime';
}

/** Settings of a log, where what is absent takes its default. */
export type LogConfigInput = { readonly [Key in keyof LogConfig]?: LogConfig[Key] | undefined };

const DAY_MS = 86_400_000;
const MAX_INT32 = 2 ** 31 - 1;

/** Kafka's defaults. */
export const DEFAULT_LOG_CONFIG: LogConfig = Object.freeze({
  segmentBytes: 2 ** 30,
  segmentMs: 7 * DAY_MS,
  segmentJitterMs: 0,
  segmentIndexBytes: 10 * 2 ** 20,
  indexIntervalBytes: 4096,
  retentionMs: 7 * DAY_MS,
  retentionBytes: -1,
  localRetentionMs: -2,
  localRetentionBytes: -2,
  cleanupDelete: true,
  cleanupCompact: false,
  remoteStorageEnable: false,
  remoteLogCopyDisable: false,
  fileDeleteDelayMs: 60_000,
  flushMessages: Number.POSITIVE_INFINITY,
  flushMs: Number.POSITIVE_INFINITY,
  messageTimestampType: 'CreateTime',
});

interface NumberRule {
  readonly key: Exclude<
    keyof LogConfig,
    | 'cleanupDelete'
    | 'cleanupCompact'
    | 'remoteStorageEnable'
    | 'remoteLogCopyDisable'
    | 'messageTimestampType'
  >;
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

const UNBOUNDED = Number.POSITIVE_INFINITY;
const NUMBER_RULES: readonly NumberRule[] = [
  { key: 'segmentBytes', name: 'segment.bytes', min: 14, max: MAX_INT32 },
  { key: 'segmentMs', name: 'segment.ms', min: 1, max: UNBOUNDED },
  { key: 'segmentJitterMs', name: 'segment.jitter.ms', min: 0, max: UNBOUNDED },
  // Room for one entry in either index beside the one that the time index reserves.
  { key: 'segmentIndexBytes', name: 'segment.index.bytes', min: 24, max: MAX_INT32 },
  { key: 'indexIntervalBytes', name: 'index.interval.bytes', min: 0, max: MAX_INT32 },
  { key: 'retentionMs', name: 'retention.ms', min: -1, max: UNBOUNDED },
  { key: 'retentionBytes', name: 'retention.bytes', min: -1, max: UNBOUNDED },
  { key: 'localRetentionMs', name: 'local.retention.ms', min: -2, max: UNBOUNDED },
  { key: 'localRetentionBytes', name: 'local.retention.bytes', min: -2, max: UNBOUNDED },
  { key: 'fileDeleteDelayMs', name: 'file.delete.delay.ms', min: 0, max: UNBOUNDED },
  { key: 'flushMessages', name: 'flush.messages', min: 1, max: UNBOUNDED },
  { key: 'flushMs', name: 'flush.ms', min: 0, max: UNBOUNDED },
];

const CONFIG_KEYS: readonly (keyof LogConfig)[] = [
  ...NUMBER_RULES.map((rule) => rule.key),
  'cleanupDelete',
  'cleanupCompact',
  'remoteStorageEnable',
  'remoteLogCopyDisable',
  'messageTimestampType',
];

/**
 * Completes settings with `defaults` and checks them.
 *
 * @throws InvalidLogConfigError naming the Kafka property, its range and the value found
 */
export function resolveLogConfig(
  input: LogConfigInput = {},
  defaults: LogConfig = DEFAULT_LOG_CONFIG,
): LogConfig {
  const config: MutableLogConfig = { ...defaults };
  for (const key of CONFIG_KEYS) take(key, input, config);
  for (const rule of NUMBER_RULES) checkNumber(rule, config[rule.key]);
  if (!['CreateTime', 'LogAppendTime'].includes(config.messageTimestampType)) {
    throw new InvalidLogConfigError(
      `message.timestamp.type must be CreateTime or LogAppendTime, got ${config.messageTimestampType}`,
    );
  }
  return config;
}

type MutableLogConfig = { -readonly [Key in keyof LogConfig]: LogConfig[Key] };

function take<Key extends keyof LogConfig>(
  key: Key,
  input: LogConfigInput,
  into: MutableLogConfig,
): void {
  const value = input[key];
  if (value !== undefined) into[key] = value;
}

function checkNumber(rule: NumberRule, value: number): void {
  const whole = Number.isSafeInteger(value) || value === UNBOUNDED;
  if (whole && value >= rule.min && value <= rule.max) return;
  const upTo = rule.max === UNBOUNDED ? '' : ` to ${rule.max}`;
  throw new InvalidLogConfigError(
    `${rule.name} must be a whole number from ${rule.min}${upTo}, got ${value}`,
  );
}
