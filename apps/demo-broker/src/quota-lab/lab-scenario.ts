import { ByteLimit } from '@logloft/quota';
import { formatBytes, type LabScenario } from '@logloft/quota/lab';
import { UsageError } from '../command-line/usage-error.ts';
import type { QuotaLabCommand } from './quota-lab-command.ts';

const DAY_MS = 86_400_000;
/** For how long at most a backlog is watched. */
const MOST_MS = 30 * DAY_MS;
/** So many segments are simulated in seconds; each is a few events. */
const MOST_SEGMENTS = 500_000;

/**
 * The scenario that a command line describes, watched for three times as long as the limit needs,
 * and for a day at least.
 *
 * @throws UsageError when it has more segments than can be simulated while one waits
 */
export function labScenarioOf(command: QuotaLabCommand): LabScenario {
  const { backlogBytes, segmentBytes, ingestBytesPerSecond } = command;
  const shortest = shortestDrainMs(command) ?? 0;
  const maxMs = Math.ceil(Math.min(Math.max(3 * shortest, DAY_MS), MOST_MS));
  const most = backlogBytes + (ingestBytesPerSecond * maxMs) / 1000;
  if (most / segmentBytes > MOST_SEGMENTS) {
    throw new UsageError(
      `${formatBytes(most)} in segments of ${formatBytes(segmentBytes)} are more than ` +
        `${MOST_SEGMENTS} segments. Raise --segment, or lower --backlog or --ingest.`,
    );
  }
  return {
    backlogBytes,
    segmentBytes,
    ingestBytesPerSecond,
    limit: ByteLimit.of(command.limitBytesPerSecond),
    writers: command.writers,
    samples: command.windowNum,
    windowSeconds: command.windowSeconds,
    policies: command.policies,
    maxMs,
  };
}

/** Ms in which the backlog is gone when the limit is used to the full; `undefined` when it never is. */
export function shortestDrainMs({
  backlogBytes,
  limitBytesPerSecond,
  ingestBytesPerSecond,
}: QuotaLabCommand): number | undefined {
  const drainBytesPerSecond = limitBytesPerSecond - ingestBytesPerSecond;
  return drainBytesPerSecond > 0 ? (backlogBytes / drainBytesPerSecond) * 1000 : undefined;
}
