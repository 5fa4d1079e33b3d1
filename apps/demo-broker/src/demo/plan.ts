const KIB = 1024;
const MIB = 1024 * KIB;

/** What the demo does, in figures. */
export interface DemoPlan {
  readonly topic: string;
  readonly partitions: number;
  readonly segmentBytes: number;
  /** With fewer bytes to send there would be nothing to see. */
  readonly leastBytes: number;
  /** How often copies, retention and expiry look for work. */
  readonly taskIntervalMs: number;
  readonly fileDeleteDelayMs: number;
  /** Bytes per second that copies may take at first: low, so that segments wait. */
  readonly lowWriteLimit: number;
  /** What the limit is raised to while the broker runs. */
  readonly highWriteLimit: number;
  /** Bytes per second that cold reads may take. */
  readonly readLimit: number;
  /** Samples in the windows of both quotas: few, so that a change shows soon. */
  readonly quotaSamples: number;
  readonly quotaSampleSeconds: number;
  /** How long the low limit is watched at least. */
  readonly lowPhaseMs: number;
  /** The demo gives up when it takes longer. */
  readonly deadlineMs: number;
}

/** Small enough to watch, large enough for dozens of segments. */
export const PLAN: DemoPlan = {
  topic: 'library',
  partitions: 3,
  segmentBytes: 256 * KIB,
  leastBytes: MIB,
  taskIntervalMs: 500,
  fileDeleteDelayMs: 1_000,
  lowWriteLimit: 512 * KIB,
  highWriteLimit: 4 * MIB,
  readLimit: 4 * MIB,
  quotaSamples: 3,
  quotaSampleSeconds: 1,
  lowPhaseMs: 6_000,
  deadlineMs: 115_000,
};

/** Ms that the window of a quota covers. */
export const QUOTA_WINDOW_MS: number = PLAN.quotaSamples * PLAN.quotaSampleSeconds * 1_000;

/**
 * Most bytes that a quota lets through in any span as long as its window: the window and one more sample
 * at the limit, and the segment (or read) that was admitted last.
 */
export function quotaBound(limit: number, largestStep: number): number {
  return limit * (PLAN.quotaSamples + 1) * PLAN.quotaSampleSeconds + largestStep;
}
