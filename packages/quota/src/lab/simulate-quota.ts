import { heldByteRate } from '../held-rate.ts';
import { LabRun, type RunOutcome } from './lab-run.ts';
import {
  type LabPolicy,
  type LabScenario,
  limitAt,
  type ResolvedScenario,
  resolveScenario,
} from './lab-scenario.ts';

/** One point of a series: what happened in the step that begins at `atMs`. */
export interface LabPoint {
  /** Ms after the start. */
  readonly atMs: number;
  /** Bytes per second sent to the store, on the average of the step. */
  readonly bytesPerSecond: number;
  /** The limit in force at the end of the step, in bytes per second; 2^63 for none. */
  readonly limit: number;
  /** Bytes that are not copied at the end of the step, with those that producers have added. */
  readonly backlogBytes: number;
}

/** What a policy does to the scenario. */
export interface LabResult {
  readonly policy: LabPolicy;
  readonly points: readonly LabPoint[];
  /** When no complete segment was left for the first time; undefined when that never came. */
  readonly drainedAtMs: number | undefined;
  readonly copiedBytes: number;
  /** Bytes per second, over the time until drained. */
  readonly averageBytesPerSecond: number;
  /** The most bytes sent in any second. */
  readonly mostInASecond: number;
  /** The most bytes sent in any span as long as the quota's window. */
  readonly mostInAWindow: number;
  /** How often a task gave up its run because the quota was exhausted. */
  readonly refusals: number;
}

/** What the lab found. */
export interface LabReport {
  readonly scenario: ResolvedScenario;
  /** Ms between two points of all series. */
  readonly stepMs: number;
  /** Ms that the quota's window covers: samples x window seconds. */
  readonly windowMs: number;
  /** The least that the windowed policies can hold with segments of this size, in bytes per second. */
  readonly heldByteRate: number;
  /** By policy, in the order of the scenario. */
  readonly results: readonly LabResult[];
}

/**
 * Replays on simulated time what a write quota does to a backlog, under each policy, with the real
 * quota manager: tasks copy segments as fast as the writers send and the quota lets them. The same
 * scenario always gives the same report.
 *
 * @throws InvalidQuotaOptionError when a field of the scenario is out of range
 */
export async function simulateQuota(scenario: LabScenario): Promise<LabReport> {
  const resolved = resolveScenario(scenario);
  const outcomes: (readonly [LabPolicy, RunOutcome])[] = [];
  for (const policy of resolved.policies) {
    outcomes.push([policy, await new LabRun(resolved, policy).simulate()]);
  }
  const { points, samples, windowSeconds, segmentBytes } = resolved;
  const longestMs = Math.max(1, ...outcomes.map(([, { endMs }]) => endMs));
  const stepMs = longestMs / points;
  return {
    scenario: resolved,
    stepMs,
    windowMs: samples * windowSeconds * 1000,
    heldByteRate: heldByteRate({ limit: 0, segmentBytes, samples, windowSeconds }),
    results: outcomes.map(([policy, outcome]) => resultOf(policy, outcome, resolved, stepMs)),
  };
}

function resultOf(
  policy: LabPolicy,
  outcome: RunOutcome,
  scenario: ResolvedScenario,
  stepMs: number,
): LabResult {
  const { transfers, endMs, drainedAtMs, refusals } = outcome;
  const windowMs = scenario.samples * scenario.windowSeconds * 1000;
  return {
    policy,
    points: pointsOf(policy, outcome, scenario, stepMs),
    drainedAtMs,
    copiedBytes: transfers.bytes,
    averageBytesPerSecond: (transfers.bytes / (drainedAtMs ?? endMs)) * 1000,
    mostInASecond: transfers.mostIn(1000),
    mostInAWindow: transfers.mostIn(windowMs),
    refusals,
  };
}

function pointsOf(
  policy: LabPolicy,
  { transfers, endMs }: RunOutcome,
  scenario: ResolvedScenario,
  stepMs: number,
): readonly LabPoint[] {
  const { backlogBytes, ingestBytesPerSecond } = scenario;
  const steps = Math.min(Math.ceil(endMs / stepMs), scenario.points);
  let copied = 0;
  return transfers.bytesBySteps(steps, stepMs).map((bytes, step) => {
    copied += bytes;
    const toMs = Math.min((step + 1) * stepMs, endMs);
    const left = backlogBytes + (ingestBytesPerSecond * toMs) / 1000 - copied;
    return {
      atMs: step * stepMs,
      bytesPerSecond: (bytes / stepMs) * 1000,
      limit: policy === 'none' ? 2 ** 63 : limitAt(scenario, toMs).bytesPerSecond,
      backlogBytes: Math.max(0, left),
    };
  });
}
