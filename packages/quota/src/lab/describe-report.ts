import { formatBytes, formatDuration, formatRate } from './format.ts';
import type { LabPolicy, ResolvedScenario } from './lab-scenario.ts';
import type { LabReport, LabResult } from './simulate-quota.ts';

/** What the policies do, in a few words. */
export const POLICY_WORDS: Readonly<Record<LabPolicy, string>> = {
  none: 'no quota',
  abort: 'give up the run, try again in the next',
  wait: 'wait in line until the window has room',
  pace: 'let the bytes flow at the limit',
};

/** The scenario in words, a line each. */
export function describeScenario({ scenario, windowMs }: LabReport): readonly string[] {
  const { ingestBytesPerSecond } = scenario;
  const ingest =
    ingestBytesPerSecond > 0 ? `, and ${formatRate(ingestBytesPerSecond)} more come in` : '';
  return [
    `A backlog of ${formatBytes(scenario.backlogBytes)} in segments of ${formatBytes(scenario.segmentBytes)}, ` +
      `${plural(scenario.partitions, 'partition')}${ingest}.`,
    `${plural(scenario.writers, 'writer')}, each sends ${formatRate(scenario.uploadBytesPerSecond)}. ` +
      `A task runs again ${formatDuration(scenario.taskIntervalMs)} after its end.`,
    `The limit: ${limits(scenario)} for ${scenario.scope === 'broker' ? 'all writers' : 'each writer'}, ` +
      `in a window of ${formatDuration(windowMs)}.`,
  ];
}

/** What to know about the limit, if anything. */
export function describeConcerns({ scenario, heldByteRate }: LabReport): readonly string[] {
  const limits = [scenario, ...scenario.limitChanges].map(({ limit }) => limit.bytesPerSecond);
  if (heldByteRate <= Math.min(...limits)) return [];
  return [
    `Note: a window can hold no less than a segment in its time, here ${formatRate(heldByteRate)} ` +
      'on the average. Take a longer window, smaller segments, or pace.',
  ];
}

/** When the backlog was gone. */
export function drainedText({ drainedAtMs }: LabResult): string {
  return drainedAtMs === undefined ? 'not within the time' : formatDuration(drainedAtMs);
}

function limits({ limit, limitChanges }: ResolvedScenario): string {
  const later = limitChanges.map(
    (change) => `, ${formatRate(change.limit.bytesPerSecond)} after ${formatDuration(change.atMs)}`,
  );
  return `${formatRate(limit.bytesPerSecond)}${later.join('')}`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
