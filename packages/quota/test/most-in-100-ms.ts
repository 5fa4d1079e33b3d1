/** Bytes that passed at one moment. */
export interface Passed {
  readonly atMs: number;
  readonly bytes: number;
}

/** The most bytes in any 100 ms. */
export function mostIn100Ms(passed: readonly Passed[]): number {
  let most = 0;
  let total = 0;
  let tail = 0;
  for (const { atMs, bytes } of passed) {
    total += bytes;
    for (let oldest = passed[tail]; oldest !== undefined && oldest.atMs <= atMs - 100; ) {
      total -= oldest.bytes;
      tail += 1;
      oldest = passed[tail];
    }
    most = Math.max(most, total);
  }
  return most;
}
