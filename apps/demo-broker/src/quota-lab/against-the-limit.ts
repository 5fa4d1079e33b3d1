import type { LabReport, LabResult } from '@logloft/quota/lab';
import { formatDuration, formatRate } from '@logloft/quota/lab';
import { shortestDrainMs } from './lab-scenario.ts';
import type { QuotaLabCommand } from './quota-lab-command.ts';

/** What a policy did, as multiples of what the limit allows. */
export interface AgainstTheLimit {
  /** The average rate until the backlog was gone. */
  readonly mean: number;
  /** The fullest second. Above 1 is an overshoot. */
  readonly peakSecond: number;
  /** The fullest span as long as the quota's window. Above 1 is an overshoot. */
  readonly peakWindow: number;
  /** The time until drained, of the shortest that the limit allows; `undefined` when one never came. */
  readonly drainTime: number | undefined;
}

/** Holds what a policy did against the limit. */
export function againstTheLimit(
  command: QuotaLabCommand,
  { windowMs }: LabReport,
  result: LabResult,
): AgainstTheLimit {
  const limit = command.limitBytesPerSecond;
  const shortest = shortestDrainMs(command);
  const { drainedAtMs } = result;
  return {
    mean: result.averageBytesPerSecond / limit,
    peakSecond: result.mostInASecond / limit,
    peakWindow: result.mostInAWindow / (limit * (windowMs / 1000)),
    drainTime:
      shortest === undefined || drainedAtMs === undefined ? undefined : drainedAtMs / shortest,
  };
}

/** The same for all policies, as a table in lines of text. */
export function limitTable(command: QuotaLabCommand, report: LabReport): readonly string[] {
  const head = [
    'policy',
    'mean',
    'peak of 1 s',
    `peak of ${formatDuration(report.windowMs)}`,
    'time to drain',
  ];
  const rows = report.results.map((result) => {
    const { mean, peakSecond, peakWindow, drainTime } = againstTheLimit(command, report, result);
    return [result.policy, ...[mean, peakSecond, peakWindow, drainTime].map(multiple)];
  });
  const lines = [head, ...rows].map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(6) : cell.padStart(widthOf(head, column))))
      .join('  '),
  );
  return [`In multiples of the limit, ${formatRate(command.limitBytesPerSecond)}:`, ...lines];
}

function widthOf(head: readonly string[], column: number): number {
  return Math.max(head[column]?.length ?? 0, 8);
}

function multiple(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(2);
}
