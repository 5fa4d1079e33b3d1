const KIB = 1024;
const MIB = 1024 * KIB;

/** What the demo does, in figures: small enough to watch, large enough for dozens of segments. */
export const PLAN = {
  topic: 'library',
  partitions: 3,
  segmentBytes: 256 * KIB,
  /** How often copies, retention and expiry look for work. */
  taskIntervalMs: 500,
  fileDeleteDelayMs: 1_000,
  /** Bytes per second that copies may take at first: low, so that segments wait. */
  lowWriteLimit: 512 * KIB,
  /** What the limit is raised to while the broker runs. */
  highWriteLimit: 4 * MIB,
  /** Bytes per second that cold reads may take. */
  readLimit: 4 * MIB,
  /** Samples of one second in the windows of both quotas: few, so that a change shows soon. */
  quotaSamples: 3,
  quotaSampleSeconds: 1,
  /** How long the low limit is watched at least. */
  lowPhaseMs: 6_000,
  /** The demo gives up when it takes longer. */
  deadlineMs: 115_000,
} as const;

/** Ms that the window of a quota covers. */
export const QUOTA_WINDOW_MS: number = PLAN.quotaSamples * PLAN.quotaSampleSeconds * 1_000;

/**
 * Most bytes that a quota lets through in any span as long as its window: the window and one more sample
 * at the limit, and the segment (or read) that was admitted last.
 */
export function quotaBound(limit: number, largestStep: number): number {
  return limit * (PLAN.quotaSamples + 1) * PLAN.quotaSampleSeconds + largestStep;
}
