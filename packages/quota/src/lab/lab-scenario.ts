import type { ByteLimit } from '../byte-limit.ts';
import { InvalidQuotaOptionError } from '../errors.ts';
import { checkedScope, type ExhaustedPolicy, type WriteQuotaScope } from '../exhausted-policy.ts';
import { integerFrom, numberFrom } from '../options.ts';

/** What holds the copies in a run of the lab; `none` is no quota at all. */
export type LabPolicy = 'none' | ExhaustedPolicy;

/** A limit that is set while copies run. */
export interface LimitChange {
  /** When, in ms after the start. */
  readonly atMs: number;
  readonly limit: ByteLimit;
}

/** What happens in the lab: a topic with a backlog gets tiering. */
export interface LabScenario {
  /** Bytes that are there to be copied at the start. An integer from 1. */
  readonly backlogBytes: number;
  /** The write limit. */
  readonly limit: ByteLimit;
  /** Bytes of a segment. An integer from 1. Default 1 GiB, Kafka's. */
  readonly segmentBytes?: number | undefined;
  /** How many copies may run at a time. An integer from 1. Default 10, as in Kafka. */
  readonly writers?: number | undefined;
  /** How many partitions the backlog is in, evenly; each has one copy task. Default: as many as writers. */
  readonly partitions?: number | undefined;
  /** Bytes per second that one writer sends when nothing holds it, above 0. Default 100 MiB/s. */
  readonly uploadBytesPerSecond?: number | undefined;
  /** Bytes per second that producers add, from 0. Default 0. */
  readonly ingestBytesPerSecond?: number | undefined;
  /** Ms between the end of a task's run and its next. An integer from 1. Default 30,000. */
  readonly taskIntervalMs?: number | undefined;
  /** Samples of the quota's window. Default 61. */
  readonly samples?: number | undefined;
  /** Seconds that one sample covers. Default 1. */
  readonly windowSeconds?: number | undefined;
  /** What the limit holds for. Default `broker`. */
  readonly scope?: WriteQuotaScope | undefined;
  /** Limits that are set under way. Default: none. */
  readonly limitChanges?: readonly LimitChange[] | undefined;
  /** Which runs to make, in this order. Default all: `none`, `abort`, `wait`, `pace`. */
  readonly policies?: readonly LabPolicy[] | undefined;
  /** The most ms to simulate. An integer from 1. Default a day. */
  readonly maxMs?: number | undefined;
  /** How many points each series has, an integer from 1. Default 120. */
  readonly points?: number | undefined;
}

/** A scenario with all defaults filled in, and checked. */
export type ResolvedScenario = {
  readonly [K in keyof LabScenario]-?: Exclude<LabScenario[K], undefined>;
};

const POLICIES: readonly LabPolicy[] = ['none', 'abort', 'wait', 'pace'];

/** @throws InvalidQuotaOptionError when a field is out of range */
export function resolveScenario(scenario: LabScenario): ResolvedScenario {
  const writers = integerFrom(1, 'writers', scenario.writers ?? 10);
  const { limitChanges = [], policies = POLICIES } = scenario;
  for (const { atMs } of limitChanges) numberFrom(0, 'atMs of a limit change', atMs);
  for (const policy of policies) checkPolicy(policy);
  return {
    backlogBytes: integerFrom(1, 'backlogBytes', scenario.backlogBytes),
    limit: scenario.limit,
    segmentBytes: integerFrom(1, 'segmentBytes', scenario.segmentBytes ?? 2 ** 30),
    writers,
    partitions: integerFrom(1, 'partitions', scenario.partitions ?? writers),
    uploadBytesPerSecond: speed(scenario.uploadBytesPerSecond ?? 100 * 2 ** 20),
    ingestBytesPerSecond: numberFrom(0, 'ingestBytesPerSecond', scenario.ingestBytesPerSecond ?? 0),
    taskIntervalMs: integerFrom(1, 'taskIntervalMs', scenario.taskIntervalMs ?? 30_000),
    samples: integerFrom(1, 'samples', scenario.samples ?? 61),
    windowSeconds: integerFrom(1, 'windowSeconds', scenario.windowSeconds ?? 1),
    scope: checkedScope(scenario.scope ?? 'broker'),
    limitChanges: limitChanges.toSorted((a, b) => a.atMs - b.atMs),
    policies: [...policies],
    maxMs: integerFrom(1, 'maxMs', scenario.maxMs ?? 86_400_000),
    points: integerFrom(1, 'points', scenario.points ?? 120),
  };
}

/** The limit in force at `atMs`. */
export function limitAt({ limit, limitChanges }: ResolvedScenario, atMs: number): ByteLimit {
  return limitChanges.findLast((change) => change.atMs <= atMs)?.limit ?? limit;
}

function speed(bytesPerSecond: number): number {
  if (Number.isFinite(bytesPerSecond) && bytesPerSecond > 0) return bytesPerSecond;
  throw new InvalidQuotaOptionError(
    `uploadBytesPerSecond must be a number above 0, got ${bytesPerSecond}`,
  );
}

function checkPolicy(policy: LabPolicy): void {
  if (POLICIES.includes(policy)) return;
  throw new InvalidQuotaOptionError(
    `policies must be of none, abort, wait and pace, got '${String(policy)}'`,
  );
}
