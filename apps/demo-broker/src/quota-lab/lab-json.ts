import type { LabPoint, LabReport, LabResult } from '@logloft/quota/lab';
import { againstTheLimit } from './against-the-limit.ts';
import type { QuotaLabCommand } from './quota-lab-command.ts';

/** The report for programs: bytes, ms, bytes per second; `null` where something never came. */
export function labJson(command: QuotaLabCommand, report: LabReport): string {
  const { kind, json: _, svgFile: __, ...scenario } = command;
  const { uploadBytesPerSecond, taskIntervalMs, maxMs } = report.scenario;
  return JSON.stringify({
    event: kind,
    scenario: { ...scenario, uploadBytesPerSecond, taskIntervalMs, maxMs },
    windowMs: report.windowMs,
    stepMs: report.stepMs,
    leastHeldBytesPerSecond: report.heldByteRate,
    results: report.results.map((result) => resultOf(command, report, result)),
  });
}

function resultOf(command: QuotaLabCommand, report: LabReport, result: LabResult): object {
  const { drainTime, ...multiples } = againstTheLimit(command, report, result);
  const { points, refusals, drainedAtMs, ...figures } = result;
  return {
    ...figures,
    drainedAtMs: drainedAtMs ?? null,
    runsGivenUp: refusals,
    againstTheLimit: { ...multiples, drainTime: drainTime ?? null },
    points: points.map(pointOf),
  };
}

function pointOf({ limit, ...point }: LabPoint): object {
  return { ...point, limit: limit >= 2 ** 63 ? null : limit };
}
