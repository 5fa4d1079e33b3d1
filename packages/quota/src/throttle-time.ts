/** Kafka's greatest long as a number: what a throttle time beyond all bounds is cut to. */
const LONGEST_MS = 2 ** 63;

/** A measured rate that is above its bound. */
export interface Excess {
  /** What was measured, in bytes per second. */
  readonly rate: number;
  /** What it may be at most, in bytes per second. */
  readonly bound: number;
  /** The time, in ms, that the rate is an average over. */
  readonly windowMs: number;
}

/**
 * After how many ms the average will have fallen to the bound, if nothing more is recorded and the
 * window simply grows. Kafka's formula, an estimate: too short while the window has its least
 * length, too long when more is in excess than the window remembers, and 0 for an excess of less
 * than half a ms. So ask again after that time, and never take it for leave to go on.
 */
export function throttleTimeMs({ rate, bound, windowMs }: Excess): number {
  const ms = Math.round(((rate - bound) / bound) * windowMs);
  if (Number.isNaN(ms)) return 0;
  return Math.min(Math.max(ms, -LONGEST_MS), LONGEST_MS);
}
