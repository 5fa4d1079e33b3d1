/** What decides which rate a windowed quota can hold. */
export interface HeldRateInput {
  /** Bytes per second. */
  readonly limit: number;
  /** The greatest piece that is admitted at once, in bytes. */
  readonly segmentBytes: number;
  readonly samples: number;
  readonly windowSeconds: number;
}

/**
 * The average rate, in bytes per second, that a windowed quota really holds with pieces of
 * `segmentBytes`: after `samples x windowSeconds` it has forgotten a piece, however great, so that
 * it cannot hold less than one piece in that time. Where the result is above the limit, take more or
 * longer samples, smaller segments, or pace.
 */
export function heldByteRate(input: HeldRateInput): number {
  const { limit, segmentBytes, samples, windowSeconds } = input;
  return Math.max(limit, segmentBytes / (samples * windowSeconds));
}
