import type { Clock, RandomSource } from '@logloft/clock';
import type { OffsetLog } from './offset-log.ts';

/** Where the coordinator writes its log lines; any logger of ours fits. */
export interface GroupLogger {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** The components that a {@link GroupCoordinator} works with. */
export interface GroupCoordinatorContext {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: GroupLogger;
  /** Where commits and group metadata are kept. Without one they live as long as the coordinator. */
  readonly offsetLog?: OffsetLog | undefined;
  /** Whether offsets of this partition may be committed. Default: of any. */
  readonly hasPartition?: ((topic: string, partition: number) => boolean) | undefined;
}

/** Settings of a {@link GroupCoordinator}; the names of Kafka's properties are given with each. */
export interface GroupCoordinatorOptions {
  /**
   * `group.initial.rebalance.delay.ms`: how long the first rebalance of an empty group waits for
   * more members. Kafka's own default of 3000 makes every fresh group slow. Default 0.
   */
  readonly initialRebalanceDelayMs?: number | undefined;
  /** `group.min.session.timeout.ms`. Default 6000. */
  readonly minSessionTimeoutMs?: number | undefined;
  /** `group.max.session.timeout.ms`. Default 1,800,000. */
  readonly maxSessionTimeoutMs?: number | undefined;
  /** `group.max.size`: members of one group. Default 2,147,483,647. */
  readonly maxGroupSize?: number | undefined;
  /** How long the very first JoinGroup of a member may wait before it is given up. Default 300,000. */
  readonly newMemberJoinTimeoutMs?: number | undefined;
  /** `offset.metadata.max.bytes`: bytes (UTF-8) of the text beside a commit, at most 32,767. Default 4096. */
  readonly offsetMetadataMaxBytes?: number | undefined;
  /** `offsets.retention.minutes`, in ms. Default 604,800,000 (7 days). */
  readonly offsetsRetentionMs?: number | undefined;
  /** `offsets.retention.check.interval.ms`. Default 600,000. */
  readonly offsetsRetentionCheckIntervalMs?: number | undefined;
  /**
   * For development: take a dynamic member out as soon as its connection is reported gone, rather
   * than after its session timeout, so that a program which was killed and started again need not
   * wait. Static members keep Kafka's rule. Default false.
   */
  readonly forgetMembersOnDisconnect?: boolean | undefined;
  /** Groups that may exist. Default 100,000. */
  readonly maxGroups?: number | undefined;
  /** Members of all groups together, with those that were only given an id. Default 100,000. */
  readonly maxMembers?: number | undefined;
  /** Bytes of protocols, metadata and assignments kept for all members together. Default 256 MiB. */
  readonly maxMemberBytes?: number | undefined;
  /** Offsets kept for all groups together. Default 1,000,000. */
  readonly maxOffsets?: number | undefined;
}

/** {@link GroupCoordinatorOptions} with the defaults filled in. */
export type GroupCoordinatorSettings = {
  readonly [Name in keyof GroupCoordinatorOptions]-?: NonNullable<GroupCoordinatorOptions[Name]>;
};

const DEFAULTS: GroupCoordinatorSettings = Object.freeze({
  initialRebalanceDelayMs: 0,
  minSessionTimeoutMs: 6000,
  maxSessionTimeoutMs: 1_800_000,
  maxGroupSize: 2_147_483_647,
  newMemberJoinTimeoutMs: 300_000,
  offsetMetadataMaxBytes: 4096,
  offsetsRetentionMs: 604_800_000,
  offsetsRetentionCheckIntervalMs: 600_000,
  forgetMembersOnDisconnect: false,
  maxGroups: 100_000,
  maxMembers: 100_000,
  maxMemberBytes: 256 * 1024 * 1024,
  maxOffsets: 1_000_000,
});

type NumericName = {
  [Name in keyof GroupCoordinatorSettings]: GroupCoordinatorSettings[Name] extends number
    ? Name
    : never;
}[keyof GroupCoordinatorSettings];

const INT32_MAX = 2_147_483_647;

const RANGES: Readonly<Record<NumericName, readonly [min: number, max: number]>> = {
  initialRebalanceDelayMs: [0, INT32_MAX],
  minSessionTimeoutMs: [1, INT32_MAX],
  maxSessionTimeoutMs: [1, INT32_MAX],
  maxGroupSize: [1, INT32_MAX],
  newMemberJoinTimeoutMs: [1, INT32_MAX],
  // The text is written with a length of 16 bits.
  offsetMetadataMaxBytes: [0, 32_767],
  offsetsRetentionMs: [1, Number.MAX_SAFE_INTEGER],
  offsetsRetentionCheckIntervalMs: [1, INT32_MAX],
  maxGroups: [1, Number.MAX_SAFE_INTEGER],
  maxMembers: [1, Number.MAX_SAFE_INTEGER],
  maxMemberBytes: [1, Number.MAX_SAFE_INTEGER],
  maxOffsets: [1, Number.MAX_SAFE_INTEGER],
};

/**
 * Fills in the defaults and checks the ranges.
 *
 * @throws RangeError when a number is outside its range, or the session timeouts contradict each other
 */
export function resolveCoordinatorOptions(
  options: GroupCoordinatorOptions,
): GroupCoordinatorSettings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const settings: GroupCoordinatorSettings = Object.freeze({
    ...DEFAULTS,
    ...Object.fromEntries(given),
  });
  for (const [name, [min, max]] of Object.entries(RANGES)) {
    // The keys of RANGES are those of the numeric settings.
    const value = settings[name as NumericName];
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new RangeError(`${name} takes an integer from ${min} to ${max}, got ${value}`);
    }
  }
  if (settings.minSessionTimeoutMs > settings.maxSessionTimeoutMs) {
    throw new RangeError(
      `minSessionTimeoutMs must not be above maxSessionTimeoutMs, got ${settings.minSessionTimeoutMs} and ${settings.maxSessionTimeoutMs}`,
    );
  }
  return settings;
}
